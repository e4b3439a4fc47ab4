# The one list.  A new analysis is src/analyse/NAME.c and its word here; the
# first is the default.
ANALYSES = src/analyse/summary src/analyse/split/split-report \
	src/analyse/diagnose/diagnose src/analyse/hotspots src/analyse/call-tree \
	src/analyse/imbalance src/analyse/ranks src/analyse/process-groups src/analyse/mpi/pop-factors \
	src/analyse/compare/scaling src/analyse/compare/diff src/analyse/mpi/mpi-calls \
	src/analyse/mpi/matrix src/analyse/mpi/wait-report src/analyse/event-counts \
	src/analyse/time-strips src/analyse/step-table src/analyse/threads \
	src/analyse/loops src/analyse/gpu/gpu-kernels src/analyse/gpu/gpu-api \
	src/analyse/gpu/gpu-transfers src/analyse/gpu/gpu-memory \
	src/analyse/gpu/gpu-devices src/analyse/gpu/idle-causes \
	src/analyse/gpu/gpu-power src/analyse/gpu/gpu-stalls \
	src/analyse/measurement

# What rules look at, in this order.  A new set is
# src/analyse/diagnose/fact-NAME.c and its word here.
FACT_SETS = src/analyse/diagnose/fact-waits src/analyse/diagnose/fact-calls \
	src/analyse/diagnose/fact-functions src/analyse/diagnose/fact-processes \
	src/analyse/diagnose/fact-regions src/analyse/diagnose/fact-locks \
	src/analyse/diagnose/fact-iterations src/analyse/diagnose/fact-cuda \
	src/analyse/diagnose/fact-gpus

noinst_LTLIBRARIES += libanalyse.la
libanalyse_la_CFLAGS = $(reader_cflags)
libanalyse_la_SOURCES = \
	src/analyse/account.c src/analyse/account.h \
	src/analyse/analysis.c src/analyse/analysis.h \
	src/analyse/brief.c src/analyse/brief.h \
	src/analyse/library-use.c src/analyse/library-use.h \
	src/analyse/split/split-sentences.c src/analyse/split/split-sentences.h \
	src/analyse/split/time-split.c src/analyse/split/time-split.h \
	src/analyse/std-names.c src/analyse/std-names.h \
	src/analyse/compare/by-rank.c src/analyse/compare/by-rank.h \
	src/analyse/compare/compare.c src/analyse/compare/compare.h \
	src/analyse/compare/gate.c src/analyse/compare/gate.h \
	src/analyse/compare/gate-rule.c src/analyse/compare/gate-rule.h \
	src/analyse/compare/gate-test.c src/analyse/compare/gate-test.h \
	src/analyse/compare/overview-diff.c src/analyse/compare/overview-diff.h \
	src/analyse/compare/path-alike.c src/analyse/compare/path-alike.h \
	src/analyse/compare/path-union.c src/analyse/compare/path-union.h \
	src/analyse/compare/student.c src/analyse/compare/student.h \
	src/analyse/confidence.c src/analyse/confidence.h \
	src/analyse/cpu-contention.c \
	$(FACT_SETS:=.c) \
	src/analyse/diagnose/diagnosis.c src/analyse/diagnose/diagnosis.h \
	src/analyse/diagnose/facts.c src/analyse/diagnose/facts.h \
	src/analyse/diagnose/late-excess.c src/analyse/diagnose/late-excess.h \
	src/analyse/diagnose/rule.c src/analyse/diagnose/rule.h \
	src/analyse/dominant-path.c src/analyse/dominant-path.h \
	src/analyse/elapsed.c src/analyse/elapsed.h \
	src/analyse/exit-status.c \
	src/analyse/findings.c src/analyse/findings.h \
	src/analyse/formula.c src/analyse/formula.h \
	src/analyse/gpu/energy.c src/analyse/gpu/energy.h \
	src/analyse/gpu/gpu-busy.c src/analyse/gpu/gpu-busy.h \
	src/analyse/gpu/gpu-factors.c \
	src/analyse/gpu/gpu-held.c src/analyse/gpu/gpu-held.h \
	src/analyse/gpu/gpu-leaks.c \
	src/analyse/gpu/gpu-shapes-table.c \
	src/analyse/gpu/gpu-share.c \
	src/analyse/gpu/gpu-tables.c src/analyse/gpu/gpu-tables.h \
	src/analyse/gpu/gpu-work.c src/analyse/gpu/gpu-work.h \
	src/analyse/gpu/occupancy.c src/analyse/gpu/occupancy.h \
	src/analyse/function-callers.c src/analyse/function-callers.h \
	src/analyse/gil.c src/analyse/gil.h \
	src/analyse/groups.c src/analyse/groups.h \
	src/analyse/hardware-events.c src/analyse/hardware-events.h \
	src/analyse/hot-paths.c src/analyse/hot-paths.h \
	src/analyse/idle-threads.c src/analyse/idle-threads.h \
	src/analyse/thread-strips.c src/analyse/thread-strips.h \
	src/analyse/interpreter.c src/analyse/interpreter.h \
	src/analyse/measuring.c \
	src/analyse/mpi/efficiency.c src/analyse/mpi/efficiency.h \
	src/analyse/mpi/mpi-callsites.c src/analyse/mpi/mpi-callsites.h \
	src/analyse/mpi/mpi-time.c src/analyse/mpi/mpi-time.h \
	src/analyse/mpi/factor-losses.c src/analyse/mpi/factor-losses.h \
	src/analyse/mpi/thread-factors.c src/analyse/mpi/thread-factors.h \
	src/analyse/mpi/other-jobs.c \
	src/analyse/mpi/wait-causes.c src/analyse/mpi/wait-causes.h \
	src/analyse/mpi/wait-findings.c \
	src/analyse/openmp-lost.c src/analyse/openmp-lost.h \
	src/analyse/lock-waits.c src/analyse/lock-waits.h \
	src/analyse/omp-regions.c src/analyse/omp-regions.h \
	src/analyse/outlier.c src/analyse/outlier.h \
	src/analyse/overview.c src/analyse/overview.h \
	src/analyse/own-paths.c src/analyse/own-paths.h \
	src/analyse/packages.c src/analyse/packages.h \
	src/analyse/path-heat.c src/analyse/path-heat.h \
	src/analyse/path-imbalance.c src/analyse/path-imbalance.h \
	src/analyse/path-imbalance-table.c src/analyse/path-imbalance-table.h \
	src/analyse/paths.c src/analyse/paths.h \
	src/analyse/python-words.c src/analyse/python-words.h \
	src/analyse/phrase.c src/analyse/phrase.h \
	src/analyse/process-groups.h \
	src/analyse/processes.c src/analyse/processes.h \
	src/analyse/rank-choice.c src/analyse/rank-choice.h \
	src/analyse/rank-distribution.c src/analyse/rank-distribution.h \
	src/analyse/rank-groups.c src/analyse/rank-groups.h \
	src/analyse/report.c src/analyse/report.h \
	src/analyse/source-lines.c src/analyse/source-lines.h \
	src/analyse/source-open.c src/analyse/source-open.h \
	src/analyse/step-cells.c src/analyse/step-cells.h \
	src/analyse/step-findings.c src/analyse/step-findings.h \
	src/analyse/step-grid.c src/analyse/step-grid.h \
	src/analyse/step-times.c src/analyse/step-times.h \
	src/analyse/time-grid.c src/analyse/time-grid.h \
	src/analyse/thread-kinds.c src/analyse/thread-kinds.h \
	src/analyse/unnamed.c src/analyse/unnamed.h \
	src/analyse/unwind-coverage.c src/analyse/unwind-coverage.h \
	src/analyse/value.c src/analyse/value.h \
	$(ANALYSES:=.c)

BUILT_SOURCES += src/analyse/analyses.inc
src/analyse/analyses.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(ANALYSES); do \
		echo "ANALYSIS($$(basename $$word | tr - _))"; done >$@

BUILT_SOURCES += src/analyse/diagnose/fact-sets.inc
src/analyse/diagnose/fact-sets.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(FACT_SETS); do \
		echo "FACTS($${word##*/fact-})"; done >$@
