noinst_LTLIBRARIES += libexport.la
libexport_la_SOURCES = \
	src/export/export.c src/export/export.h \
	src/export/sums.c src/export/sums.h \
	src/export/tables.c src/export/tables.h \
	src/export/hatchet.c src/export/hatchet.h
libexport_la_LIBADD = libpresent.la
