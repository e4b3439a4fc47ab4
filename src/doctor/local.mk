# What `copse check` asks.  A new question is a row of probes.def and its
# function in the file of its group.
noinst_LTLIBRARIES += libdoctor.la
libdoctor_la_SOURCES = \
	src/doctor/doctor.c src/doctor/doctor.h src/doctor/probes.def \
	src/doctor/ask.c src/doctor/ask.h \
	src/doctor/ask-system.c src/doctor/ask-clock.c \
	src/doctor/ask-counters.c src/doctor/ask-papi.c \
	src/doctor/ask-events.c \
	src/doctor/ask-mpi.c src/doctor/ask-gpu.c \
	src/doctor/ask-files.c src/doctor/ask-trial.c
libdoctor_la_LIBADD = liblaunch.la
