# The one list.  A new analysis is src/analyse/ROOM/NAME.c and its word here; the
# first is the default.
ANALYSES = src/analyse/summary/summary src/analyse/split/split-report \
	src/analyse/diagnose/diagnose src/analyse/paths/hotspots \
	src/analyse/paths/call-tree src/analyse/ranks/imbalance \
	src/analyse/ranks/ranks src/analyse/ranks/process-groups \
	src/analyse/mpi/pop-factors src/analyse/compare/scaling \
	src/analyse/compare/diff src/analyse/mpi/mpi-calls \
	src/analyse/mpi/matrix src/analyse/mpi/wait-report \
	src/analyse/counters/event-counts src/analyse/time/time-strips \
	src/analyse/time/step-table src/analyse/threads/threads \
	src/analyse/paths/loops src/analyse/gpu/gpu-kernels \
	src/analyse/gpu/gpu-api src/analyse/gpu/gpu-transfers \
	src/analyse/gpu/gpu-memory src/analyse/gpu/gpu-devices \
	src/analyse/gpu/gpu-ranges src/analyse/gpu/gpu-trace \
	src/analyse/gpu/gpu-host \
	src/analyse/gpu/idle-causes src/analyse/gpu/gpu-power \
	src/analyse/gpu/nccl-waits src/analyse/gpu/gpu-stalls \
	src/analyse/gpu/kernel-use src/analyse/ends/ends \
	src/analyse/ranks/memory-report src/analyse/io/io-report \
	src/analyse/summary/measurement

# What rules look at, in this order.  A new set is
# src/analyse/diagnose/fact-NAME.c and its word here.
FACT_SETS = src/analyse/diagnose/fact-waits \
	src/analyse/diagnose/fact-calls src/analyse/diagnose/fact-functions \
	src/analyse/diagnose/fact-processes src/analyse/diagnose/fact-regions \
	src/analyse/diagnose/fact-locks src/analyse/diagnose/fact-iterations \
	src/analyse/diagnose/fact-cuda src/analyse/diagnose/fact-gpus \
	src/analyse/diagnose/fact-kernels \
	src/analyse/diagnose/fact-hosts src/analyse/diagnose/fact-memory \
	src/analyse/diagnose/fact-files \
	src/analyse/diagnose/fact-heap

noinst_LIBRARIES += libanalyse.a
libanalyse_a_CFLAGS = $(reader_cflags)
libanalyse_a_SOURCES = \
	src/analyse/base/account.c src/analyse/base/account.h \
	src/analyse/base/analysis.c src/analyse/base/analysis.h \
	src/analyse/base/confidence.c src/analyse/base/confidence.h \
	src/analyse/base/elapsed.c src/analyse/base/elapsed.h \
	src/analyse/base/formula.c src/analyse/base/formula.h \
	src/analyse/base/interpreter.c src/analyse/base/interpreter.h \
	src/analyse/base/measuring.c src/analyse/base/measuring.h \
	src/analyse/base/outlier.c src/analyse/base/outlier.h \
	src/analyse/base/packages.c \
	src/analyse/base/phrase.c src/analyse/base/phrase.h \
	src/analyse/base/processes.c src/analyse/base/processes.h \
	src/analyse/base/python-words.c src/analyse/base/python-words.h \
	src/analyse/base/report.c src/analyse/base/report.h \
	src/analyse/base/unwind-coverage.c \
	src/analyse/base/value.c src/analyse/base/value.h \
	src/analyse/compare/by-rank.c src/analyse/compare/by-rank.h \
	src/analyse/compare/compare.c src/analyse/compare/compare.h \
	src/analyse/compare/gate.c src/analyse/compare/gate.h \
	src/analyse/compare/gate-rule.c src/analyse/compare/gate-rule.h \
	src/analyse/compare/gate-test.c src/analyse/compare/gate-test.h \
	src/analyse/compare/overview-diff.c \
	src/analyse/compare/overview-diff.h \
	src/analyse/compare/path-alike.c \
	src/analyse/compare/path-union.c src/analyse/compare/path-union.h \
	src/analyse/compare/student.c src/analyse/compare/student.h \
	src/analyse/counters/hardware-events.c \
	src/analyse/counters/hardware-events.h \
	src/analyse/diagnose/diagnosis.c src/analyse/diagnose/diagnosis.h \
	src/analyse/diagnose/facts.c src/analyse/diagnose/facts.h \
	src/analyse/diagnose/late-excess.c src/analyse/diagnose/late-excess.h \
	src/analyse/diagnose/rule.c src/analyse/diagnose/rule.h \
	src/analyse/ends/ends.h src/analyse/ends/last-place.c \
	src/analyse/compare/job-metrics.c src/analyse/compare/job-metrics.h \
	src/analyse/compare/recent.c src/analyse/compare/recent.h \
	src/analyse/compare/recent-looks.c \
	src/analyse/compare/recent-looks.h \
	src/analyse/compare/recent-lines.c \
	src/analyse/compare/recent-paths.c \
	src/analyse/compare/recent-summary.c \
	src/analyse/compare/recent-summary.h \
	src/analyse/ends/verdict.c src/analyse/ends/verdict.h \
	src/analyse/ends/wait-graph.c \
	src/analyse/ends/wait-graph.h \
	src/analyse/gpu/awaited-work.c src/analyse/gpu/awaited-work.h \
	src/analyse/gpu/device-use.c src/analyse/gpu/device-use.h \
	src/analyse/gpu/energy.c src/analyse/gpu/energy.h \
	src/analyse/gpu/kernel-counters.c \
	src/analyse/gpu/kernel-counters.h \
	src/analyse/gpu/gpu-busy.c src/analyse/gpu/gpu-busy.h \
	src/analyse/gpu/gpu-findings.h \
	src/analyse/gpu/gpu-held.c src/analyse/gpu/gpu-held.h \
	src/analyse/gpu/gpu-leaks.c \
	src/analyse/gpu/gpu-shapes-table.c \
	src/analyse/gpu/gpu-share.c \
	src/analyse/gpu/gpu-tables.c src/analyse/gpu/gpu-tables.h \
	src/analyse/gpu/gpu-work.c src/analyse/gpu/gpu-work.h \
	src/analyse/gpu/gpu-workers.c src/analyse/gpu/gpu-workers.h \
	src/analyse/gpu/host-bound.c src/analyse/gpu/host-bound.h \
	src/analyse/gpu/host-parts.c src/analyse/gpu/host-parts.def \
	src/analyse/gpu/host-parts.h \
	src/analyse/gpu/host-steps.c src/analyse/gpu/host-steps.h \
	src/analyse/gpu/occupancy.c src/analyse/gpu/occupancy.h \
	src/analyse/gpu/slice-gaps.c \
	src/analyse/gpu/slice-overlap.c \
	src/analyse/gpu/slice-view.c src/analyse/gpu/slice-view.h \
	src/analyse/io/io-bandwidth.c src/analyse/io/io-bandwidth.h \
	src/analyse/io/io-coverage.c src/analyse/io/io-coverage.h \
	src/analyse/io/io-sites.c src/analyse/io/io-sites.h \
	src/analyse/mpi/efficiency.c src/analyse/mpi/efficiency.h \
	src/analyse/mpi/factor-losses.c src/analyse/mpi/factor-losses.h \
	src/analyse/mpi/gpu-factors.c \
	src/analyse/mpi/mpi-callsites.c src/analyse/mpi/mpi-callsites.h \
	src/analyse/mpi/mpi-time.c src/analyse/mpi/mpi-time.h \
	src/analyse/mpi/other-jobs.c src/analyse/mpi/mpi-findings.h \
	src/analyse/mpi/thread-factors.c src/analyse/mpi/thread-factors.h \
	src/analyse/mpi/wait-causes.c src/analyse/mpi/wait-causes.h \
	src/analyse/mpi/wait-findings.c \
	src/analyse/paths/brief.c src/analyse/paths/brief.h \
	src/analyse/paths/dominant-path.c src/analyse/paths/dominant-path.h \
	src/analyse/paths/function-callers.c \
	src/analyse/paths/function-callers.h \
	src/analyse/paths/groups.c src/analyse/paths/groups.h \
	src/analyse/paths/hot-paths.c src/analyse/paths/path-findings.h \
	src/analyse/paths/idle-threads.c src/analyse/paths/idle-threads.h \
	src/analyse/paths/library-use.c src/analyse/paths/library-use.h \
	src/analyse/paths/own-paths.c src/analyse/paths/own-paths.h \
	src/analyse/paths/paths.c src/analyse/paths/paths.h \
	src/analyse/paths/source-lines.c src/analyse/paths/source-lines.h \
	src/analyse/paths/source-open.c \
	src/analyse/paths/std-names.c \
	src/analyse/paths/unnamed.c \
	src/analyse/ranks/heap-table.c \
	src/analyse/ranks/heap-use.c src/analyse/ranks/heap-use.h \
	src/analyse/ranks/memory-use.c src/analyse/ranks/memory-use.h \
	src/analyse/ranks/path-heat.c \
	src/analyse/ranks/path-imbalance.c src/analyse/ranks/path-imbalance.h \
	src/analyse/ranks/path-imbalance-table.c \
	src/analyse/ranks/rank-findings.h \
	src/analyse/ranks/rank-choice.c src/analyse/ranks/rank-choice.h \
	src/analyse/ranks/rank-distribution.c \
	src/analyse/ranks/rank-distribution.h \
	src/analyse/ranks/rank-groups.c src/analyse/ranks/rank-groups.h \
	src/analyse/ranks/uneven-load.c \
	src/analyse/split/cpu-contention.c src/analyse/split/cpu-contention.h \
	src/analyse/split/time-split.c src/analyse/split/time-split.h \
	src/analyse/summary/exit-status.c src/analyse/summary/summary-sentences.h \
	src/analyse/summary/overview.c src/analyse/summary/overview.h \
	src/analyse/summary/split-sentences.c \
	src/analyse/summary/startup-words.c \
	src/analyse/threads/gil.c src/analyse/threads/thread-waits.h \
	src/analyse/threads/lock-waits.c src/analyse/threads/lock-waits.h \
	src/analyse/threads/omp-regions.c src/analyse/threads/omp-regions.h \
	src/analyse/threads/openmp-lost.c \
	src/analyse/threads/thread-kinds.c \
	src/analyse/threads/thread-strips.c \
	src/analyse/time/step-cells.c src/analyse/time/step-cells.h \
	src/analyse/time/step-findings.c src/analyse/time/step-findings.h \
	src/analyse/time/step-grid.c \
	src/analyse/time/step-times.c src/analyse/time/step-times.h \
	src/analyse/time/time-grid.c src/analyse/time/time-grid.h \
	$(FACT_SETS:=.c) \
	$(ANALYSES:=.c)

BUILT_SOURCES += src/analyse/base/analyses.inc
src/analyse/base/analyses.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(ANALYSES); do \
		echo "ANALYSIS($$(basename $$word | tr - _))"; done >$@

BUILT_SOURCES += src/analyse/diagnose/fact-sets.inc
src/analyse/diagnose/fact-sets.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(FACT_SETS); do \
		echo "FACTS($${word##*/fact-})"; done >$@
