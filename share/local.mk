# Groups of events.  A new one is share/events/NAME.ev and its word here.
EVENT_GROUPS = software ipc cache branch memory

groupsdir = $(datadir)/copse/events
dist_groups_DATA = $(EVENT_GROUPS:%=share/events/%.ev)

# Copies for a command that is not installed yet, which looks beside itself.
noinst_DATA += events/here
events/here: $(dist_groups_DATA)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)for name in $(EVENT_GROUPS); do \
		cp -f $(srcdir)/share/events/$$name.ev $(@D) || exit; done
	@touch $@
CLEANFILES += events/here $(EVENT_GROUPS:%=events/%.ev)

# Rules of copse report diagnose.  A new one is share/rules/NAME.rule and its
# word here.
RULES = rotating chain serial-section uneven-load late-sender late-receiver \
	needless-barrier polling small-messages split-collectives \
	growing-collective chance-delays copies starting patterns pickling \
	memory-bound python-computes \
	array-sections page-faults context-switches \
	uneven-threads small-regions contended-lock \
	slow-iterations unsteady-rank drift start-and-end \
	gpu-allocation-in-loop small-copies low-bandwidth long-copies \
	needless-synchronisation launch-bound launch-bound-graphs host-bound \
	loader-bound gpu-imbalance few-blocks fp32-matrix unfused \
	low-occupancy \
	short-memory uneven-memory growing-memory allocation-churn \
	small-requests random-reads metadata sync-in-loop rereading rewriting \
	one-writer uneven-file independent-io

rulesdir = $(datadir)/copse/rules
dist_rules_DATA = $(RULES:%=share/rules/%.rule)
noinst_DATA += rules/here
rules/here: $(dist_rules_DATA)
	@$(MKDIR_P) $(@D)
	@rm -f $(@D)/*.rule
	$(AM_V_GEN)for name in $(RULES); do \
		cp -f $(srcdir)/share/rules/$$name.rule $(@D) || exit; done
	@touch $@
CLEANFILES += rules/here $(RULES:%=rules/%.rule)

# Sentences of copse stuck.  A new one is share/rules/stuck/NAME.rule and its
# word here.
STUCK_RULES = absent arrived begin begin-late begun child circle circle-of-sends collective-io communicator \
	ended finished file-lock file-system gil gpu instead killed mutex nccl-arrived nccl-instead nccl-rank \
	nobody openmp polls \
	rank receive roots send sleep spawn stopped system-call target window-lock

stuckrulesdir = $(rulesdir)/stuck
dist_stuckrules_DATA = $(STUCK_RULES:%=share/rules/stuck/%.rule)
noinst_DATA += rules/stuck/here
rules/stuck/here: $(dist_stuckrules_DATA)
	@$(MKDIR_P) $(@D)
	@rm -f $(@D)/*.rule
	$(AM_V_GEN)for name in $(STUCK_RULES); do \
		cp -f $(srcdir)/share/rules/stuck/$$name.rule $(@D) || exit; \
		done
	@touch $@
CLEANFILES += rules/stuck/here $(STUCK_RULES:%=rules/stuck/%.rule)

# The page that -f html fills in: one file of these modules, in the order in
# which they need each other.  A new one is share/page/NAME.js and its word here.
PAGE_MODULES = dom units stream selection live model paths tree colour svg flame strip \
	grid table split time-grid timeline time-slice view-start view-flame view-hot view-ranks \
	view-mpi view-threads roof view-gpu slices view-streams view-time view-steps view-source views main
page_modules = $(PAGE_MODULES:%=share/page/%.js)
page_sources = $(page_modules) share/page/page.css share/page/page.html \
	share/page/unpack.js share/page/join.awk share/page/fill.awk

pagedir = $(datadir)/copse/page
nodist_page_DATA = page/page.html
EXTRA_DIST += $(page_sources) share/page/package.json
CLEANFILES += page/page.js page/page.min.js page/page.min.css page/unpack.js \
	page/page.html
page/page.html: $(page_sources)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)cd $(srcdir) && $(AWK) -f share/page/join.awk \
		$(page_modules) >$(abs_builddir)/page/page.js
	@sed '/^\/\//d; s/^export //' $(srcdir)/share/page/unpack.js >page/unpack.js
	@$(MINIFY) page/page.js >page/page.min.js
	@$(MINIFY) $(srcdir)/share/page/page.css >page/page.min.css
	@$(AWK) -v css=page/page.min.css -v code=page/page.min.js \
		-v unpack=page/unpack.js -f $(srcdir)/share/page/fill.awk $(srcdir)/share/page/page.html >$@.tmp
	@mv $@.tmp $@

# What -f json prints.
schemadir = $(datadir)/copse
dist_schema_DATA = share/report.schema.json

# The job script, and the module, which is named after the version.
slurmdir = $(datadir)/copse/slurm
dist_slurm_SCRIPTS = share/slurm/copse.sbatch share/slurm/copse-prolog.sh \
	share/slurm/copse-epilog.sh

# The Python module.  tables.py, the tables of run.h5, is made of what writes them.
pythonmodule = share/python/copse/__init__.py share/python/copse/store.py \
	share/python/copse/tree.py
pythonmoduledir = $(datadir)/copse/python/copse
dist_pythonmodule_DATA = $(pythonmodule)
nodist_pythonmodule_DATA = python/copse/tables.py
EXTRA_DIST += share/python/setup.py share/python/tables.awk
python/copse/tables.py: $(srcdir)/share/python/tables.awk \
		$(srcdir)/doc/tables.awk $(table_sources)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(AWK) -v top=$(srcdir) -f $(srcdir)/doc/tables.awk \
		-f $(srcdir)/share/python/tables.awk /dev/null >$@.tmp
	@mv $@.tmp $@
noinst_DATA += python/copse/here
python/copse/here: $(pythonmodule) python/copse/tables.py
	$(AM_V_GEN)for file in $(pythonmodule); do \
		cp -f $(srcdir)/$$file $(@D) || exit; done
	@touch $@

# What Grafana shows of `copse top --metrics`.
grafanadir = $(datadir)/copse/grafana
dist_grafana_DATA = share/grafana/copse-jobs.json
EXTRA_DIST += share/modulefiles/copse.in share/modulefiles/copse.lua.in
moduledir = $(datadir)/modulefiles/copse
install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(moduledir)'
	lib='$(libdir)' && for kind in '' .lua; do \
		sed -e 's|[@]VERSION[@]|$(PACKAGE_VERSION)|' \
			-e 's|[@]prefix[@]|$(prefix)|' \
			-e "s|[@]lib[@]|$${lib#'$(prefix)/'}|" \
			"$(srcdir)/share/modulefiles/copse$$kind.in" \
			>"$(DESTDIR)$(moduledir)/$(PACKAGE_VERSION)$$kind" || exit; \
	done
	! test -d example/heat.copse || \
		{ $(MKDIR_P) '$(DESTDIR)$(docdir)' && \
		cp -R example '$(DESTDIR)$(docdir)'; }
uninstall-local:
	rm -rf '$(DESTDIR)$(docdir)/example'
	rm -f '$(DESTDIR)$(moduledir)/$(PACKAGE_VERSION)' \
		'$(DESTDIR)$(moduledir)/$(PACKAGE_VERSION).lua'
	rm -rf '$(DESTDIR)$(pythonmoduledir)/__pycache__'

# For who makes packages: doc/decisions/packages.md.
EXTRA_DIST += $(DEBIAN:%=share/packages/debian/%)
DEBIAN = changelog control copse-doc.install copse.install copse.links copyright \
	libcopse-dev.install libcopse1.install libcopse1.symbols not-installed \
	rules source/format tests/control tests/link tests/python \
	tests/tutorial tests/tutorial-mpich tests/tutorial-openmpi watch
EXTRA_DIST += share/packages/rpm/copse.spec share/packages/spack/copse/package.py \
	share/packages/easybuild/copse-0.1.0-GCC-13.3.0.eb \
	share/packages/conda/recipe.yaml

# For programs that link libcopse: pkg-config copse.
EXTRA_DIST += share/copse.pc.in
pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = copse.pc

# What is loaded is not executed.
install-exec-hook:
	cd '$(DESTDIR)$(libdir)' && chmod 644 $(linkedexec_PROGRAMS) && \
		ln -sf libcopse.so.1 libcopse.so
	cd '$(DESTDIR)$(pkglibdir)' && chmod 644 $(sharedexec_PROGRAMS) && \
		ln -sf ../libcopse.so.1 libcopse.so
uninstall-hook:
	rm -f '$(DESTDIR)$(libdir)/libcopse.so' '$(DESTDIR)$(pkglibdir)/libcopse.so'
