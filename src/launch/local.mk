noinst_LTLIBRARIES += liblaunch.la
liblaunch_la_SOURCES = \
	src/launch/desk.c src/launch/desk.h \
	src/launch/events.c src/launch/events.h \
	src/launch/harvest.c src/launch/harvest.h \
	src/launch/host-marks.c src/launch/host-marks.h \
	src/launch/job.c src/launch/job.h \
	src/launch/livedir.c src/launch/livedir.h \
	src/launch/node-output.c src/launch/node-output.h \
	src/launch/output.c src/launch/output.h \
	src/launch/output-name.c src/launch/output-name.h \
	src/launch/parent.c src/launch/parent.h \
	src/launch/perf.c src/launch/perf.h \
	src/launch/preload.c src/launch/preload.h \
	src/launch/process.c src/launch/process.h \
	src/launch/program.c src/launch/program.h \
	src/launch/sentinel.c src/launch/sentinel.h
liblaunch_la_LIBADD = libprofile.la
