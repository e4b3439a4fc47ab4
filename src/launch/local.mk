noinst_LIBRARIES += liblaunch.a
liblaunch_a_CFLAGS = $(reader_cflags)
liblaunch_a_SOURCES = \
	src/launch/alarm.c src/launch/alarm.h \
	src/launch/content.c src/launch/content.h \
	src/launch/core-wait.c src/launch/core-wait.h \
	src/launch/host-lock.c src/launch/host-lock.h \
	src/launch/events.c src/launch/events.h \
	src/launch/harvest.c src/launch/harvest.h \
	src/launch/host-marks.c src/launch/host-marks.h \
	src/launch/inquiry.c src/launch/inquiry.h \
	src/launch/job.c src/launch/job.h \
	src/launch/job-end.c \
	src/launch/live-run.c src/launch/live-run.h \
	src/launch/steer.c src/launch/steer.h \
	src/launch/livedir.c src/launch/livedir.h \
	src/launch/memory-limits.c src/launch/memory-limits.h \
	src/launch/memory-pages.c src/launch/memory-pages.h \
	src/launch/memory-watch.c src/launch/memory-watch.h \
	src/launch/program-name.c \
	src/launch/power-meter.c src/launch/power-meter.h \
	src/launch/power-loop.c src/launch/power-loop.h \
	src/launch/power-readings.c \
	src/launch/power-watch.c \
	src/launch/nvml.c src/launch/nvml.h \
	src/launch/output.c src/launch/output.h \
	src/launch/output-name.c \
	src/launch/parent.c src/launch/parent.h \
	src/launch/perf.c src/launch/perf.h \
	src/launch/power-file.c src/launch/power-file.h \
	src/launch/preload.c src/launch/preload.h \
	src/launch/process.c src/launch/process.h \
	src/launch/program.c src/launch/program.h \
	src/launch/signal-origin.c src/launch/signal-origin.h \
	src/launch/thread-report.c src/launch/thread-report.h \
	src/launch/thread-state.c src/launch/thread-state.h

# What writes profiles: not for the parent, which has the C library alone.
noinst_LIBRARIES += libfinish.a
libfinish_a_CFLAGS = $(reader_cflags)
libfinish_a_SOURCES = \
	src/launch/finish.c \
	src/launch/node-output.c src/launch/node-output.h
