# Who made whom wait.
noinst_LTLIBRARIES += libwaits.la
libwaits_la_CFLAGS = $(reader_cflags)
libwaits_la_SOURCES = \
	src/waits/clock-bounds.c src/waits/clock-bounds.h \
	src/waits/clocks.c src/waits/clocks.h \
	src/waits/match-events.c src/waits/match-events.h \
	src/waits/wait-blame.c \
	src/waits/wait-clip.c \
	src/waits/wait-find.c src/waits/wait-find.h \
	src/waits/timeline/operations.c src/waits/timeline/operations.h \
	src/waits/timeline/step-choice.c src/waits/timeline/step-choice.h \
	src/waits/timeline/steps.c src/waits/timeline/steps.h \
	src/waits/timeline/time-bins.c src/waits/timeline/time-bins.h
