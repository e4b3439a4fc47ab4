# The one list.  A new analysis is src/analyse/NAME.c and its NAME here.
ANALYSES =

noinst_LTLIBRARIES += libanalyse.la
libanalyse_la_SOURCES = src/analyse/report.h src/analyse/analysis.h
libanalyse_la_LIBADD = libmerge.la
