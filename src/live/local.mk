noinst_LTLIBRARIES += liblive.la
liblive_la_SOURCES = \
	src/live/layout.c src/live/layout.h src/live/metrics.def \
	src/live/losses.def
