# The names of events: opened by the command, and only when one is asked for.
if PAPI
pkglib_LTLIBRARIES += libcopse-papi.la
libcopse_papi_la_SOURCES = src/papi/papi.c
libcopse_papi_la_CPPFLAGS = $(AM_CPPFLAGS) $(PAPI_CFLAGS)
libcopse_papi_la_LDFLAGS = $(RUN_PATH) -module -avoid-version -Wl,-z,defs
libcopse_papi_la_LIBADD = $(PAPI_LIBS)
endif
