// What the C versions share. Each is called as NAME(dims, values of the kernel in its order), on OMP_NUM_THREADS threads.
#include <math.h>
#include <string.h>

typedef float *restrict Out;
typedef const float *restrict In;
typedef const int *restrict Ints;

#define PARALLEL _Pragma("omp parallel for schedule(static)")
#define UNEVEN _Pragma("omp parallel for schedule(dynamic, 4)")
#define SIMD _Pragma("omp simd")
#define ATOMIC _Pragma("omp atomic")

// Threads side by side where a loop of run-time length keeps gcc from putting them into one vector itself.
enum { LANES = 16 };
