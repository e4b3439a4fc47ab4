# The one list.  A new exporter is src/present/NAME.c and its NAME here.
EXPORTERS =

noinst_LTLIBRARIES += libpresent.la
libpresent_la_SOURCES = src/present/exporter.h
libpresent_la_LIBADD = libanalyse.la
