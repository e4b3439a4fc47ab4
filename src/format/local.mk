# The one list.  A new format is src/format/NAME.c and its word here, of reports
# or of runs; the first is the default for reports.
FORMATS = src/format/terminal/text src/format/csv src/format/json \
	src/format/export/folded src/format/junit src/format/page/html \
	src/format/export/export-nodes src/format/export/export-ranks \
	src/format/export/export-values src/format/export/hatchet \
	src/format/export/speedscope src/format/export/pprof \
	src/format/export/perfetto src/format/export/otf2 \
	src/format/export/darshan src/format/export/export-ncu

noinst_LIBRARIES += libformat.a
libformat_a_CFLAGS = $(reader_cflags) $(ZLIB_CFLAGS) $(OTF2_CFLAGS)
format_libs = $(ZLIB_LIBS) $(OTF2_LIBS)
libformat_a_SOURCES = \
	src/format/format.c src/format/format.h \
	src/format/number-text.c src/format/number-text.h \
	src/format/quote.c src/format/quote.h \
	src/format/utf8.c src/format/utf8.h \
	src/format/export/frames.c src/format/export/frames.h \
	src/format/export/gzip.c src/format/export/gzip.h \
	src/format/export/node-sums.c src/format/export/node-sums.h \
	src/format/export/otf2-write.h \
	src/format/export/operation-index.c \
	src/format/export/operation-index.h \
	src/format/export/perfetto-calls.c src/format/export/perfetto-calls.h \
	src/format/export/perfetto-packet.c \
	src/format/export/perfetto-packet.h \
	src/format/export/perfetto-slices.c \
	src/format/export/perfetto-slices.h \
	src/format/export/protobuf.c src/format/export/protobuf.h \
	src/format/page/page-parts.h \
	src/format/page/page-reports.c \
	src/format/page/page-run.c \
	src/format/page/page-sides.c \
	src/format/page/page-slices.c \
	src/format/page/page-stream.c src/format/page/page-stream.h \
	src/format/page/page-strings.c src/format/page/page-strings.h \
	src/format/page/page-threads.c \
	src/format/page/page-tile.c src/format/page/page-tile.h \
	src/format/page/page-time.c \
	src/format/page/page-values.c \
	src/format/terminal/disambiguate.c \
	src/format/terminal/draw.c src/format/terminal/draw.h \
	src/format/terminal/table-layout.c src/format/terminal/table-layout.h \
	$(FORMATS:=.c)
if OTF2
libformat_a_SOURCES += src/format/export/otf2-archive.c \
	src/format/export/otf2-calls.c src/format/export/otf2-writer.h
else
libformat_a_SOURCES += src/format/export/otf2-none.c
endif

BUILT_SOURCES += src/format/formats.inc
src/format/formats.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(FORMATS); do \
		echo "FORMAT($$(basename $$word | tr - _))"; done >$@
