# The names of events: opened by the command, and only when one is asked for.
if PAPI
sharedexec_PROGRAMS += libcopse-papi.so
libcopse_papi_so_SOURCES = src/papi/papi.c
libcopse_papi_so_CPPFLAGS = $(AM_CPPFLAGS) $(PAPI_CFLAGS)
libcopse_papi_so_LDFLAGS = $(RUN_PATH) $(shared_ldflags) -Wl,-z,defs
libcopse_papi_so_LDADD = $(PAPI_LIBS)
endif
