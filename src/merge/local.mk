noinst_LTLIBRARIES += libmerge.la
libmerge_la_SOURCES = src/merge/run.h
libmerge_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(DW_CFLAGS)
libmerge_la_LIBADD = libprofile.la $(HDF5_LIBS) $(DW_LIBS) -liberty
