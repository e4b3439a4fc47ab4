# What `copse check` asks.  A new question is a row of probes.def and its
# function in the file of its group.
noinst_LIBRARIES += libcheck.a
libcheck_a_CFLAGS = $(reader_cflags)
libcheck_a_SOURCES = \
	src/check/check.c src/check/check.h src/check/probes.def \
	src/check/probe.c src/check/probe.h \
	src/check/probe-system.c src/check/probe-clock.c \
	src/check/probe-counters.c src/check/probe-papi.c \
	src/check/probe-events.c \
	src/check/probe-mpi.c src/check/probe-gpu.c \
	src/check/probe-files.c src/check/probe-trial.c
nodist_libcheck_a_SOURCES = src/check/unwrapped.inc
BUILT_SOURCES += src/check/unwrapped.inc
