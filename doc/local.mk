# Man pages; tests/rules/docs.sh wants one for each command.
dist_man_MANS += doc/copse.1 doc/copse-attach.1 doc/copse-check.1 doc/copse-completion.1 doc/copse-control.1 \
	doc/copse-export.1 doc/copse-gate.1 \
	doc/copse-info.1 doc/copse-merge.1 doc/copse-recover.1 \
	doc/copse-report.1 doc/copse-run.1 doc/copse-stuck.1 doc/copse-top.1 doc/copse-view.1 \
	doc/copse.3 \
	doc/copse-gpu.7 doc/copse-metrics.7

# Of analyses, by name; those of GPUs are in copse-gpu.7.
dist_man_MANS += doc/copse-report-summary.1 doc/copse-report-split.1 doc/copse-report-diagnose.1 \
	doc/copse-report-hotspots.1 doc/copse-report-tree.1 doc/copse-report-imbalance.1 \
	doc/copse-report-ranks.1 doc/copse-report-processes.1 doc/copse-report-efficiency.1 \
	doc/copse-report-scaling.1 doc/copse-report-diff.1 doc/copse-report-mpi-calls.1 \
	doc/copse-report-matrix.1 doc/copse-report-waits.1 doc/copse-report-counters.1 \
	doc/copse-report-timeline.1 doc/copse-report-iterations.1 doc/copse-report-threads.1 \
	doc/copse-report-loops.1 doc/copse-report-ends.1 doc/copse-report-memory.1 \
	doc/copse-report-io.1 doc/copse-report-measurement.1

# Its list of kinds of waiting is that of waits.def.
man_MANS = doc/copse-waits.7 doc/copse-format.5
EXTRA_DIST += doc/copse-waits.7.in
CLEANFILES += $(man_MANS)
doc/copse-waits.7: doc/copse-waits.7.in src/run/waits.def doc/local.mk
	@mkdir -p $(@D)
	$(AM_V_GEN)sed -n 's/^WAIT([A-Z_]*, "\([^"]*\)".*, "\(.*\)")$$/.It Cm \1\n\2/p' \
		$(srcdir)/src/run/waits.def | sed -e 's/\. /.\n/g; s/×/\\(mu/g' \
		-e 's/ *\(MPI_[A-Za-z_]*\)()\([:,.]*\) */\n.Fn \1 \2\n/g' | \
		sed -e '/^$$/d; s/ *$$//' | \
		sed -e '/^@KINDS@/{r /dev/stdin' -e 'd}' $(srcdir)/doc/copse-waits.7.in >$@

# Its tables are those that the files are written by.
EXTRA_DIST += doc/copse-format.5.in doc/tables.awk
table_sources = $(srcdir)/src/profile/profile.def $(srcdir)/src/run/run.def \
	$(srcdir)/src/run/run-kinds.def $(srcdir)/src/run/waits.def \
	$(srcdir)/src/run/split.def \
	$(srcdir)/src/live/device.def $(srcdir)/src/live/file.def $(srcdir)/src/live/footprint.def \
	$(srcdir)/src/live/limits.def $(srcdir)/src/live/node-kinds.def $(srcdir)/src/live/peer.def \
	$(srcdir)/src/live/power.def $(srcdir)/src/live/process.def $(srcdir)/src/live/range.def \
	$(srcdir)/src/live/shape.def $(srcdir)/src/live/thread.def $(srcdir)/src/live/unified.def
doc/copse-format.5: $(srcdir)/doc/copse-format.5.in $(srcdir)/doc/tables.awk \
		$(table_sources)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(AWK) -v top=$(srcdir) -f $(srcdir)/doc/tables.awk \
		$(srcdir)/doc/copse-format.5.in >$@.tmp
	@mv $@.tmp $@

# They are installed as they lie here, so that their links lead somewhere.
nobase_dist_doc_DATA = README.md CONTRIBUTING.md NEWS COPYING tests/gpu/on-device.md
nobase_dist_doc_DATA += doc/design.md doc/style.md doc/adding.md doc/performance.md \
	doc/bundle.md doc/launchers.md doc/page-format.md doc/security.md doc/glossary.md doc/tutorial.md doc/python.md \
	doc/cluster.md doc/install.md doc/compatibility.md doc/reports.md \
	doc/page-overview.png doc/page-waits.png doc/page-flame.png doc/page-time.png

# A page for each decision, found from doc/design.md.
nobase_dist_doc_DATA += doc/decisions/alt-stack.md doc/decisions/three-clocks.md doc/decisions/sampling-period.md \
	doc/decisions/sample-weights.md doc/decisions/budget.md \
	doc/decisions/short-processes.md doc/decisions/missing-processes.md \
	doc/decisions/wall-time.md doc/decisions/idle-threads.md \
	doc/decisions/context-switches.md doc/decisions/events.md \
	doc/decisions/pauses.md doc/decisions/steering.md
nobase_dist_doc_DATA += doc/decisions/signal-handler.md doc/decisions/aarch64.md doc/decisions/unwinding.md \
	doc/decisions/python.md doc/decisions/unwind-cost.md doc/decisions/safe-reads.md
nobase_dist_doc_DATA += doc/decisions/signal.md doc/decisions/program-sigtrap.md \
	doc/decisions/descriptors.md doc/decisions/interposed-functions.md \
	doc/decisions/dlsym.md doc/decisions/syscall-restart.md \
	doc/decisions/stops.md doc/decisions/longjmp.md \
	doc/decisions/sandboxes.md doc/decisions/preload-compat.md doc/decisions/kernels.md \
	doc/decisions/thread-storage.md doc/decisions/forks.md \
	doc/decisions/time-split.md
nobase_dist_doc_DATA += doc/decisions/mpi-wrappers.md doc/decisions/mpi-fortran.md \
	doc/decisions/mpi-call-cost.md doc/decisions/mpi-polls.md \
	doc/decisions/deferred-receives.md
nobase_dist_doc_DATA += doc/decisions/parallel-regions.md doc/decisions/event-records.md doc/decisions/one-sided.md \
	doc/decisions/wait-states.md doc/decisions/clock-alignment.md
nobase_dist_doc_DATA += doc/decisions/gpu-correlation.md \
	doc/decisions/gpu-call-path.md doc/decisions/gpu-flush.md \
	doc/decisions/gpu-busy-time.md doc/decisions/gpu-idle.md \
	doc/decisions/gpu-ranges.md doc/decisions/gpu-trace.md \
	doc/decisions/gpu-host.md doc/decisions/nccl.md \
	doc/decisions/gpu-memory.md doc/decisions/gpu-occupancy.md \
	doc/decisions/gpu-sampling.md doc/decisions/gpu-sampling-start.md \
	doc/decisions/gpu-sampling-limits.md \
	doc/decisions/gpu-kernel-lines.md doc/decisions/gpu-counters.md doc/decisions/gpu-power.md \
	doc/decisions/gpu-other-tools.md doc/decisions/cupti-versions.md
nobase_dist_doc_DATA += doc/decisions/live-profile.md doc/decisions/many-threads.md doc/decisions/killed-jobs.md \
	doc/decisions/parent-process.md doc/decisions/node-files.md \
	doc/decisions/output-directory.md doc/decisions/other-users.md \
	doc/decisions/foreign-input.md
nobase_dist_doc_DATA += doc/decisions/database.md doc/decisions/streaming-merge.md \
	doc/decisions/compression.md doc/decisions/page-data.md doc/decisions/parallel-merge.md \
	doc/decisions/source-files.md \
	doc/decisions/mpi-jobs.md doc/decisions/symbolization.md \
	doc/decisions/heap.md doc/decisions/locks.md doc/decisions/loops.md
nobase_dist_doc_DATA += doc/decisions/findings.md doc/decisions/confidence.md doc/decisions/efficiencies.md \
	doc/decisions/recoverable.md doc/decisions/cpu-contention.md \
	doc/decisions/comparing-runs.md doc/decisions/exports.md \
	doc/decisions/timeline.md doc/decisions/iterations.md \
	doc/decisions/page.md doc/decisions/page-browser.md \
	doc/decisions/check.md doc/decisions/stuck.md doc/decisions/top.md doc/decisions/attach.md doc/decisions/io.md doc/decisions/alarm.md \
	doc/decisions/viewers.md doc/decisions/python-module.md doc/decisions/memory.md doc/decisions/crashes.md \
	doc/decisions/packages.md

# All of it as a site, in ./site: mkdocs and its theme are wanted for that alone.
EXTRA_DIST += doc/site.sh doc/links.py doc/mkdocs.yml doc/site.css
.PHONY: site
site: $(man_MANS)
	$(srcdir)/doc/site.sh $(srcdir)
install-html-local: site
	$(MKDIR_P) '$(DESTDIR)$(htmldir)'
	cp -r site/. '$(DESTDIR)$(htmldir)'
