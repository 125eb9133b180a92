// Five stencils, on one thread and without guards, for benchmark_guards: inside_NAME(extents, u, v, out) leaves borders out.

void inside_jacobi(int n, int m, const float *restrict u, const float *restrict v, float *restrict out) {
  (void)v;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      int at = i * m + j;
      out[at] = 0.25f * (u[at - m] + u[at + m] + u[at - 1] + u[at + 1]);
    }
}

void inside_nine(int n, int m, const float *restrict u, const float *restrict v, float *restrict out) {
  (void)v;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      int at = i * m + j;
      float edges = u[at - m] + u[at + m] + u[at - 1] + u[at + 1];
      float corners = u[at - m - 1] + u[at - m + 1] + u[at + m - 1] + u[at + m + 1];
      out[at] = 0.25f * u[at] + 0.125f * edges + 0.0625f * corners;
    }
}

void inside_advection(int n, int m, const float *restrict u, const float *restrict v, float *restrict out) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      int at = i * m + j;
      float speed = v[at];
      float slope = speed > 0.0f ? u[at] - u[at - 1] : u[at + 1] - u[at];
      out[at] = u[at] - 0.1f * speed * slope;
    }
}

static inline float laplacian(const float *restrict u, int at, int row, int plane) {
  return u[at - plane] + u[at + plane] + u[at - row] + u[at + row] + u[at - 1] + u[at + 1] - 6.0f * u[at];
}

void inside_heat(int n, int m, int l, const float *restrict u, const float *restrict v, float *restrict out) {
  (void)v;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      for (int k = 1; k < l - 1; k++) {
        int at = (i * m + j) * l + k;
        out[at] = u[at] + 0.1f * laplacian(u, at, l, m * l);
      }
}

void inside_wave(int n, int m, int l, const float *restrict u, const float *restrict v, float *restrict out) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      for (int k = 1; k < l - 1; k++) {
        int at = (i * m + j) * l + k;
        out[at] = 2.0f * u[at] - v[at] + 0.1f * laplacian(u, at, l, m * l);
      }
}

void inside_map(int n, const float *restrict u, const float *restrict v, float *restrict out) {
  (void)v;
  for (int i = 0; i < n; i++) out[i] = 2.0f * u[i] + 1.0f;
}
