# A run: what reports and exports read, and the merge fills in.
noinst_LIBRARIES += librun.a
librun_a_CFLAGS = $(reader_cflags)
librun_a_SOURCES = \
	src/run/call-paths.c src/run/call-paths.h \
	src/run/gatherer.h \
	src/run/packed.h \
	src/run/path-sums.c src/run/path-sums.h \
	src/run/path-sums-file.c \
	src/run/records.c src/run/records.h \
	src/run/run.c src/run/run.h \
	src/run/run-build.h \
	src/run/run.def src/run/run-kinds.def src/run/run-check.c \
	src/run/run-file.c \
	src/run/run-join.c src/run/run-join.h \
	src/run/run-tables.h src/run/waits.def \
	src/run/spill.c src/run/spill.h \
	src/run/split.c src/run/split.def src/run/split.h \
	src/run/split-bins.c src/run/split-bins.h \
	src/run/standstill.c src/run/standstill.h \
	src/run/startup.c src/run/startup.def src/run/startup.h \
	src/run/stats.c \
	src/run/tiles.c src/run/tiles.h \
	src/run/transpose.c \
	src/run/values.c src/run/values.h \
	src/run/values-file.c \
	src/run/values-read.c
