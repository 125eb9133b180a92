// The kernels of benchmark_kernels.
#include "lanes.h"

void saxpy(int n, In x, Out y, float a) {
  PARALLEL for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

void transcendental(int n, In x, Out out) {
  PARALLEL for (int i = 0; i < n; i++) {
    float v = x[i];
    out[i] = sinf(3 * v) * expf(-v * v) + sqrtf(fabsf(v)) + logf(1 + v * v);
  }
}

void nbody(int n, In positions, Out forces, int count) {
  PARALLEL for (int i = 0; i < n; i++) {
    float x = positions[3 * i], y = positions[3 * i + 1], z = positions[3 * i + 2];
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < count; j++) {
      float dx = positions[3 * j] - x, dy = positions[3 * j + 1] - y, dz = positions[3 * j + 2] - z;
      float r2 = dx * dx + dy * dy + dz * dz + 0.01f, s = 1 / (r2 * sqrtf(r2));
      fx += dx * s, fy += dy * s, fz += dz * s;
    }
    forces[3 * i] = fx, forces[3 * i + 1] = fy, forces[3 * i + 2] = fz;
  }
}

void mandelbrot(int rows, int columns, int *restrict counts, int side, int limit) {
  UNEVEN for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j += LANES) {
    float x[LANES] = {0}, y[LANES] = {0};
    int n[LANES] = {0}, any = 1;
    float cy = -1.6f + 3.2f * i / side;
    for (int k = 0; k < limit && any; k++) {
      any = 0;
      for (int l = 0; l < LANES; l++) {
        float cx = -2.2f + 3.2f * (j + l) / side;
        int live = x[l] * x[l] + y[l] * y[l] <= 4;
        float t = x[l] * x[l] - y[l] * y[l] + cx, u = 2 * x[l] * y[l] + cy;
        x[l] = live ? t : x[l], y[l] = live ? u : y[l];
        n[l] += live, any |= live;
      }
    }
    for (int l = 0; l < LANES && j + l < columns; l++) counts[i * columns + j + l] = n[l];
  }
}

void jacobi(int rows, int columns, In old, Out out) {
  int w = columns + 2;
  PARALLEL for (int i = 1; i <= rows; i++) for (int j = 1; j <= columns; j++)
    out[i * w + j] = 0.25f * (old[(i - 1) * w + j] + old[(i + 1) * w + j] + old[i * w + j - 1] + old[i * w + j + 1]);
}

void atomic_sum(int n, In x, float *total) {
  float sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += x[i];
  *total += sum;
}

void rosenbrock(int n, In points, Out heights) {
  PARALLEL for (int i = 0; i < n; i++) {
    float x = points[2 * i], y = points[2 * i + 1], off = y - x * x;
    heights[i] = (1 - x) * (1 - x) + 100 * off * off;
  }
}

void rotate(int n, In turns, In vectors, Out out) {
  PARALLEL for (int i = 0; i < n; i++) {
    float a = turns[4 * i], b = turns[4 * i + 1], c = turns[4 * i + 2], w = turns[4 * i + 3];
    float x = vectors[3 * i], y = vectors[3 * i + 1], z = vectors[3 * i + 2];
    float s = 2 * w * w - 1, d = 2 * (a * x + b * y + c * z);
    out[3 * i] = x * s + a * d + 2 * w * (b * z - c * y);
    out[3 * i + 1] = y * s + b * d + 2 * w * (c * x - a * z);
    out[3 * i + 2] = z * s + c * d + 2 * w * (a * y - b * x);
  }
}

void components(int n, In x, Out out) {
  PARALLEL for (int i = 0; i < n; i++) {
    float v[9], s = 0;
    for (int k = 0; k < 9; k++) v[k] = x[i] + k;
    for (int k = 0; k < 9; k++) s += v[k] * v[8 - k];
    out[i] = s;
  }
}

void extremes(int n, In x, In y, Out out) {
  PARALLEL for (int i = 0; i < n; i++) {
    float a = x[i], b = y[i];
    float clamped = fminf(fmaxf(a, 0), b);
    out[i] = clamped + fminf(a, b) * fmaxf(a, -b) + (b < 0 ? -1.f : 1.f) * fmaxf(a, 0.5f);
  }
}

void grows(int n, Out out, int first, int slope) {
  UNEVEN for (int i = 0; i < n; i++) {
    float x = 0;
    for (int j = 0; j < first + slope * i; j++) x = 0.5f * x + 1;
    out[i] = x;
  }
}
