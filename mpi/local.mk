# PMPI wrappers, one library for each MPI, from the same sources: the only code
# that sees mpi.h.  The program's handles and functions are looked up, so
# nothing of MPI is linked.  The frame pointer leads from a wrapper to its
# caller.  All the wrappers are in gates.inc and wrappers.inc, made from one
# table.
EXTRA_DIST += mpi/functions.tbl mpi/row.awk mpi/wrap.awk mpi/gates.awk

mpi_sources = mpi/wrappers.c mpi/lifecycle.c mpi/lifecycle.h mpi/bytes.h \
	mpi/arrays.h mpi/trampolines.c mpi/trampolines.h mpi/versions.h \
	mpi/fortran.c mpi/fortran.h \
	mpi/libmpi.c mpi/libmpi.h mpi/comms.c mpi/comms.h mpi/handles.c \
	mpi/handles.h mpi/hash.h mpi/messages.c mpi/messages.h \
	mpi/epochs.c mpi/epochs.h mpi/neighbours.c mpi/neighbours.h \
	mpi/open-calls.c mpi/open-calls.h \
	mpi/deferred-receives.c mpi/deferred-receives.h mpi/mpi-events.c mpi/mpi-events.h mpi/requests.c mpi/requests.h \
	mpi/types.c mpi/types.h mpi/windows.c mpi/windows.h \
	mpi/openmpi.h mpi/mpich.h
mpi_cflags = $(AM_CFLAGS) -fno-omit-frame-pointer -fno-plt \
	-fno-tree-slp-vectorize -falign-functions=64

mpi/wrappers.inc: $(srcdir)/mpi/functions.tbl $(srcdir)/mpi/row.awk \
		$(srcdir)/mpi/wrap.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(AWK) -f $(srcdir)/mpi/row.awk -f $(srcdir)/mpi/wrap.awk \
		$(srcdir)/mpi/functions.tbl >$@.tmp
	@mv $@.tmp $@
mpi/openmpi/mpi/gates.inc mpi/mpich/mpi/gates.inc: mpi/%/mpi/gates.inc: \
		$(srcdir)/mpi/functions.tbl $(srcdir)/mpi/row.awk \
		$(srcdir)/mpi/gates.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(AWK) -v mpi=$* -f $(srcdir)/mpi/row.awk \
		-f $(srcdir)/mpi/gates.awk $(srcdir)/mpi/functions.tbl >$@.tmp
	@mv $@.tmp $@

if OPENMPI
pkglib_LTLIBRARIES += libcopse-mpi-openmpi.la
libcopse_mpi_openmpi_la_SOURCES = $(mpi_sources)
nodist_libcopse_mpi_openmpi_la_SOURCES = mpi/wrappers.inc \
	mpi/openmpi/mpi/gates.inc
libcopse_mpi_openmpi_la_CPPFLAGS = -Impi/openmpi $(AM_CPPFLAGS) \
	$(OPENMPI_CFLAGS) -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 \
	-DMPI_LIBRARY='"mpi/openmpi.h"'
libcopse_mpi_openmpi_la_CFLAGS = $(mpi_cflags)
libcopse_mpi_openmpi_la_LDFLAGS = $(adapter_ldflags)
EXTRA_libcopse_mpi_openmpi_la_DEPENDENCIES = $(adapter_needs)
BUILT_SOURCES += mpi/wrappers.inc mpi/openmpi/mpi/gates.inc
endif

if MPICH
pkglib_LTLIBRARIES += libcopse-mpi-mpich.la
libcopse_mpi_mpich_la_SOURCES = $(mpi_sources)
nodist_libcopse_mpi_mpich_la_SOURCES = mpi/wrappers.inc \
	mpi/mpich/mpi/gates.inc
libcopse_mpi_mpich_la_CPPFLAGS = -Impi/mpich $(AM_CPPFLAGS) \
	$(MPICH_CFLAGS) -DMPI_LIBRARY='"mpi/mpich.h"'
libcopse_mpi_mpich_la_CFLAGS = $(mpi_cflags)
libcopse_mpi_mpich_la_LDFLAGS = $(adapter_ldflags)
EXTRA_libcopse_mpi_mpich_la_DEPENDENCIES = $(adapter_needs)
BUILT_SOURCES += mpi/wrappers.inc mpi/mpich/mpi/gates.inc
endif
