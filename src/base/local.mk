noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	src/base/array.c src/base/array.h \
	src/base/batch.c src/base/batch.h src/base/batch.def \
	src/base/collectives.def \
	src/base/table-rows.def src/base/table-end.def \
	src/base/blob.c src/base/blob.h \
	src/base/program-filter.c src/base/program-filter.h src/base/cores.h \
	src/base/err.c src/base/err.h \
	src/base/file-system.c src/base/file-system.h src/base/file-systems.def \
	src/base/family.h src/base/preload-compat.c src/base/preload-compat.h \
	src/base/gpu-calls.h src/base/golang.c src/base/golang.h \
	src/base/event.c src/base/event.h \
	src/base/perf-attr.c src/base/perf-attr.h \
	src/base/signal-name.c src/base/signal-name.h \
	src/base/event-group.c src/base/event-group.h \
	src/base/share-file.c src/base/share-file.h \
	src/base/launcher.c src/base/launcher.h \
	src/base/hash.h src/base/map.c src/base/map.h src/base/combine.h src/base/comparison.h \
	src/base/spelling.c src/base/spelling.h \
	src/base/numbered.c src/base/numbered.h \
	src/base/install-dir.c \
	src/base/ordered-pool.c src/base/ordered-pool.h \
	src/base/proc.c src/base/proc.h \
	src/base/range-window.c src/base/range-window.h \
	src/base/regular.c src/base/regular.h \
	src/base/settings.c src/base/settings.h src/base/settings.def \
	src/base/str.c src/base/str.h src/base/round.h \
	src/base/timebase.c src/base/timebase.h src/base/tight-limits.h \
	src/base/hidden.h src/base/metric.h src/base/sigsafe.h src/base/sys.h
