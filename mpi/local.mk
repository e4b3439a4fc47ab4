# PMPI wrappers, one library for each MPI, from the same sources: the only code
# that sees mpi.h.  The program's handles and functions are looked up, so
# nothing of MPI is linked.  The frame pointer leads from a wrapper to its
# caller.  All the wrappers are in gates.inc and functions.inc, made from one
# table.
EXTRA_DIST += mpi/functions.tbl mpi/prototypes.awk mpi/row.awk mpi/wrap.awk \
	mpi/gates.awk mpi/declare.awk mpi/unwrapped.awk mpi/abi/mpi.h

mpi_sources = mpi/wrappers.c mpi/lifecycle.c mpi/lifecycle.h mpi/bytes.h \
	mpi/arrays.h mpi/trampolines.c mpi/trampolines.h \
	mpi/fortran.c mpi/fortran.h \
	mpi/libmpi.c mpi/libmpi.h mpi/comms.c mpi/comms.h mpi/handles.c \
	mpi/handles.h mpi/messages.c mpi/messages.h \
	mpi/epochs.c mpi/epochs.h mpi/neighbours.c mpi/neighbours.h \
	mpi/open-calls.c mpi/open-calls.h \
	mpi/deferred-receives.c mpi/deferred-receives.h mpi/mpi-events.c mpi/mpi-events.h mpi/requests.c mpi/requests.h \
	mpi/types.c mpi/types.h mpi/windows.c mpi/windows.h \
	mpi/openmpi.h mpi/mpich.h mpi/abi.h
mpi_cflags = $(AM_CFLAGS) -fno-omit-frame-pointer -fno-plt \
	-fno-tree-slp-vectorize -falign-functions=64

# What each mpi.h declares.  It may be another after an upgrade: configure again.
openmpi_flags = $(OPENMPI_CFLAGS) -DOMPI_OMIT_MPI1_COMPAT_DECLS=0
mpich_flags = $(MPICH_CFLAGS)
abi_flags = -Impi/abi -I$(srcdir)/mpi/abi
mpi/abi/mpi/prototypes.txt: $(srcdir)/mpi/abi/mpi.h mpi/abi/mpi/declared.h
mpi/abi/mpi/declared.h: $(srcdir)/mpi/functions.tbl $(srcdir)/mpi/declare.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(AWK) -f $(srcdir)/mpi/declare.awk \
		$(srcdir)/mpi/functions.tbl >$@.tmp
	@mv $@.tmp $@
mpi_prototypes = $(mpis:%=mpi/%/mpi/prototypes.txt)
BUILT_SOURCES += $(mpis:%=mpi/%/mpi/functions.inc) $(mpis:%=mpi/%/mpi/gates.inc)
CLEANFILES += $(mpi_prototypes) mpi/abi/mpi/declared.h
$(mpi_prototypes): mpi/%/mpi/prototypes.txt: $(srcdir)/mpi/prototypes.awk \
		config.status
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)echo '#include <mpi.h>' | \
		$(CC) -E -P $($*_flags) -x c - | \
		$(AWK) -f $(srcdir)/mpi/prototypes.awk >$@.tmp
	@mv $@.tmp $@
$(mpi_prototypes:prototypes.txt=functions.inc): mpi/%/mpi/functions.inc: \
		mpi/%/mpi/prototypes.txt $(srcdir)/mpi/functions.tbl \
		$(srcdir)/mpi/row.awk $(srcdir)/mpi/wrap.awk
	$(AM_V_GEN)$(AWK) -f $(srcdir)/mpi/row.awk -f $(srcdir)/mpi/wrap.awk \
		$(@D)/prototypes.txt $(srcdir)/mpi/functions.tbl >$@.tmp
	@mv $@.tmp $@
$(mpi_prototypes:prototypes.txt=gates.inc): mpi/%/mpi/gates.inc: \
		mpi/%/mpi/prototypes.txt $(srcdir)/mpi/functions.tbl \
		$(srcdir)/mpi/row.awk $(srcdir)/mpi/gates.awk
	$(AM_V_GEN)$(AWK) -v mpi=$* -f $(srcdir)/mpi/row.awk \
		-f $(srcdir)/mpi/gates.awk $(@D)/prototypes.txt \
		$(srcdir)/mpi/functions.tbl >$@.tmp
	@mv $@.tmp $@

# Functions of installed libraries that are not wrapped, for copse check.
src/check/unwrapped.inc: $(mpi_prototypes) $(srcdir)/mpi/functions.tbl \
		$(srcdir)/mpi/row.awk $(srcdir)/mpi/unwrapped.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)for mpi in $(mpis); do \
		$(AWK) -v mpi=$$mpi -f $(srcdir)/mpi/row.awk \
			-f $(srcdir)/mpi/unwrapped.awk \
			mpi/$$mpi/mpi/prototypes.txt \
			$(srcdir)/mpi/functions.tbl || exit; \
	done >$@.tmp
	@mv $@.tmp $@

mpis = abi
sharedexec_PROGRAMS += libcopse-mpi-abi.so
libcopse_mpi_abi_so_SOURCES = $(mpi_sources)
nodist_libcopse_mpi_abi_so_SOURCES = mpi/abi/mpi/functions.inc \
	mpi/abi/mpi/gates.inc mpi/abi/mpi/declared.h
libcopse_mpi_abi_so_CPPFLAGS = $(abi_flags) $(AM_CPPFLAGS) \
	-DMPI_LIBRARY='"mpi/abi.h"'
libcopse_mpi_abi_so_CFLAGS = $(mpi_cflags)
libcopse_mpi_abi_so_LDFLAGS = $(adapter_ldflags)
libcopse_mpi_abi_so_LDADD = libcopse.so

if OPENMPI
mpis += openmpi
sharedexec_PROGRAMS += libcopse-mpi-openmpi.so
libcopse_mpi_openmpi_so_SOURCES = $(mpi_sources)
nodist_libcopse_mpi_openmpi_so_SOURCES = mpi/openmpi/mpi/functions.inc \
	mpi/openmpi/mpi/gates.inc
libcopse_mpi_openmpi_so_CPPFLAGS = -Impi/openmpi $(AM_CPPFLAGS) \
	$(openmpi_flags) -DMPI_LIBRARY='"mpi/openmpi.h"'
libcopse_mpi_openmpi_so_CFLAGS = $(mpi_cflags)
libcopse_mpi_openmpi_so_LDFLAGS = $(adapter_ldflags)
libcopse_mpi_openmpi_so_LDADD = libcopse.so
endif

if MPICH
mpis += mpich
sharedexec_PROGRAMS += libcopse-mpi-mpich.so
libcopse_mpi_mpich_so_SOURCES = $(mpi_sources)
nodist_libcopse_mpi_mpich_so_SOURCES = mpi/mpich/mpi/functions.inc \
	mpi/mpich/mpi/gates.inc
libcopse_mpi_mpich_so_CPPFLAGS = -Impi/mpich $(AM_CPPFLAGS) \
	$(mpich_flags) -DMPI_LIBRARY='"mpi/mpich.h"'
libcopse_mpi_mpich_so_CFLAGS = $(mpi_cflags)
libcopse_mpi_mpich_so_LDFLAGS = $(adapter_ldflags)
libcopse_mpi_mpich_so_LDADD = libcopse.so
endif
