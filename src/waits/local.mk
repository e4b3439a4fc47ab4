# Who made whom wait.
WAIT_GATHERERS = src/waits/match-events src/waits/timeline/steps \
	src/waits/timeline/time-bins src/waits/device-waits \
	src/waits/device-slices

noinst_LIBRARIES += libwaits.a
libwaits_a_CFLAGS = $(reader_cflags)
libwaits_a_SOURCES = \
	src/waits/clock-bounds.c src/waits/clock-bounds.h \
	src/waits/clocks.c src/waits/clocks.h \
	src/waits/device-slices.h src/waits/device-waits.h src/waits/match-events.h \
	src/waits/wait-blame.c \
	src/waits/wait-clip.c \
	src/waits/wait-find.c src/waits/wait-find.h \
	src/waits/waits.c src/waits/waits.h \
	src/waits/timeline/operations.c src/waits/timeline/time-bins.h \
	src/waits/timeline/step-choice.c src/waits/timeline/steps.h \
	$(WAIT_GATHERERS:=.c)
