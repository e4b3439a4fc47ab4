noinst_LTLIBRARIES += libmerge.la
libmerge_la_SOURCES = \
	src/merge/blame.c \
	src/merge/build.h \
	src/merge/call-paths.c src/merge/call-paths.h \
	src/merge/clock-bounds.c src/merge/clock-bounds.h \
	src/merge/clocks.c src/merge/clocks.h \
	src/merge/copies.c src/merge/copies.h \
	src/merge/cubin-lines.c src/merge/cubin-lines.h \
	src/merge/gpu-lines.c src/merge/gpu-lines.h \
	src/merge/devices.c src/merge/devices.h \
	src/merge/entry.c src/merge/entry.h \
	src/merge/loop-code.h \
	src/merge/loop-nest.c src/merge/loop-nest.h \
	src/merge/main-name.c \
	src/merge/merge.c \
	src/merge/mpi-jobs.c src/merge/mpi-jobs.h \
	src/merge/naming.c \
	src/merge/gather.c src/merge/gather.h \
	src/merge/facts-file.c src/merge/facts-file.h \
	src/merge/gpu-facts.c src/merge/gpu-facts.h src/merge/run-facts.h \
	src/merge/inputs.c src/merge/inputs.h \
	src/merge/merging.h \
	src/merge/pack.h src/merge/run-pack.c src/merge/unify-pack.c \
	src/merge/packed.h \
	src/merge/path-sums.c src/merge/path-sums.h src/merge/path-sums-file.c \
	src/merge/power-sums.c src/merge/power-sums.h src/merge/power-tables.c src/merge/run-power.h \
	src/merge/ranges.c src/merge/ranges.h \
	src/merge/records.c src/merge/records.h \
	src/merge/reduce.c src/merge/reduce.h \
	src/merge/run.c src/merge/run.h \
	src/merge/run-file.c src/merge/run-calls.h src/merge/run-gpu.h src/merge/run-waits.h \
	src/merge/spill.c src/merge/spill.h \
	src/merge/stats.c \
	src/merge/symbol.c src/merge/symbol.h \
	src/merge/symbol-cache.c src/merge/symbol-cache.h \
	src/merge/symbol-dwarf.c src/merge/symbol-elf.c \
	src/merge/symbol-file.h src/merge/symbol-loops.c \
	src/merge/symbol-open.c \
	src/merge/symbol-readable.c src/merge/symbol-remote.c \
	src/merge/tiles.c src/merge/tiles.h \
	src/merge/timeline.c src/merge/timeline.h \
	src/merge/team.h \
	src/merge/traffic.c src/merge/traffic.h \
	src/merge/transpose.c \
	src/merge/values.c src/merge/values.h \
	src/merge/values-file.c src/merge/values-read.c \
	src/merge/values-team.c src/merge/values-team.h \
	src/merge/wait-bounds.c \
	src/merge/waiting.c src/merge/waiting.h \
	src/merge/work.c src/merge/work.h \
	src/merge/unify.c src/merge/unify.h src/merge/unify-tree.h
if CAPSTONE
libmerge_la_SOURCES += src/merge/loop-code.c
else
libmerge_la_SOURCES += src/merge/loop-code-none.c
endif
if ZSTD
libmerge_la_SOURCES += src/merge/symbol-zstd.c
else
libmerge_la_SOURCES += src/merge/symbol-no-zstd.c
endif
libmerge_la_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS) $(ZSTD_CFLAGS) $(CAPSTONE_CFLAGS)
libmerge_la_LIBADD = libprofile.la $(DW_LIBS) $(ZSTD_LIBS) $(CAPSTONE_LIBS) -liberty -lpthread -lm
