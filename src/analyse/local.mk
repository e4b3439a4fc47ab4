# The one list.  A new analysis is src/analyse/NAME.c and its word here; the
# first is the default.
ANALYSES = src/analyse/summary src/analyse/hotspots src/analyse/call-tree \
	src/analyse/imbalance src/analyse/ranks src/analyse/pop-factors \
	src/analyse/scaling src/analyse/diff src/analyse/mpi-calls \
	src/analyse/matrix src/analyse/waits src/analyse/event-counts \
	src/analyse/loops src/analyse/gpu-kernels src/analyse/gpu-api \
	src/analyse/gpu-transfers src/analyse/gpu-memory \
	src/analyse/gpu-devices src/analyse/idle-causes \
	src/analyse/gpu-power src/analyse/gpu-stalls

noinst_LTLIBRARIES += libanalyse.la
libanalyse_la_SOURCES = \
	src/analyse/report.c src/analyse/report.h \
	src/analyse/analysis.c src/analyse/analysis.h \
	src/analyse/formula.c src/analyse/formula.h \
	src/analyse/value.c src/analyse/value.h \
	src/analyse/paths.c src/analyse/paths.h \
	src/analyse/groups.c src/analyse/groups.h \
	src/analyse/skew.c src/analyse/skew.h \
	src/analyse/sites.c src/analyse/sites.h \
	src/analyse/gpu-held.c src/analyse/gpu-held.h \
	src/analyse/gpu-leaks.c \
	src/analyse/elapsed.c src/analyse/elapsed.h \
	src/analyse/unnamed.c src/analyse/unnamed.h \
	src/analyse/energy.c src/analyse/energy.h \
	src/analyse/gpu-shapes-table.c src/analyse/gpu-shapes-table.h \
	src/analyse/occupancy.c src/analyse/occupancy.h \
	src/analyse/gpu-busy.c src/analyse/gpu-busy.h \
	src/analyse/gpu-factors.c \
	src/analyse/interpreter.c src/analyse/interpreter.h \
	src/analyse/mainly.c src/analyse/mainly.h \
	src/analyse/gpu-tables.c src/analyse/gpu-tables.h \
	src/analyse/gpu-share.c src/analyse/gpu-work.c src/analyse/gpu-work.h \
	src/analyse/mpi-time.c src/analyse/mpi-time.h \
	src/analyse/outlier.c src/analyse/outlier.h \
	src/analyse/shape.c src/analyse/shape.h \
	src/analyse/skew-table.c src/analyse/skew-table.h \
	src/analyse/path-union.c src/analyse/path-union.h \
	src/analyse/path-alike.c src/analyse/path-alike.h \
	src/analyse/student.c src/analyse/student.h \
	src/analyse/compare.c src/analyse/compare.h \
	src/analyse/by-rank.c src/analyse/by-rank.h \
	src/analyse/gate.c src/analyse/gate.h \
	src/analyse/gate-rule.c src/analyse/gate-rule.h \
	src/analyse/gate-test.c src/analyse/gate-test.h \
	src/analyse/efficiency.c src/analyse/efficiency.h \
	src/analyse/complete.c src/analyse/complete.h \
	src/analyse/idle-threads.c src/analyse/idle-threads.h \
	src/analyse/findings.c src/analyse/findings.h \
	src/analyse/confidence.c src/analyse/confidence.h \
	src/analyse/blames.c src/analyse/blames.h \
	src/analyse/ends.c src/analyse/other-jobs.c \
	src/analyse/crowded.c src/analyse/measuring.c src/analyse/waited.c \
	$(ANALYSES:=.c)
libanalyse_la_LIBADD = libmerge.la

BUILT_SOURCES += src/analyse/analyses.inc
src/analyse/analyses.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(ANALYSES); do \
		echo "ANALYSIS($$(basename $$word | tr - _))"; done >$@
