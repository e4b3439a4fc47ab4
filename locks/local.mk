# Waits of threads for locks and for each other: preloaded beside the collector,
# it interposes the C library.  Functions of conditions have two versions; ours
# have the new one, so that old programs get the C library's.
locks_sources = locks/interposers.c locks/nexts.c locks/nexts.h \
	locks/interposed.def

sharedexec_PROGRAMS += libcopse-locks.so
libcopse_locks_so_SOURCES = $(locks_sources)
libcopse_locks_so_CFLAGS = $(AM_CFLAGS) -O2 -fno-omit-frame-pointer -fno-plt
libcopse_locks_so_LDFLAGS = $(adapter_ldflags) \
	-Wl,--version-script=$(srcdir)/$(arch_conditions)
libcopse_locks_so_LDADD = libcopse.so
EXTRA_libcopse_locks_so_DEPENDENCIES = $(arch_conditions)
