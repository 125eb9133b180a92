/* The functions of newer C libraries that the extension module is linked with, made of what glibc 2.28 has.

   A module that is linked on a machine asks for the newest version of each function that the machine's glibc offers, and then
   loads on no older one. LLVM's archives, libstdc++ and Rust's library need nothing that glibc 2.28 lacks: most of these
   functions only moved from libpthread and libdl to libc (2.34), lost an error hook (2.29, 2.35) or got a name of their own
   (2.33). So this file defines them, for this module alone, through the versions that every glibc for x86-64 or aarch64 has.
   `scripts/check_wheel.py` fails where one is missing here. */

typedef unsigned long size;

#define HIDDEN __attribute__((visibility("hidden")))

/* The oldest version of a function (on aarch64 it is the same for all, since glibc came there late), the numbers of the layouts of
   `stat` and `mknod`, and that of the system call `gettid`. */
#ifdef __aarch64__
#define OLDEST(version) "2.17"
enum { STAT = 0, GETTID = 178 };
#else
#define OLDEST(version) version
enum { STAT = 1, GETTID = 186 };
#endif

/* Defines `name` as a call of its older version. */
#define FORWARD(version, result, name, parameters, arguments)                                                                \
	__asm__(".symver old_" #name "," #name "@GLIBC_" OLDEST(version));                                                       \
	extern result old_##name parameters;                                                                                     \
	HIDDEN result name parameters { return old_##name arguments; }

/* 2.29 and 2.35: mathematics without the hook for errors of System V. */
FORWARD("2.2.5", double, exp, (double x), (x))
FORWARD("2.2.5", double, exp2, (double x), (x))
FORWARD("2.2.5", double, log, (double x), (x))
FORWARD("2.2.5", double, log2, (double x), (x))
FORWARD("2.2.5", double, pow, (double x, double y), (x, y))
FORWARD("2.2.5", double, hypot, (double x, double y), (x, y))

/* 2.34: from libdl. */
FORWARD("2.2.5", void *, dlopen, (const char *file, int mode), (file, mode))
FORWARD("2.2.5", void *, dlsym, (void *library, const char *name), (library, name))
FORWARD("2.2.5", char *, dlerror, (void), ())
FORWARD("2.2.5", int, dlclose, (void *library), (library))

/* 2.32 and 2.34: from libpthread. */
FORWARD("2.2.5", int, pthread_create, (void *thread, const void *how, void *(*run)(void *), void *with), (thread, how, run, with))
FORWARD("2.2.5", int, pthread_join, (size thread, void **result), (thread, result))
FORWARD("2.2.5", int, pthread_detach, (size thread), (thread))
FORWARD("2.12", int, pthread_setname_np, (size thread, const char *name), (thread, name))
FORWARD("2.2.5", int, pthread_sigmask, (int how, const void *set, void *old), (how, set, old))
FORWARD("2.2.5", int, pthread_getattr_np, (size thread, void *attributes), (thread, attributes))
FORWARD("2.2.5", int, pthread_attr_getstack, (const void *attributes, void **stack, size *bytes), (attributes, stack, bytes))
FORWARD("2.2.5", int, pthread_attr_setstacksize, (void *attributes, size bytes), (attributes, bytes))
#ifdef __aarch64__
FORWARD("", int, pthread_attr_getguardsize, (const void *attributes, size *bytes), (attributes, bytes))
#endif
FORWARD("2.2.5", int, pthread_key_create, (void *key, void (*destroy)(void *)), (key, destroy))
FORWARD("2.2.5", int, pthread_key_delete, (unsigned key), (key))
FORWARD("2.2.5", int, pthread_setspecific, (unsigned key, const void *value), (key, value))
FORWARD("2.2.5", int, pthread_once, (void *once, void (*run)(void)), (once, run))
FORWARD("2.2.5", int, pthread_rwlock_rdlock, (void *lock), (lock))
FORWARD("2.2.5", int, pthread_rwlock_wrlock, (void *lock), (lock))
FORWARD("2.2.5", int, pthread_rwlock_unlock, (void *lock), (lock))

/* 2.33: these were inline functions that passed the layout's number, which is 0 for mknod. */
extern int __xstat(int, const char *, void *), __fxstat(int, int, void *), __lxstat(int, const char *, void *);
extern int __fxstatat(int, int, const char *, void *, int);
extern int __xmknod(int, const char *, unsigned, unsigned long *);
HIDDEN int stat(const char *path, void *out) { return __xstat(STAT, path, out); }
HIDDEN int stat64(const char *path, void *out) { return __xstat(STAT, path, out); }
HIDDEN int fstat(int file, void *out) { return __fxstat(STAT, file, out); }
HIDDEN int fstat64(int file, void *out) { return __fxstat(STAT, file, out); }
HIDDEN int lstat(const char *path, void *out) { return __lxstat(STAT, path, out); }
HIDDEN int lstat64(const char *path, void *out) { return __lxstat(STAT, path, out); }
HIDDEN int fstatat(int folder, const char *path, void *out, int flags) { return __fxstatat(STAT, folder, path, out, flags); }
HIDDEN int fstatat64(int folder, const char *path, void *out, int flags) { return __fxstatat(STAT, folder, path, out, flags); }
HIDDEN int mknod(const char *path, unsigned mode, unsigned long device) { return __xmknod(0, path, mode, &device); }

/* 2.30. */
extern long syscall(long, ...);
HIDDEN int gettid(void) { return (int)syscall(GETTID); }

/* 2.32: whether libstdc++ may count without atomics. This process has threads. */
HIDDEN char __libc_single_threaded = 0;

/* 2.33: what LLVM's statistics ask for, with wider numbers. */
struct counts { int of[10]; };
struct wide_counts { size of[10]; };
extern struct counts mallinfo(void);
HIDDEN struct wide_counts mallinfo2(void)
{
	struct counts narrow = mallinfo();
	struct wide_counts wide;
	for (int i = 0; i < 10; i++)
		wide.of[i] = (unsigned)narrow.of[i];
	return wide;
}

/* 2.36: libstdc++'s random_device, which LLVM does not use; without the kernel's numbers there are none. */
extern long getrandom(void *, size, unsigned);
extern void abort(void) __attribute__((noreturn));
HIDDEN unsigned arc4random(void)
{
	unsigned number;
	if (getrandom(&number, sizeof number, 0) != sizeof number)
		abort();
	return number;
}
