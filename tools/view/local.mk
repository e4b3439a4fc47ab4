# HTTP, for copse view alone.
if MICROHTTPD
sharedexec_PROGRAMS += libcopse-view.so
libcopse_view_so_SOURCES = tools/view/view-http.c tools/view/view-http.h
libcopse_view_so_CPPFLAGS = $(AM_CPPFLAGS) $(MICROHTTPD_CFLAGS)
libcopse_view_so_CFLAGS = $(reader_cflags)
libcopse_view_so_LDFLAGS = $(reader_ldflags) $(shared_ldflags) -Wl,-z,defs
libcopse_view_so_LDADD = $(MICROHTTPD_LIBS)
endif
