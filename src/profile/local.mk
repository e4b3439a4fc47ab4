noinst_LTLIBRARIES += libprofile.la
libprofile_la_SOURCES = src/profile/profile.h
libprofile_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
libprofile_la_LIBADD = liblive.la libbase.la $(HDF5_LIBS)
