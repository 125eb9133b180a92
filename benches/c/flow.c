// The kernels with control flow and gathers.
#include "lanes.h"

// A group at the end may be smaller.
void chain(int n, In x, int rounds, Out out) {
  PARALLEL for (int i = 0; i < n; i += LANES) {
    int width = n - i < LANES ? n - i : LANES;
    float v[LANES] = {0};
    memcpy(v, x + i, 4 * width);
    for (int k = 0; k < rounds; k++)
      SIMD for (int l = 0; l < LANES; l++) v[l] = sinf(v[l]) * expf(-v[l]) + sqrtf(v[l] * v[l] + 1);
    memcpy(out + i, v, 4 * width);
  }
}

void divergent(int n, Ints at, In x, Out out) {
  PARALLEL for (int i = 0; i < n; i++) {
    int k = at[i];
    if (k < 0) continue;
    float v = x[k];
    if (v > 0.5f) {
      float s = 0;
      for (int q = 0; q < k % 17; q++) s += sinf(v * q);
      out[k] = s;
    } else {
      out[k] = expf(-v);
    }
  }
}

void sparse_rows(int n, Ints starts, Ints columns, In a, In x, Out y) {
  PARALLEL for (int i = 0; i < n; i++) {
    float s = 0;
    for (int k = starts[i]; k < starts[i + 1]; k++) s += a[k] * x[columns[k]];
    y[i] = s;
  }
}

static inline float scene(float x, float y, float z) {
  float u = x - 0.7f, v = y - 0.5f, w = z + 0.6f;
  return fminf(sqrtf(x * x + y * y + z * z) - 1, sqrtf(u * u + v * v + w * w) - 0.5f);
}

void march(int rows, int columns, In bump, int limit, Out depth) {
  UNEVEN for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) {
    float x = 3.f * j / columns - 1.5f, y = 3.f * i / rows - 1.5f, s = 1 / sqrtf(x * x + y * y + 2.25f);
    float t = 0, d = 1, at = bump[i * columns + j];
    for (int n = 0; n < limit && t < 6 && d > 0.001f; n++) {
      d = scene(t * x * s, t * y * s, t * 1.5f * s - 3) - at;
      t += d;
    }
    depth[i * columns + j] = t;
  }
}

void search(int n, In sorted, In keys, int *restrict found, int count) {
  PARALLEL for (int i = 0; i < n; i++) {
    int low = 0, high = count;
    while (low < high) {
      int middle = (low + high) / 2;
      if (sorted[middle] < keys[i]) low = middle + 1;
      else high = middle;
    }
    found[i] = low;
  }
}

void particles(int n, In field, In positions, Out out, int side) {
  PARALLEL for (int p = 0; p < n; p++) {
    float x = positions[2 * p], y = positions[2 * p + 1];
    int j = x, i = y;
    float u = x - j, v = y - i;
    const float *at = field + i * side + j;
    out[p] = (1 - v) * ((1 - u) * at[0] + u * at[1]) + v * ((1 - u) * at[side] + u * at[side + 1]);
  }
}

void collatz(int n, int *restrict steps) {
  UNEVEN for (int c = 0; c < n; c += 256) for (int i = c; i < n && i < c + 256; i++) {
    int v = i + 1, count = 0;
    while (v != 1) {
      v = v % 2 == 0 ? v / 2 : 3 * v + 1;
      count++;
    }
    steps[i] = count;
  }
}
