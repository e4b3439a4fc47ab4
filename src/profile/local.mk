# What a live profile is read by.  A new section is its file, which defines
# section_NAME (live-reader.h), and its word here.
LIVE_SECTIONS = \
	src/profile/live/live-identity src/profile/live/live-metrics \
	src/profile/live/live-nodes src/profile/live/live-mpi \
	src/profile/live/live-steps src/profile/live/live-gpu \
	src/profile/live/live-gpu-tables src/profile/live/live-pcs \
	src/profile/live/live-collectives src/profile/live/live-ranges \
	src/profile/live/live-slices src/profile/live/live-files \
	src/profile/live/live-io-times \
	src/profile/live/live-device src/profile/live/live-power \
	src/profile/live/live-footprint src/profile/live/live-heap \
	src/profile/live/live-end

noinst_LIBRARIES += libprofile.a
libprofile_a_CFLAGS = $(reader_cflags)
libprofile_a_SOURCES = \
	src/profile/store/extent.h \
	src/profile/metric-group.c src/profile/metric-group.h \
	src/profile/profile.c src/profile/profile.def src/profile/profile.h \
	src/profile/rank-file.c \
	src/profile/live/from-live.c \
	$(LIVE_SECTIONS:=.c) \
	src/profile/live/live-lines.c \
	src/profile/live/live-pieces.c \
	src/profile/live/live-reader.c src/profile/live/live-reader.h \
	src/profile/live/python-lines.c \
	src/profile/steps/step-loops.c \
	src/profile/steps/step-pattern.c src/profile/steps/step-pattern.h \
	src/profile/store/compress.h \
	src/profile/store/deflate.c src/profile/store/deflate.h \
	src/profile/store/node-file.c src/profile/store/node-file.h \
	src/profile/store/store.c src/profile/store/store.h \
	src/profile/store/store-columns.c \
	src/profile/store/store-inside.h \
	src/profile/store/store-records.c \
	src/profile/store/store-tables.c \
	src/profile/store/toc.c src/profile/store/toc.h
if LIBDEFLATE
libprofile_a_SOURCES += src/profile/store/compress-libdeflate.c
else
libprofile_a_SOURCES += src/profile/store/compress-zlib.c
endif
if ISAL
libprofile_a_SOURCES += src/profile/store/compress-isal.c
else
libprofile_a_SOURCES += src/profile/store/compress-no-isal.c
endif
libprofile_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(LIBDEFLATE_CFLAGS) $(ISAL_CFLAGS)
profile_libs = $(HDF5_LIBS) $(LIBDEFLATE_LIBS) $(ISAL_LIBS) $(ZLIB_LIBS)

BUILT_SOURCES += src/profile/live/live-sections.inc
src/profile/live/live-sections.inc: Makefile
	@mkdir -p $(@D)
	$(AM_V_GEN)for word in $(LIVE_SECTIONS); do \
		echo "LIVE_SECTION($${word##*/live-})" | tr - _; done >$@
