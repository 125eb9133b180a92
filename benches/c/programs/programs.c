// Programs of benchmark_programs as loops of one thread: what gcc makes of them is what one core can do without effort.
#include <math.h>
#include <string.h>

typedef float *restrict Out;
typedef const float *restrict In;
typedef const int *restrict Ints;

void jacobi(int n, In u, In f, Out out)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            const float *at = u + (long)i * n + j;
            out[(long)i * n + j] = 0.25f * (at[-n] + at[n] + at[-1] + at[1] + f[(long)i * n + j]);
        }
}

void conduct(int n, In u, In k, float dt, Out out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            long t = (long)i * n + j;
            if (i == 0 || j == 0 || i == n - 1 || j == n - 1) {
                out[t] = u[t];
                continue;
            }
            float flow = 0.5f * (k[t] + k[t - n]) * (u[t - n] - u[t]) + 0.5f * (k[t] + k[t + n]) * (u[t + n] - u[t]);
            flow += 0.5f * (k[t] + k[t - 1]) * (u[t - 1] - u[t]) + 0.5f * (k[t] + k[t + 1]) * (u[t + 1] - u[t]);
            out[t] = u[t] + dt * flow;
        }
}

void diffuse(int n, In u, float rate, Out out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                long t = ((long)i * n + j) * n + k;
                float total = 0;
                if (i > 0) total += u[t - (long)n * n] - u[t];
                if (i < n - 1) total += u[t + (long)n * n] - u[t];
                if (j > 0) total += u[t - n] - u[t];
                if (j < n - 1) total += u[t + n] - u[t];
                if (k > 0) total += u[t - 1] - u[t];
                if (k < n - 1) total += u[t + 1] - u[t];
                out[t] = u[t] + rate * total;
            }
}

static const int DX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, DY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int BACK[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const float WEIGHT[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

void lattice(int ny, int nx, In f, Ints solid, float omega, float force, Out out)
{
    for (int i = 0; i < ny; i++)
        for (int j = 0; j < nx; j++) {
            long t = (long)i * nx + j;
            if (solid[t]) continue;
            float come[9], density = 0, u = 0, v = 0;
            for (int k = 0; k < 9; k++) {
                int a = (i - DY[k] + ny) % ny, b = (j - DX[k] + nx) % nx;
                long from = (long)a * nx + b;
                come[k] = solid[from] ? f[9 * t + BACK[k]] : f[9 * from + k];
                density += come[k];
                u += DX[k] * come[k];
                v += DY[k] * come[k];
            }
            u /= density;
            v /= density;
            float square = 1.5f * (u * u + v * v);
            for (int k = 0; k < 9; k++) {
                float c = 3 * (DX[k] * u + DY[k] * v);
                float rest = WEIGHT[k] * density * (1 + c + 0.5f * c * c - square);
                out[9 * t + k] = come[k] - omega * (come[k] - rest) + 3 * WEIGHT[k] * DX[k] * force;
            }
        }
}

void pull(int count, const float *x, const float *v, Ints ends, In rest, float stiffness, float damping, Out f)
{
    for (int s = 0; s < count; s++) {
        const float *a = x + 3 * ends[2 * s], *b = x + 3 * ends[2 * s + 1];
        const float *va = v + 3 * ends[2 * s], *vb = v + 3 * ends[2 * s + 1];
        float away[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        float length = sqrtf(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]), faster = 0;
        for (int k = 0; k < 3; k++) {
            away[k] /= length;
            faster += (vb[k] - va[k]) * away[k];
        }
        float pull = stiffness * (length - rest[s]) + damping * faster;
        for (int k = 0; k < 3; k++) {
            f[3 * ends[2 * s] + k] += pull * away[k];
            f[3 * ends[2 * s + 1] + k] -= pull * away[k];
        }
    }
}

void move(int count, Out f, In mass, float gravity, float dt, Out x, Out v)
{
    for (int i = 0; i < count; i++) {
        if (mass[i] > 0)
            for (int k = 0; k < 3; k++) {
                v[3 * i + k] += dt * (f[3 * i + k] / mass[i] + (k == 2 ? -gravity : 0));
                x[3 * i + k] += dt * v[3 * i + k];
            }
        memset(f + 3 * i, 0, 3 * sizeof(float));
    }
}
