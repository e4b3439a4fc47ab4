# The one list, in their order: see run/gatherer.h.  A new one is
# src/merge/NAME.c, and its word here.
GATHERERS = src/merge/losses src/merge/thread-times src/merge/identity \
	src/merge/mpi-traffic src/merge/last-calls src/merge/thread-groups \
	src/merge/merge-gpu-tables src/merge/devices src/merge/power-sums \
	src/merge/footprints src/merge/file-records src/merge/io-hosts

# Rank files become a run.
noinst_LIBRARIES += libmerge.a
libmerge_a_CFLAGS = $(reader_cflags)
libmerge_a_SOURCES = \
	src/merge/duplicate-files.c \
	src/merge/fresh.c \
	src/merge/gatherers.c src/merge/gatherers.h \
	src/merge/gpu-lines.c \
	src/merge/inputs.c src/merge/inputs.h \
	src/merge/main-name.c \
	src/merge/merge.c src/merge/merge.h \
	src/merge/merge-gpu-tables.h \
	src/merge/merging.h \
	src/merge/mpi-jobs.c \
	src/merge/openmp.c src/merge/openmp.h \
	src/merge/process-role.c \
	src/merge/launch-ranks.c \
	src/merge/run-processes.c src/merge/run-processes.h \
	src/merge/symbolize.c \
	src/merge/thread-count.c src/merge/thread-count.h \
	src/merge/timeline.c src/merge/timeline.h \
	src/merge/unify.c src/merge/unify.h \
	src/merge/unify-tree.h \
	$(GATHERERS:=.c)
# The merge and all that it is made of, each before what it needs.
merge_libs = libmerge.a libwaits.a librun.a libsymbol.a libprofile.a \
	liblive.a libbase.a $(symbol_libs) $(profile_libs) -lpthread -lm

BUILT_SOURCES += src/merge/gatherers.inc
src/merge/gatherers.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(WAIT_GATHERERS) $(GATHERERS); do \
		echo "GATHERER($$(basename $$word | tr - _))"; done >$@
