# Everything of libcopse.so, for the unit tests too.
noinst_LTLIBRARIES += libcollect.la
libcollect_la_SOURCES = \
	src/collect/again.c src/collect/again.h \
	src/collect/cfi.c src/collect/cfi.h \
	src/collect/clock.c src/collect/clock.h \
	src/collect/collect.c src/collect/collect.h \
	src/collect/counters.c src/collect/counters.h \
	src/collect/descriptor.c src/collect/descriptor.h \
	src/collect/control.c src/collect/control.h \
	src/collect/doors.c src/collect/doors.h src/collect/exec.c \
	src/collect/fitting.c src/collect/fitting.h \
	src/collect/gpu.c src/collect/gpu.h \
	src/collect/gpu-live.c src/collect/gpu-live.h \
	src/collect/gpu-allocs.c src/collect/gpu-allocs.h \
	src/collect/gpu-notes.h \
	src/collect/gpu-shapes.c src/collect/gpu-shapes.h \
	src/collect/gpu-pcs.c src/collect/gpu-pcs.h \
	src/collect/gpu-idle.c src/collect/gpu-idle.h \
	src/collect/gpu-order.c src/collect/gpu-order.h \
	src/collect/gpu-sums.h \
	src/collect/gpu-tool.c src/collect/gpu-tool.h \
	src/collect/gpu-time.c src/collect/gpu-time.h \
	src/collect/history.c src/collect/history.h \
	src/collect/held.c src/collect/held.h \
	src/collect/interpose.c src/collect/interpose.h \
	src/collect/known.h src/collect/lock.h src/collect/region.c src/collect/region.h \
	src/collect/credentials.c src/collect/limits.c \
	src/collect/loaded.c src/collect/loaded.h \
	src/collect/look-up.c src/collect/look-up.h \
	src/collect/pace.c src/collect/pace.h \
	src/collect/parts.c src/collect/parts.h \
	src/collect/polls.c src/collect/polls.h \
	src/collect/site.c src/collect/site.h \
	src/collect/ticks.c src/collect/ticks.h \
	src/collect/peek.c src/collect/peek.h src/collect/phase.c \
	src/collect/range.c src/collect/range.h \
	src/collect/registry.c src/collect/registry.h \
	src/collect/restart.c src/collect/restart.h \
	src/collect/sample.c src/collect/sanitizer.c \
	src/collect/sent.c src/collect/sent.h \
	src/collect/signals.c \
	src/collect/thread.c src/collect/thread.h \
	src/collect/time.c src/collect/time.h \
	src/collect/unwind.c src/collect/unwind.h \
	src/collect/world.c src/collect/world.h
libcollect_la_CFLAGS = $(AM_CFLAGS) -O2 -fno-stack-protector \
	-fno-tree-slp-vectorize -falign-functions=64
libcollect_la_LIBADD = liblive.la libbase.la

pkglib_LTLIBRARIES += libcopse.la
libcopse_la_SOURCES =
libcopse_la_LIBADD = libcollect.la
# What it calls of its own is its own: a program may have functions of the same
# names (Erlang's has a sigaction), which call ours.
libcopse_la_LDFLAGS = -module -avoid-version -Wl,-z,now -Wl,-z,defs \
	-Wl,-Bsymbolic-functions
EXTRA_DIST += src/collect/interposed.list

# Adapters, loaded beside it.  By its file, not as libcopse.la: libtool links a
# library that needs one of the same tree again as it installs it, and while it
# does, programs run from the build folder find no adapter.
adapter_ldflags = -module -avoid-version \
	-Wl,-z,now -Wl,--no-undefined -Wl,--exclude-libs,ALL \
	-Wl,.libs/libcopse.so '-Wl,-rpath,$$ORIGIN'
adapter_needs = libcopse.la
