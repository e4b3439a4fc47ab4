# The one list.  A new exporter is src/present/NAME.c and its word here; the
# first is the default.
EXPORTERS = src/present/text src/present/csv src/present/json \
	src/present/folded src/present/junit

noinst_LTLIBRARIES += libpresent.la
libpresent_la_SOURCES = \
	src/present/exporter.c src/present/exporter.h \
	src/present/utf8.c src/present/utf8.h \
	src/present/draw.c src/present/draw.h \
	src/present/plain.c src/present/plain.h \
	src/present/quote.c src/present/quote.h \
	src/present/alike.c src/present/alike.h \
	src/present/grid.c src/present/grid.h \
	$(EXPORTERS:=.c)
libpresent_la_LIBADD = libanalyse.la

BUILT_SOURCES += src/present/exporters.inc
src/present/exporters.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(EXPORTERS); do \
		echo "EXPORTER($$(basename $$word | tr - _))"; done >$@
