# The one list.  A new command is tools/cmd-NAME.c and its word here.
COMMANDS = tools/cmd-run tools/cmd-report tools/cmd-view tools/cmd-gate tools/cmd-export tools/cmd-merge tools/cmd-info \
	tools/cmd-recover tools/cmd-stuck tools/cmd-top tools/cmd-control tools/cmd-attach tools/cmd-check tools/cmd-completion

# copse needs the C library only, since it stays beside each rank ...
run_sources = tools/aftermath.c tools/run-end.h tools/command.h \
	tools/help.c tools/help.h tools/wrap.c \
	tools/no-sample.c tools/parse.c \
	tools/tools.c tools/tools.h
bin_PROGRAMS += copse
copse_SOURCES = tools/copse.c tools/cmd-run.c tools/stack.c \
	$(run_sources)
copse_CFLAGS = $(reader_cflags)
copse_LDFLAGS = $(reader_ldflags)
copse_LDADD = liblaunch.a liblive.a libbase.a

# ... and opens this for all else.
sharedexec_PROGRAMS += libcopse-tools.so
libcopse_tools_so_SOURCES = tools/dispatch.c \
	tools/conclude.c tools/host-look.c tools/host-look.h \
	tools/job-watch.c tools/job-watch.h \
	tools/live-screen.c tools/live-screen.h \
	tools/metrics-file.c tools/metrics-file.h \
	tools/out.c tools/out.h tools/page.c \
	tools/pick.c tools/pick.h \
	tools/offers.c tools/explain.c \
	tools/guess.c tools/foreign-words.def \
	tools/progress.c tools/progress.h tools/show.c tools/show.h \
	tools/view/view-http.h $(run_sources) $(COMMANDS:=.c)
libcopse_tools_so_CFLAGS = $(reader_cflags)
libcopse_tools_so_LDFLAGS = $(reader_ldflags) $(shared_ldflags) \
	-Wl,--exclude-libs,ALL
libcopse_tools_so_LDADD = libcheck.a libformat.a \
	libanalyse.a libfinish.a libattach.a liblaunch.a $(merge_libs) $(format_libs)

BUILT_SOURCES += tools/commands.inc
tools/commands.inc: Makefile
	@mkdir -p $(@D)
	@for c in $(COMMANDS); do c=$${c##*/cmd-}; \
	   echo "COMMAND($$(echo $$c | tr - _))"; done >$@

# What copse help says of a word is what the glossary says.
EXTRA_DIST += doc/glossary.awk
BUILT_SOURCES += tools/glossary.inc
tools/glossary.inc: $(srcdir)/doc/glossary.md $(srcdir)/doc/glossary.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(AWK) -f $(srcdir)/doc/glossary.awk \
		$(srcdir)/doc/glossary.md >$@.tmp
	@mv $@.tmp $@

# Where bash, zsh and fish look for them.
completiondir = $(datadir)/bash-completion/completions
nodist_completion_DATA = tools/completion/copse
zshdir = $(datadir)/zsh/site-functions
nodist_zsh_DATA = tools/completion/_copse
fishdir = $(datadir)/fish/vendor_completions.d
nodist_fish_DATA = tools/completion/copse.fish
tools/completion/copse: copse$(EXEEXT) libcopse-tools.so
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./copse completion bash >$@
tools/completion/_copse: copse$(EXEEXT) libcopse-tools.so
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./copse completion zsh >$@
tools/completion/copse.fish: copse$(EXEEXT) libcopse-tools.so
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./copse completion fish >$@
CLEANFILES += $(nodist_completion_DATA) $(nodist_zsh_DATA) $(nodist_fish_DATA)

# One archive for systems where nothing can be installed: doc/bundle.md.
EXTRA_DIST += tools/bundle.sh
.PHONY: bundle
bundle:
	$(srcdir)/tools/bundle.sh $(srcdir) $(PACKAGE_VERSION)
CLEANFILES += copse-*-x86-64.tar.xz

# The profiles of the tutorial: needs an MPI to be made, and is installed then.
EXTRA_DIST += tools/example.sh
.PHONY: example
example: all
	$(srcdir)/tools/example.sh $(srcdir)/doc/tutorial.md copse$(EXEEXT)

# What is published, and from what packages are made.
EXTRA_DIST += tools/release.sh tools/packages.sh
.PHONY: release packages
release:
	$(srcdir)/tools/release.sh $(srcdir) $(PACKAGE_VERSION)
packages: release
	$(srcdir)/tools/packages.sh $(srcdir) $(PACKAGE_VERSION) $(KINDS)
CLEANFILES += $(PACKAGE)-$(PACKAGE_VERSION).tar.xz*
