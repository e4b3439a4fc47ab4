# Waits of threads for locks and for each other: preloaded beside the collector,
# it interposes the C library.  Functions of conditions have two versions; ours
# have the new one, so that old programs get the C library's.
locks_sources = locks/interposers.c locks/nexts.c locks/nexts.h \
	locks/interposed.def

pkglib_LTLIBRARIES += libcopse-locks.la
libcopse_locks_la_SOURCES = $(locks_sources)
libcopse_locks_la_CFLAGS = $(AM_CFLAGS) -O2 -fno-omit-frame-pointer -fno-plt
libcopse_locks_la_LDFLAGS = $(adapter_ldflags) \
	-Wl,--version-script=$(srcdir)/$(arch_conditions)
EXTRA_libcopse_locks_la_DEPENDENCIES = $(adapter_needs) $(arch_conditions)
