# Parallel regions of OpenMP, one library for all programs: preloaded beside the
# collector, it interposes libgomp, which it looks up, and is the tool of LLVM's
# runtime.  The frame pointer leads from a function to its caller.
openmp_sources = openmp/ompt.c openmp/ompt.h openmp/own-locks.c \
	openmp/own-locks.h openmp/regions.c openmp/runtime.c openmp/runtime.h \
	openmp/tasks.c openmp/tasks.h openmp/functions.def

sharedexec_PROGRAMS += libcopse-openmp.so
libcopse_openmp_so_SOURCES = $(openmp_sources)
libcopse_openmp_so_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer -fno-plt
libcopse_openmp_so_LDFLAGS = $(adapter_ldflags) \
	-Wl,--version-script=$(srcdir)/openmp/openmp.map
EXTRA_DIST += openmp/openmp.map
libcopse_openmp_so_LDADD = libcopse.so
