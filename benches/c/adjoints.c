// Adjoints: the kernel's values, then the gradients that are added to, then those of the outputs.
// Threads that may meet in one element add atomically, as the kernels' adjoints must.
#include "lanes.h"

void saxpy_adjoint(int n, In x, In y, float a, Out dx, In dy) {
  PARALLEL for (int i = 0; i < n; i++) dx[i] += a * dy[i];
}

void transcendental_adjoint(int n, In x, In out, Out dx, In dout) {
  // gcc makes one scalar call of a sine and a cosine of the same number, unless they are apart.
  PARALLEL for (int i = 0; i < n; i += LANES) {
    int width = n - i < LANES ? n - i : LANES;
    float v[LANES] = {0}, s[LANES], c[LANES];
    memcpy(v, x + i, 4 * width);
    SIMD for (int l = 0; l < LANES; l++) s[l] = sinf(3 * v[l]);
    SIMD for (int l = 0; l < LANES; l++) c[l] = cosf(3 * v[l]);
    SIMD for (int l = 0; l < LANES; l++)
      v[l] = (3 * c[l] - 2 * v[l] * s[l]) * expf(-v[l] * v[l]) + copysignf(0.5f, v[l]) / sqrtf(fabsf(v[l])) + 2 * v[l] / (1 + v[l] * v[l]);
    for (int l = 0; l < width; l++) dx[i + l] += dout[i + l] * v[l];
  }
}

void pulls_adjoint(int n, In positions, int count, In forces, float *dp, In df) {
  PARALLEL for (int i = 0; i < n; i++) {
    float x = positions[3 * i], y = positions[3 * i + 1], z = positions[3 * i + 2];
    float gx = df[3 * i], gy = df[3 * i + 1], gz = df[3 * i + 2], hx = 0, hy = 0, hz = 0;
    for (int j = 0; j < count; j++) {
      float dx = positions[3 * j] - x, dy = positions[3 * j + 1] - y, dz = positions[3 * j + 2] - z;
      float r2 = dx * dx + dy * dy + dz * dz + 0.01f, s = 1 / (r2 * sqrtf(r2));
      float t = -3 * s / r2 * (gx * dx + gy * dy + gz * dz);
      float ax = gx * s + t * dx, ay = gy * s + t * dy, az = gz * s + t * dz;
      hx -= ax, hy -= ay, hz -= az;
      ATOMIC dp[3 * j] += ax;
      ATOMIC dp[3 * j + 1] += ay;
      ATOMIC dp[3 * j + 2] += az;
    }
    ATOMIC dp[3 * i] += hx;
    ATOMIC dp[3 * i + 1] += hy;
    ATOMIC dp[3 * i + 2] += hz;
  }
}

void jacobi_adjoint(int rows, int columns, In old, In out, float *dold, In dout) {
  int w = columns + 2;
  PARALLEL for (int i = 1; i <= rows; i++) for (int j = 1; j <= columns; j++) {
    float g = 0.25f * dout[i * w + j];
    ATOMIC dold[(i - 1) * w + j] += g;
    ATOMIC dold[(i + 1) * w + j] += g;
    ATOMIC dold[i * w + j - 1] += g;
    ATOMIC dold[i * w + j + 1] += g;
  }
}

void atomic_sum_adjoint(int n, In x, In total, Out dx, In dtotal) {
  PARALLEL for (int i = 0; i < n; i++) dx[i] += *dtotal;
}

void rosenbrock_adjoint(int n, In points, In heights, Out dpoints, In dheights) {
  PARALLEL for (int i = 0; i < n; i++) {
    float x = points[2 * i], y = points[2 * i + 1], off = y - x * x;
    dpoints[2 * i] += dheights[i] * (-2 * (1 - x) - 400 * x * off);
    dpoints[2 * i + 1] += dheights[i] * 200 * off;
  }
}

void rotate_adjoint(int n, In turns, In vectors, In out, Out dturns, Out dvectors, In dout) {
  PARALLEL for (int i = 0; i < n; i++) {
    float a = turns[4 * i], b = turns[4 * i + 1], c = turns[4 * i + 2], w = turns[4 * i + 3];
    float x = vectors[3 * i], y = vectors[3 * i + 1], z = vectors[3 * i + 2];
    float p = dout[3 * i], q = dout[3 * i + 1], r = dout[3 * i + 2];
    float s = 2 * w * w - 1, cv = 2 * (a * x + b * y + c * z), cg = 2 * (a * p + b * q + c * r);
    float tx = y * r - z * q, ty = z * p - x * r, tz = x * q - y * p; // v x g
    dvectors[3 * i] += p * s + cg * a + 2 * w * (q * c - r * b);
    dvectors[3 * i + 1] += q * s + cg * b + 2 * w * (r * a - p * c);
    dvectors[3 * i + 2] += r * s + cg * c + 2 * w * (p * b - q * a);
    dturns[4 * i] += 2 * w * tx + cv * p + cg * x;
    dturns[4 * i + 1] += 2 * w * ty + cv * q + cg * y;
    dturns[4 * i + 2] += 2 * w * tz + cv * r + cg * z;
    dturns[4 * i + 3] += 4 * w * (p * x + q * y + r * z) + 2 * (a * tx + b * ty + c * tz);
  }
}

void components_adjoint(int n, In x, In out, Out dx, In dout) {
  PARALLEL for (int i = 0; i < n; i++) {
    float s = 0;
    for (int k = 0; k < 9; k++) s += x[i] + k;
    dx[i] += 2 * s * dout[i];
  }
}

void extremes_adjoint(int n, In x, In y, In out, Out dx, Out dy, In dout) {
  PARALLEL for (int i = 0; i < n; i++) {
    float a = x[i], b = y[i], g = dout[i];
    float low = fminf(a, b), high = fmaxf(a, -b);
    float da = a > 0 && a < b ? 1 : 0, db = fmaxf(a, 0) > b ? 1 : 0;
    da += (a < b ? high : 0) + (a > -b ? low : 0) + (a > 0.5f ? (b < 0 ? -1.f : 1.f) : 0);
    db += (a < b ? 0 : high) - (a > -b ? 0 : low);
    dx[i] += g * da, dy[i] += g * db;
  }
}

enum { MOST = 64 }; // rounds that are kept

// With cosf(v) - sinf(v) as one cosine, for the reason above.
static inline float slope(float v) { return 1.41421356f * cosf(v + 0.78539816f) * expf(-v) + v / sqrtf(v * v + 1); }

void chain_adjoint(int n, In x, int rounds, In out, Out dx, In dout) {
  PARALLEL for (int i = 0; i < n; i += LANES) {
    int width = n - i < LANES ? n - i : LANES;
    float v[LANES] = {0}, d[LANES] = {0}, kept[MOST][LANES];
    memcpy(v, x + i, 4 * width), memcpy(d, dout + i, 4 * width);
    for (int k = 0; k < rounds; k++) {
      memcpy(kept[k], v, sizeof v);
      SIMD for (int l = 0; l < LANES; l++) v[l] = sinf(v[l]) * expf(-v[l]) + sqrtf(v[l] * v[l] + 1);
    }
    for (int k = rounds - 1; k >= 0; k--)
      SIMD for (int l = 0; l < LANES; l++) d[l] *= slope(kept[k][l]);
    for (int l = 0; l < width; l++) dx[i + l] += d[l];
  }
}

void trips_adjoint(int n, In x, Ints trips, In out, Out dx, In dout) {
  PARALLEL for (int i = 0; i < n; i++) {
    float v = x[i], d = dout[i], kept[MOST];
    for (int k = 0; k < trips[i]; k++) {
      kept[k] = v;
      v = sinf(v) * expf(-v) + sqrtf(v * v + 1);
    }
    for (int k = trips[i] - 1; k >= 0; k--) d *= slope(kept[k]);
    dx[i] += d;
  }
}

void divergent_adjoint(int n, Ints at, In x, In out, float *dx, In dout) {
  PARALLEL for (int i = 0; i < n; i++) {
    int k = at[i];
    if (k < 0) continue;
    float v = x[k], s = 0;
    if (v > 0.5f)
      for (int q = 0; q < k % 17; q++) s += q * cosf(v * q);
    else
      s = -expf(-v);
    ATOMIC dx[k] += s * dout[k];
  }
}

void sparse_rows_adjoint(int n, Ints starts, Ints columns, In a, In x, In y, float *da, float *dx, In dy) {
  PARALLEL for (int i = 0; i < n; i++) for (int k = starts[i]; k < starts[i + 1]; k++) {
    da[k] += x[columns[k]] * dy[i];
    ATOMIC dx[columns[k]] += a[k] * dy[i];
  }
}

void march_adjoint(int rows, int columns, In bump, int limit, In depth, Out dbump, In ddepth) {
  UNEVEN for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) {
    float x = 3.f * j / columns - 1.5f, y = 3.f * i / rows - 1.5f, z = 1.5f, s = 1 / sqrtf(x * x + y * y + z * z);
    x *= s, y *= s, z *= s;
    float t = 0, d = 1, at = bump[i * columns + j], slopes[MOST];
    int n = 0;
    while (n < limit && t < 6 && d > 0.001f) {
      float px = t * x, py = t * y, pz = t * z - 3, u = px - 0.7f, v = py - 0.5f, w = pz + 0.6f;
      float one = sqrtf(px * px + py * py + pz * pz), two = sqrtf(u * u + v * v + w * w);
      float first = (px * x + py * y + pz * z) / one, second = (u * x + v * y + w * z) / two;
      slopes[n++] = one - 1 < two - 0.5f ? first : second;
      d = fminf(one - 1, two - 0.5f) - at;
      t += d;
    }
    float g = ddepth[i * columns + j], sum = 0;
    while (n > 0) {
      sum -= g;
      g *= 1 + slopes[--n];
    }
    dbump[i * columns + j] += sum;
  }
}

void particles_adjoint(int n, In field, In positions, In out, float *dfield, Out dpositions, In dout, int side) {
  PARALLEL for (int p = 0; p < n; p++) {
    float x = positions[2 * p], y = positions[2 * p + 1], g = dout[p];
    int j = x, i = y;
    float u = x - j, v = y - i;
    const float *at = field + i * side + j;
    float *to = dfield + i * side + j;
    ATOMIC to[0] += g * (1 - v) * (1 - u);
    ATOMIC to[1] += g * (1 - v) * u;
    ATOMIC to[side] += g * v * (1 - u);
    ATOMIC to[side + 1] += g * v * u;
    dpositions[2 * p] += g * ((1 - v) * (at[1] - at[0]) + v * (at[side + 1] - at[side]));
    dpositions[2 * p + 1] += g * ((1 - u) * (at[side] - at[0]) + u * (at[side + 1] - at[1]));
  }
}
