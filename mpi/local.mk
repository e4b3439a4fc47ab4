# PMPI wrappers, one library for each MPI: the only code that sees mpi.h.
# The program's handles and functions are looked up, so nothing of MPI is
# linked.  The frame pointer leads from a wrapper to its caller.
EXTRA_DIST += mpi/functions.tbl mpi/wrap.awk

if OPENMPI
pkglib_LTLIBRARIES += libcopse-mpi-openmpi.la
libcopse_mpi_openmpi_la_SOURCES = \
	mpi/wrappers.c mpi/special.c mpi/bytes.h \
	mpi/next.c mpi/next.h mpi/comms.c mpi/comms.h mpi/handles.c \
	mpi/handles.h mpi/hash.h mpi/messages.c mpi/messages.h \
	mpi/notes.c mpi/notes.h mpi/requests.c mpi/requests.h \
	mpi/types.c mpi/types.h
nodist_libcopse_mpi_openmpi_la_SOURCES = mpi/wrappers.inc
libcopse_mpi_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CFLAGS)
libcopse_mpi_openmpi_la_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer
libcopse_mpi_openmpi_la_LDFLAGS = -module -avoid-version \
	-Wl,-z,now -Wl,--no-undefined -Wl,--exclude-libs,ALL
libcopse_mpi_openmpi_la_LIBADD = libcopse.la

BUILT_SOURCES += mpi/wrappers.inc
mpi/wrappers.inc: $(srcdir)/mpi/functions.tbl $(srcdir)/mpi/wrap.awk
	@mkdir -p $(@D)
	$(AM_V_GEN)$(AWK) -f $(srcdir)/mpi/wrap.awk \
		$(srcdir)/mpi/functions.tbl >$@.tmp
	@mv $@.tmp $@
endif
