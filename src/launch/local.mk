noinst_LTLIBRARIES += liblaunch.la
liblaunch_la_SOURCES =
liblaunch_la_LIBADD = libprofile.la
