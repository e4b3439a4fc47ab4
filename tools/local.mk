# The one list.  A new command is tools/cmd-NAME.c and its NAME here.
COMMANDS = run recover check completion

bin_PROGRAMS += copse
copse_SOURCES = tools/copse.c tools/parse.c tools/command.h \
	tools/conclude.c tools/conclude.h
copse_SOURCES += \
	tools/cmd-run.c tools/cmd-recover.c tools/cmd-check.c \
	tools/cmd-completion.c
copse_LDADD = libpresent.la libanalyse.la libmerge.la liblaunch.la \
	libprofile.la liblive.la libbase.la

BUILT_SOURCES += tools/commands.inc
tools/commands.inc: Makefile
	@mkdir -p $(@D)
	@$(call registry,COMMAND,$(COMMANDS)) >$@
