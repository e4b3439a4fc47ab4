noinst_LTLIBRARIES += libprofile.la
libprofile_la_CFLAGS = $(reader_cflags)
libprofile_la_SOURCES = \
	src/profile/store/extent.h \
	src/profile/metric-group.c src/profile/metric-group.h \
	src/profile/profile.c src/profile/profile.def src/profile/profile.h \
	src/profile/rank-file.c \
	src/profile/live/from-live.c \
	src/profile/live/live-device.c \
	src/profile/live/live-end.c \
	src/profile/live/live-gpu.c \
	src/profile/live/live-gpu-tables.c \
	src/profile/live/live-lines.c \
	src/profile/live/live-mpi.c \
	src/profile/live/live-pcs.c \
	src/profile/live/live-pieces.c \
	src/profile/live/live-power.c \
	src/profile/live/live-reader.h \
	src/profile/live/live-steps.c \
	src/profile/live/python-lines.c src/profile/live/python-lines.h \
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
libprofile_la_SOURCES += src/profile/store/compress-libdeflate.c
else
libprofile_la_SOURCES += src/profile/store/compress-zlib.c
endif
if ISAL
libprofile_la_SOURCES += src/profile/store/compress-isal.c
else
libprofile_la_SOURCES += src/profile/store/compress-no-isal.c
endif
libprofile_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(LIBDEFLATE_CFLAGS) $(ISAL_CFLAGS)
libprofile_la_LIBADD = $(HDF5_LIBS) $(LIBDEFLATE_LIBS) $(ISAL_LIBS) $(ZLIB_LIBS)
