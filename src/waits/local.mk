# Who made whom wait.
noinst_LTLIBRARIES += libwaits.la
libwaits_la_CFLAGS = $(reader_cflags)
libwaits_la_SOURCES = \
	src/waits/clock-bounds.c src/waits/clock-bounds.h \
	src/waits/clocks.c src/waits/clocks.h \
	src/waits/match-events.c src/waits/match-events.h \
	src/waits/operations.c src/waits/operations.h \
	src/waits/steps.c src/waits/steps.h src/waits/step-choice.c \
	src/waits/step-choice.h \
	src/waits/time-bins.c src/waits/time-bins.h \
	src/waits/wait-blame.c \
	src/waits/wait-clip.c \
	src/waits/wait-find.c src/waits/wait-find.h
