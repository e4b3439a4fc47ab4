# The one list.  A new command is tools/cmd-NAME.c and its word here.
COMMANDS = tools/cmd-run tools/cmd-report tools/cmd-gate tools/cmd-export tools/cmd-merge tools/cmd-info \
	tools/cmd-recover tools/cmd-check tools/cmd-completion

bin_PROGRAMS += copse
copse_SOURCES = tools/copse.c tools/parse.c tools/command.h \
	tools/conclude.c tools/conclude.h tools/merge-job.c tools/merge-job.h \
	tools/no-sample.c tools/no-sample.h \
	tools/page.c tools/page.h \
	tools/progress.c tools/progress.h tools/show.c tools/show.h \
	tools/stack.c tools/stack.h \
	$(COMMANDS:=.c)
copse_LDADD = libdoctor.la libexport.la libpresent.la libanalyse.la libmerge.la liblaunch.la \
	libprofile.la liblive.la libbase.la

BUILT_SOURCES += tools/commands.inc
tools/commands.inc: Makefile
	@mkdir -p $(@D)
	@for c in $(COMMANDS); do c=$${c##*/cmd-}; \
	   echo "COMMAND($$(echo $$c | tr - _))"; done >$@

completiondir = $(datadir)/bash-completion/completions
nodist_completion_DATA = tools/completion/copse
tools/completion/copse: copse$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./copse completion bash >$@
CLEANFILES += tools/completion/copse
