# Functions of the C library for files: preloaded beside the collector.  What
# finds the functions behind them is the collector's.
io_sources = io/calls.def io/interposed.list io/descriptors.c io/file-call.h io/scans.c io/streams.c io/unseen.c

sharedexec_PROGRAMS += libcopse-io.so
libcopse_io_so_SOURCES = $(io_sources) src/collect/transparency/next.c
# No functions that headers define: they would stand before ours.
libcopse_io_so_CFLAGS = $(AM_CFLAGS) -O2 -fno-omit-frame-pointer -fno-plt -fno-builtin \
	-D__NO_INLINE__
libcopse_io_so_LDFLAGS = $(adapter_ldflags)
libcopse_io_so_LDADD = libcopse.so
