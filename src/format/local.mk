# The one list.  A new format is src/format/NAME.c and its word here, of reports
# or of runs; the first is the default for reports.
FORMATS = src/format/text src/format/csv src/format/json \
	src/format/folded src/format/junit src/format/html src/format/export-nodes \
	src/format/export-ranks src/format/export-values src/format/hatchet \
	src/format/speedscope src/format/pprof src/format/perfetto src/format/otf2

noinst_LTLIBRARIES += libformat.la
libformat_la_CFLAGS = $(reader_cflags) $(ZLIB_CFLAGS) $(OTF2_CFLAGS)
libformat_la_LIBADD = $(ZLIB_LIBS) $(OTF2_LIBS)
libformat_la_SOURCES = \
	src/format/disambiguate.c \
	src/format/draw.c src/format/draw.h \
	src/format/format.c src/format/format.h \
	src/format/frames.c src/format/frames.h \
	src/format/gzip.c src/format/gzip.h \
	src/format/node-sums.c src/format/node-sums.h \
	src/format/number-text.c src/format/number-text.h \
	src/format/operation-index.c src/format/operation-index.h \
	src/format/page-parts.h src/format/page-reports.c src/format/page-run.c \
	src/format/page-sides.c \
	src/format/page-stream.c src/format/page-stream.h \
	src/format/page-strings.c src/format/page-strings.h \
	src/format/page-threads.c \
	src/format/page-time.c \
	src/format/page-tile.c src/format/page-tile.h \
	src/format/page-values.c \
	src/format/perfetto-calls.c src/format/perfetto-calls.h \
	src/format/perfetto-packet.c src/format/perfetto-packet.h \
	src/format/protobuf.c src/format/protobuf.h \
	src/format/quote.c src/format/quote.h \
	src/format/table-layout.c src/format/table-layout.h \
	src/format/utf8.c src/format/utf8.h \
	$(FORMATS:=.c)
if OTF2
libformat_la_SOURCES += src/format/otf2-archive.c src/format/otf2-calls.c \
	src/format/otf2-writer.h
else
libformat_la_SOURCES += src/format/otf2-none.c
endif

BUILT_SOURCES += src/format/formats.inc
src/format/formats.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(FORMATS); do \
		echo "FORMAT($$(basename $$word | tr - _))"; done >$@
