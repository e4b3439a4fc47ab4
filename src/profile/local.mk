noinst_LTLIBRARIES += libprofile.la
libprofile_la_SOURCES = \
	src/profile/deflate.c src/profile/deflate.h \
	src/profile/from-live.c \
	src/profile/live-gpu.c src/profile/live-facts.c src/profile/live-pcs.c \
	src/profile/live-mpi.c src/profile/live-reader.h \
	src/profile/live-device.c \
	src/profile/live-pieces.c src/profile/live-power.c \
	src/profile/metric-group.c src/profile/metric-group.h \
	src/profile/node-file.c src/profile/node-file.h \
	src/profile/piece.h \
	src/profile/profile.c src/profile/profile.h \
	src/profile/profile-facts.h \
	src/profile/rank-facts.c src/profile/rank-facts.h \
	src/profile/rank-file.c \
	src/profile/shortcut.c src/profile/shortcut.h \
	src/profile/squeeze.h \
	src/profile/store.c src/profile/store.h
if LIBDEFLATE
libprofile_la_SOURCES += src/profile/squeeze-libdeflate.c
else
libprofile_la_SOURCES += src/profile/squeeze-zlib.c
endif
if ISAL
libprofile_la_SOURCES += src/profile/squeeze-isal.c
else
libprofile_la_SOURCES += src/profile/squeeze-no-isal.c
endif
libprofile_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(LIBDEFLATE_CFLAGS) $(ISAL_CFLAGS)
libprofile_la_LIBADD = liblive.la libbase.la $(HDF5_LIBS) $(LIBDEFLATE_LIBS) $(ISAL_LIBS) $(ZLIB_LIBS)
