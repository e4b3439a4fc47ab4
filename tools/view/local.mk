# HTTP, for copse view alone.
if MICROHTTPD
pkglib_LTLIBRARIES += libcopse-view.la
libcopse_view_la_SOURCES = tools/view/view-http.c tools/view/view-http.h
libcopse_view_la_CPPFLAGS = $(AM_CPPFLAGS) $(MICROHTTPD_CFLAGS)
libcopse_view_la_CFLAGS = $(reader_cflags)
libcopse_view_la_LDFLAGS = $(reader_ldflags) -module -avoid-version -Wl,-z,defs
libcopse_view_la_LIBADD = $(MICROHTTPD_LIBS)
endif
