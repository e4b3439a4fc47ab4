# Allocations of the program, sampled by bytes: preloaded beside the collector,
# it interposes the allocator's functions; and C++'s operators, where the
# allocator has its own.
heap_cflags = $(AM_CFLAGS) -O2 -fno-plt -fno-builtin

sharedexec_PROGRAMS += libcopse-heap.so libcopse-heap-operators.so
libcopse_heap_so_SOURCES = heap/allocations.c heap/allocators.def \
	heap/interposer.h heap/next-allocator.c heap/next-allocator.h
libcopse_heap_so_CFLAGS = $(heap_cflags)
libcopse_heap_so_LDFLAGS = $(adapter_ldflags)
libcopse_heap_so_LDADD = libcopse.so
libcopse_heap_operators_so_SOURCES = heap/operators.c heap/operators.def \
	heap/interposer.h
libcopse_heap_operators_so_CFLAGS = $(heap_cflags)
libcopse_heap_operators_so_LDFLAGS = $(adapter_ldflags)
libcopse_heap_operators_so_LDADD = libcopse.so
