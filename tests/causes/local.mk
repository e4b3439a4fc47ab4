# Programs with a hidden problem, and others without one: causes.tbl says which.
# `make causes` builds them; gain.sh measures what each problem costs.  A new one
# is tests/causes/NAME.{c,cc,f90,py}, its NAME here and its row in the table.
CAUSES_C = basin brokers climate imager ions jury lattice ledger nbody orchard photons \
	plasma ring river strands swarm tasks tides traces
CAUSES_CXX = alleles cluster colouring conduct courier membrane mosaic order \
	phasefield poisson queries survey tracks voxels
CAUSES_FORTRAN = columns dunes epidemic glacier harbour optics orbitals plume sections \
	solvent spectral strata transpose upwind waves
CAUSES_MPI4PY = assay census grains markets panel tokens

causes_programs = $(CAUSES_C:%=tests/causes/%) $(CAUSES_CXX:%=tests/causes/%) \
	$(CAUSES_FORTRAN:%=tests/causes/%)
EXTRA_DIST += tests/causes/causes.tbl tests/causes/gain.sh \
	tests/causes/options.h tests/causes/options.f90 \
	tests/causes/options.py $(CAUSES_C:%=tests/causes/%.c) \
	$(CAUSES_CXX:%=tests/causes/%.cc) \
	$(CAUSES_FORTRAN:%=tests/causes/%.f90) \
	$(CAUSES_MPI4PY:%=tests/causes/%.py)
# Twenty more and five controls, of which the rules know nothing.
EXTRA_DIST += tests/causes/unread
CLEANFILES += $(causes_programs)

# Those that tests/mpi/diagnose.sh runs.
CAUSES_CHECKED = alleles basin brokers colouring jury lattice nbody orchard \
	order photons plasma ring river sections solvent strands swarm tides traces
if OPENMPI
check_DATA += $(CAUSES_CHECKED:%=tests/causes/%)
endif

.PHONY: causes
causes: $(causes_programs)
$(CAUSES_C:%=tests/causes/%): tests/causes/%: tests/causes/%.c \
		tests/causes/options.h
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && OMPI_CC="$(CC)" $(MPICC) \
		$(MEASURED_FLAGS) -o $@ $(srcdir)/$@.c -pthread -lm
$(CAUSES_CXX:%=tests/causes/%): tests/causes/%: tests/causes/%.cc \
		tests/causes/options.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && OMPI_CXX="$(CXX)" \
		$(subst mpicc,mpicxx,$(MPICC)) -std=c++17 -O2 -g -Wall -Wextra \
		-DOMPI_SKIP_MPICXX -o $@ $(srcdir)/$@.cc -pthread
$(CAUSES_FORTRAN:%=tests/causes/%): tests/causes/%: tests/causes/%.f90 \
		tests/causes/options.f90
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(MPIFORT_OPENMPI) -O2 -g -o $@ \
		$(srcdir)/$@.f90
