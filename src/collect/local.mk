pkglib_LTLIBRARIES += libcopse.la
libcopse_la_SOURCES = src/collect/region.h
libcopse_la_LIBADD = libbase.la liblive.la
libcopse_la_LDFLAGS = -module -avoid-version -Wl,--exclude-libs,ALL
