// Stencils with borders, as they are written with loops: these leave borders out, or stand on their own.
#include "lanes.h"

static inline float mean(In u, int above, int below, int left, int right) {
  return 0.25f * (u[above] + u[below] + u[left] + u[right]);
}

void smooth(int rows, int columns, In old, Out out) {
  int w = columns + 2;
  PARALLEL for (int i = 1; i <= rows; i++) for (int j = 1; j <= columns; j++) {
    int at = i * w + j;
    out[at] = mean(old, at - w, at + w, at - 1, at + 1);
  }
}

void smooth_if(int rows, int columns, In old, Out out) {
  PARALLEL for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) {
    int at = i * columns + j;
    if (i > 0 && j > 0 && i < rows - 1 && j < columns - 1)
      out[at] = mean(old, at - columns, at + columns, at - 1, at + 1);
  }
}

void smooth_return(int rows, int columns, In old, Out out, int n, int m) {
  PARALLEL for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) {
    if (i == 0 || j == 0 || i == n - 1 || j == m - 1) continue;
    int at = i * columns + j;
    out[at] = mean(old, at - columns, at + columns, at - 1, at + 1);
  }
}

void smooth_else(int rows, int columns, In old, Out out, int n, int m) {
  PARALLEL for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) {
    int at = i * columns + j;
    if (i == 0 || j == 0 || i == n - 1 || j == m - 1) out[at] = old[at];
    else out[at] = mean(old, at - columns, at + columns, at - 1, at + 1);
  }
}

void smooth_clamped(int rows, int columns, In old, Out out, int n, int m) {
  PARALLEL for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) {
    int above = i > 0 ? i - 1 : 0, below = i + 1 < n ? i + 1 : n - 1;
    int left = j > 0 ? j - 1 : 0, right = j + 1 < m ? j + 1 : m - 1;
    out[i * m + j] = mean(old, above * m + j, below * m + j, i * m + left, i * m + right);
  }
}

void smooth_periodic(int rows, int columns, In old, Out out, int n, int m) {
  PARALLEL for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) {
    int above = (i + n - 1) % n, below = (i + 1) % n, left = (j + m - 1) % m, right = (j + 1) % m;
    out[i * m + j] = mean(old, above * m + j, below * m + j, i * m + left, i * m + right);
  }
}

void smooth_flat(int count, In old, Out out, int n, int m) {
  PARALLEL for (int t = 0; t < count; t++) {
    int i = t / m, j = t % m;
    if (i > 0 && j > 0 && i < n - 1 && j < m - 1) out[t] = mean(old, t - m, t + m, t - 1, t + 1);
  }
}

void diffuse_flat(int count, In u, Out out, int n) {
  int w = n * n;
  PARALLEL for (int t = 0; t < count; t++) {
    int i = t / w, rest = t % w, j = rest / n, k = rest % n;
    if (i == 0 || j == 0 || k == 0 || i == n - 1 || j == n - 1 || k == n - 1) continue;
    float around = u[t - w] + u[t + w] + u[t - n] + u[t + n] + u[t - 1] + u[t + 1];
    out[t] = u[t] + 0.1f * (around - 6 * u[t]);
  }
}
