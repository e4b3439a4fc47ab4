# The one list.  A new command is tools/cmd-NAME.c and its word here.
COMMANDS = tools/cmd-run tools/cmd-report tools/cmd-gate tools/cmd-export tools/cmd-merge tools/cmd-info \
	tools/cmd-recover tools/cmd-check tools/cmd-completion

bin_PROGRAMS += copse
copse_SOURCES = tools/copse.c tools/parse.c tools/command.h \
	tools/conclude.c tools/conclude.h tools/merge-job.c tools/merge-job.h \
	tools/page.c tools/page.h \
	tools/progress.c tools/progress.h tools/show.c tools/show.h \
	$(COMMANDS:=.c)
copse_LDADD = libdoctor.la libexport.la libpresent.la libanalyse.la libmerge.la liblaunch.la \
	libprofile.la liblive.la libbase.la

# What copse merge becomes in an MPI job: one for each MPI.
merge_sources = tools/merge-mpi.c tools/cmd-merge.c tools/command.h \
	tools/merge-job.c tools/merge-job.h tools/parse.c \
	tools/progress.c tools/progress.h
merge_libs = libmerge.la liblaunch.la libprofile.la liblive.la libbase.la
if OPENMPI
pkglibexec_PROGRAMS += copse-merge-openmpi
copse_merge_openmpi_SOURCES = $(merge_sources)
copse_merge_openmpi_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CFLAGS)
copse_merge_openmpi_LDADD = $(merge_libs) $(OPENMPI_LIBS)
endif
if MPICH
pkglibexec_PROGRAMS += copse-merge-mpich
copse_merge_mpich_SOURCES = $(merge_sources)
copse_merge_mpich_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CFLAGS)
copse_merge_mpich_LDADD = $(merge_libs) $(MPICH_LIBS)
endif

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
