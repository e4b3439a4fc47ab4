# Allocations of the program, sampled by bytes: preloaded beside the collector,
# it interposes the allocator's functions; and C++'s operators, where the
# allocator has its own.
heap_cflags = $(AM_CFLAGS) -O2 -fno-plt -fno-builtin

pkglib_LTLIBRARIES += libcopse-heap.la libcopse-heap-operators.la
libcopse_heap_la_SOURCES = heap/allocations.c heap/allocators.def \
	heap/interposer.h heap/next-allocator.c heap/next-allocator.h
libcopse_heap_la_CFLAGS = $(heap_cflags)
libcopse_heap_la_LDFLAGS = $(adapter_ldflags)
EXTRA_libcopse_heap_la_DEPENDENCIES = $(adapter_needs)
libcopse_heap_operators_la_SOURCES = heap/operators.c heap/operators.def \
	heap/interposer.h
libcopse_heap_operators_la_CFLAGS = $(heap_cflags)
libcopse_heap_operators_la_LDFLAGS = $(adapter_ldflags)
EXTRA_libcopse_heap_operators_la_DEPENDENCIES = $(adapter_needs)
