noinst_LTLIBRARIES += libprofile.la
libprofile_la_CFLAGS = $(reader_cflags)
libprofile_la_SOURCES = \
	src/profile/deflate.c src/profile/deflate.h \
	src/profile/from-live.c \
	src/profile/live-gpu.c src/profile/live-gpu-tables.c src/profile/live-pcs.c \
	src/profile/live-lines.c src/profile/live-mpi.c src/profile/live-reader.h \
	src/profile/live-device.c src/profile/live-end.c \
	src/profile/live-pieces.c src/profile/live-power.c \
	src/profile/live-steps.c src/profile/step-pattern.c src/profile/step-pattern.h \
	src/profile/step-loops.c \
	src/profile/metric-group.c src/profile/metric-group.h \
	src/profile/node-file.c src/profile/node-file.h \
	src/profile/extent.h \
	src/profile/profile.c src/profile/profile.h src/profile/profile.def \
	src/profile/python-lines.c src/profile/python-lines.h \
	src/profile/rank-file.c \
	src/profile/toc.c src/profile/toc.h \
	src/profile/compress.h \
	src/profile/store.c src/profile/store.h src/profile/store-inside.h \
	src/profile/store-columns.c src/profile/store-records.c \
	src/profile/store-tables.c
if LIBDEFLATE
libprofile_la_SOURCES += src/profile/compress-libdeflate.c
else
libprofile_la_SOURCES += src/profile/compress-zlib.c
endif
if ISAL
libprofile_la_SOURCES += src/profile/compress-isal.c
else
libprofile_la_SOURCES += src/profile/compress-no-isal.c
endif
libprofile_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(LIBDEFLATE_CFLAGS) $(ISAL_CFLAGS)
libprofile_la_LIBADD = $(HDF5_LIBS) $(LIBDEFLATE_LIBS) $(ISAL_LIBS) $(ZLIB_LIBS)
