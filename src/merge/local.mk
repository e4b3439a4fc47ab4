# Rank files become a run.  It brings what it is made of.
noinst_LTLIBRARIES += libmerge.la
libmerge_la_CFLAGS = $(reader_cflags)
libmerge_la_SOURCES = \
	src/merge/devices.c src/merge/devices.h \
	src/merge/duplicate-files.c src/merge/duplicate-files.h \
	src/merge/fresh.c \
	src/merge/gpu-lines.c \
	src/merge/inputs.c src/merge/inputs.h \
	src/merge/main-name.c \
	src/merge/merge.c \
	src/merge/merge-gpu-tables.c src/merge/merge-gpu-tables.h \
	src/merge/merging.h \
	src/merge/mpi-jobs.c \
	src/merge/mpi-traffic.c src/merge/mpi-traffic.h \
	src/merge/openmp.c src/merge/openmp.h \
	src/merge/power-sums.c src/merge/power-sums.h \
	src/merge/process-role.c \
	src/merge/run-processes.c src/merge/run-processes.h \
	src/merge/symbolize.c \
	src/merge/thread-count.c src/merge/thread-count.h \
	src/merge/thread-groups.c src/merge/thread-groups.h \
	src/merge/thread-times.c src/merge/thread-times.h \
	src/merge/timeline.c src/merge/timeline.h \
	src/merge/unify.c src/merge/unify.h \
	src/merge/unify-tree.h
libmerge_la_LIBADD = libwaits.la librun.la libsymbol.la -lpthread -lm
