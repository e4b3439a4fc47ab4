# What has a state in the process or in threads.  A new source of measurements is
# its file, which defines source_NAME (source.h), and its word here.
SOURCES = python-find clock counters switches polls region callsite-cache \
	descriptor phase omp-team lock-wait heap-live thread-names gpu gpu-allocs gpu-shapes gpu-communicators gpu-spans gpu-slices gpu-awaited gpu-pcs gpu-tool gpu-idle \
	history range control iterations steering wait-events alt-stack thread-starter io-files io-passed

# Everything of libcopse.so, for the unit tests too.
noinst_LIBRARIES += libcollect.a
# The first of them are what a forked child runs: side by side, they are few
# faults.
libcollect_a_SOURCES = \
	src/collect/source.h src/collect/start.c \
	src/collect/thread.c src/collect/thread.h \
	src/collect/sampling/clock.c src/collect/sampling/clock.h \
	src/collect/time.c src/collect/time.h \
	src/collect/enlist.c src/collect/enlist.h \
	src/collect/launch-rank.c src/collect/launch-rank.h \
	src/collect/registry.c src/collect/registry.h \
	src/collect/sampling/sample-period.c src/collect/sampling/sample-period.h \
	src/collect/sampling/switches.c src/collect/sampling/switches.h \
	src/collect/transparency/descriptor.c src/collect/transparency/descriptor.h \
	src/collect/transparency/sigtrap-blocked.c src/collect/transparency/sigtrap-blocked.h \
	src/collect/transparency/alt-stack.c src/collect/transparency/alt-stack.h \
	src/collect/control.c src/collect/control.h \
	src/collect/iterations.c src/collect/iterations.h \
	src/collect/steering.c src/collect/steering.h \
	src/collect/unwind/unwind.c src/collect/unwind/unwind.h \
	src/collect/heap/heap-live.c src/collect/heap/heap-live.h \
	src/collect/regions/callsite-cache.c src/collect/regions/callsite-cache.h \
	src/collect/sampling/polls.c src/collect/sampling/polls.h \
	src/collect/regions/phase.c src/collect/regions/phase.h \
	src/collect/regions/range.c src/collect/regions/range.h \
	src/collect/threads/lock-wait.c src/collect/threads/lock-wait.h \
	src/collect/sampling/counters.c src/collect/sampling/counters.h \
	src/collect/threads/omp-team.c src/collect/threads/omp-team.h \
	src/collect/gpu/gpu.c src/collect/gpu/gpu.h \
	src/collect/gpu/gpu-allocs.c src/collect/gpu/gpu-allocs.h \
	src/collect/gpu/gpu-awaited.c src/collect/gpu/gpu-awaited.h \
	src/collect/gpu/gpu-counters.c src/collect/gpu/gpu-counters.h \
	src/collect/gpu/gpu-pcs.c src/collect/gpu/gpu-pcs.h \
	src/collect/gpu/gpu-shapes.c src/collect/gpu/gpu-shapes.h \
	src/collect/gpu/gpu-tool.c src/collect/gpu/gpu-tool.h \
	src/collect/gpu/history.c src/collect/gpu/history.h \
	src/collect/collect.c src/collect/collect.h \
	src/collect/gpu/gpu-collectives.c src/collect/gpu/gpu-collectives.h \
	src/collect/gpu/gpu-communicators.c src/collect/gpu/gpu-communicators.h \
	src/collect/gpu/gpu-idle.c src/collect/gpu/gpu-idle.h \
	src/collect/gpu/gpu-live.c src/collect/gpu/gpu-live.h \
	src/collect/gpu/gpu-order.c src/collect/gpu/gpu-order.h \
	src/collect/gpu/gpu-slices.c src/collect/gpu/gpu-slices.h \
	src/collect/gpu/gpu-spans.c src/collect/gpu/gpu-spans.h \
	src/collect/gpu/gpu-time.c src/collect/gpu/gpu-time.h \
	src/collect/loaded.c src/collect/loaded.h \
	src/collect/io/io-call.c src/collect/io/io-call.h \
	src/collect/io/io-files.c src/collect/io/io-files.h \
	src/collect/io/io-passed.c src/collect/io/io-passed.h \
	src/collect/io/io-times.c src/collect/io/io-times.h \
	src/collect/heap/heap-chance.h \
	src/collect/heap/heap-sample.c src/collect/heap/heap-sample.h \
	src/collect/lock.h src/collect/threads/lock-taken.h \
	src/collect/mpi-process.c \
	src/collect/mpi-world-id.c src/collect/mpi-world-id.h \
	src/collect/python/python-code.c src/collect/python/python-code.h \
	src/collect/python/python-frames.c src/collect/python/python-frames.h \
	src/collect/python/python-gil.c src/collect/python/python-gil.h \
	src/collect/python/python-find.c \
	src/collect/python/python-layout.c src/collect/python/python-layout.h \
	src/collect/python/python-thread-name.c \
	src/collect/regions/caller.c src/collect/regions/caller.h \
	src/collect/regions/region.c src/collect/regions/region.h \
	src/collect/regions/region-callback.c src/collect/regions/region-leave.c \
	src/collect/regions/region-handler.h \
	src/collect/sampling/sample.c src/collect/sampling/sample.h \
	src/collect/threads/omp-late.c src/collect/threads/omp-late.h \
	src/collect/threads/omp-place.c src/collect/threads/omp-place.h \
	src/collect/threads/thread-names.c \
	src/collect/threads/thread-starter.c src/collect/threads/thread-starter.h \
	src/collect/sampling/ticks.c src/collect/sampling/ticks.h \
	src/collect/sampling/timer-signal.c \
	src/collect/sampling/fatal-signal.c src/collect/sampling/fatal-signal.h \
	src/collect/transparency/credentials.c \
	src/collect/transparency/dlsym.c src/collect/transparency/dlsym.h \
	src/collect/transparency/eintr-restart.c src/collect/transparency/eintr-restart.h \
	src/collect/transparency/eintr-waits.c \
	src/collect/transparency/exec.c \
	src/collect/transparency/exec-env.c src/collect/transparency/exec-env.h \
	src/collect/transparency/interpose.c src/collect/transparency/interpose.h \
	src/collect/transparency/leaving.c src/collect/transparency/leaving.h \
	src/collect/transparency/limits.c \
	src/collect/transparency/next.c src/collect/transparency/next.h \
	$(arch_collect) \
	src/collect/transparency/sanitizer.c \
	src/collect/transparency/signals.c \
	src/collect/transparency/syscall-interposer.c \
	src/collect/unwind/loaded-object.c src/collect/unwind/loaded-object.h \
	src/collect/unwind/cfi.c src/collect/unwind/cfi.h \
	src/collect/unwind/safe-read.c src/collect/unwind/safe-read.h \
	src/collect/regions/stamps.c src/collect/regions/stamps.h \
	src/collect/threads/wait-events.c src/collect/threads/wait-events.h
libcollect_a_CFLAGS = $(AM_CFLAGS) -O2 -falign-functions=64
# What the handler needs stands behind the user's flags.
$(libcollect_a_OBJECTS): override CFLAGS += -fno-tree-slp-vectorize

# A fork copies each mapping, and the end of the child takes it down.
few_mappings = -Wl,-z,noseparate-code

# The number grows when a program that was linked with it would no longer run:
# see doc/decisions/packages.md.  The adapters and the command have it under its
# short name.
linkedexec_PROGRAMS += libcopse.so.1
libcopse_so_1_SOURCES =
libcopse_so_1_LDADD = liblive.a libbase.a
EXTRA_libcopse_so_1_DEPENDENCIES = libcollect.a
# What it calls of its own is its own: a program may have functions of the same
# names (Erlang's has a sigaction), which call ours.
libcopse_so_1_LDFLAGS = $(shared_ldflags) -Wl,-z,now -Wl,-z,defs \
	-Wl,--whole-archive,libcollect.a,--no-whole-archive \
	-Wl,-Bsymbolic-functions $(few_mappings)
EXTRA_DIST += src/collect/interposed.list src/collect/abi.list
noinst_DATA += libcopse.so
CLEANFILES += libcopse.so
libcopse.so: libcopse.so.1
	$(AM_V_GEN)ln -sf libcopse.so.1 $@

# Adapters, loaded beside it; Debian wants no run path.
adapter_run_path = '-Wl,-rpath,$$ORIGIN:$$ORIGIN/..'
adapter_ldflags = $(shared_ldflags) \
	-Wl,-z,now -Wl,--no-undefined -Wl,--exclude-libs,ALL $(few_mappings) \
	$(adapter_run_path)

BUILT_SOURCES += src/collect/sources.inc
src/collect/sources.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(SOURCES); do \
		echo "SOURCE($$word)" | tr - _; done >$@
