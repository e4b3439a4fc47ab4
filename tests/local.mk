# Unit tests: one program of all modules.  A new one is tests/unit/NAME.c and
# its word here.
UNIT_TESTS = \
	tests/unit/analyses tests/unit/batch tests/unit/brief tests/unit/program-filter tests/unit/chunk tests/unit/compare tests/unit/deflate tests/unit/device-slices tests/unit/range-window \
	tests/unit/call-paths tests/unit/core-wait tests/unit/err \
	tests/unit/event tests/unit/event-group tests/unit/exporters \
	tests/unit/fixture-run tests/unit/formula tests/unit/golang \
	tests/unit/gpu tests/unit/gpu-allocs tests/unit/gpu-awaited tests/unit/gpu-idle tests/unit/gpu-order tests/unit/gpu-pcs tests/unit/handles tests/unit/heap tests/unit/hot-paths tests/unit/idle-threads \
	tests/unit/history tests/unit/host-parts tests/unit/job tests/unit/live-lines tests/unit/livedir tests/unit/moments tests/unit/recent-summary tests/unit/spans \
	tests/unit/loop-nest tests/unit/diagnosis tests/unit/dominant-path tests/unit/map tests/unit/footprint tests/unit/power-readings \
	tests/unit/merge tests/unit/spelling tests/unit/node-file tests/unit/numbered tests/unit/output \
	tests/unit/sample-period tests/unit/packages tests/unit/paths tests/unit/polls tests/unit/python tests/unit/path-sums tests/unit/restart tests/unit/safe-read tests/unit/power-sums \
	tests/unit/profile tests/unit/region tests/unit/rank-groups tests/unit/regular tests/unit/settings tests/unit/rank-distribution tests/unit/rank-choice \
	tests/unit/str tests/unit/symbol tests/unit/thread tests/unit/ticks tests/unit/time-grid tests/unit/timeline \
	tests/unit/timebase tests/unit/tree tests/unit/unify tests/unit/unwind tests/unit/verdict \
	tests/unit/step-pattern tests/unit/step-loops tests/unit/values tests/unit/waits

if UNWIND
unwind_flags = -DHAVE_UNWIND $(UNWIND_CFLAGS)
endif
check_PROGRAMS += tests/unit/unit
tests_unit_unit_SOURCES = tests/lib/test.h tests/unit/main.c \
	tests/unit/fixture-run.h tests/unit/measured.h \
	$(UNIT_TESTS:=.c)
tests_unit_unit_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(unwind_flags)
tests_unit_unit_LDADD = libformat.a libanalyse.a liblaunch.a libcollect.a \
	$(merge_libs) $(format_libs) $(UNWIND_LIBS)

# Rank files of large jobs, for tests/bench/merge.sh.
check_PROGRAMS += tests/bench/make-ranks
tests_bench_make_ranks_SOURCES = tests/bench/make-ranks.c
tests_bench_make_ranks_LDADD = libprofile.a liblive.a libbase.a \
	$(profile_libs) -lm

check_PROGRAMS += tests/names-of
tests_names_of_SOURCES = tests/lib/names-of.c
tests_names_of_LDADD = $(merge_libs)

# Programs to be measured, with answers known by construction; they are built
# as a user builds his: -O2 -g, warnings apart.  A new one is
# tests/programs/NAME.c and its NAME here; NAME.cc for C++.
MEASURED = alt-stacks astray attached control deep-stack deep-waits descriptors events execs families faults files forker heap-patterns in-step inline-recursive \
	interrupts kernel-calls kernel-time leaver lock-patterns own-calls phases recursion refuse sandbox sealed shares \
	starter steady stops switches thread-names \
	signals syscalls threads32
MEASURED_CXX = templates
PLUGINS = dlswap-one dlswap-two
MEASURED_MPI = delays demo exchange grows hangs mpi-behaviour mpi-calls mpi-crash \
	mpi-events mpi-forks mpi-forks-threads mpi-looks mpi-loops mpi-overlap mpi-parts mpi-paths \
	mpi-paused \
	mpi-phases mpi-polls mpi-short mpi-skew mpi-stages mpi-threads mpi-truncated pcontrol shift steered \
	neighbours requests-threads windows windows-threads
MEASURED_MPICH = grows hangs mpi-behaviour mpi-calls mpi-forks mpi-four mpi-polls mpi-short \
	mpi-skew mpi-truncated neighbours requests-threads windows windows-threads
MEASURED_FORTRAN = mpif_h mpi_f90 mpi_f08 # the ways of mpi-fortran.F90

program_outputs = $(MEASURED:%=tests/programs/%) \
	$(MEASURED_CXX:%=tests/programs/%) tests/programs/dlswap \
	$(PLUGINS:%=tests/programs/%.so) tests/programs/chains
program_sources = $(MEASURED:%=tests/programs/%.c) \
	$(MEASURED_CXX:%=tests/programs/%.cc) tests/programs/kokkos.cc \
	tests/programs/dlswap.c \
	tests/programs/dlswap-plugin.c tests/programs/sanitized.c $(MEASURED_MPI:%=tests/programs/%.c) \
	tests/programs/delays.h tests/programs/known.h \
	tests/programs/partner.h tests/programs/python-chains.py $(chains_sources) \
	tests/programs/chains-lib.c
program_sources += $(MEASURED_MPICH:%=tests/programs/%.c) \
	tests/programs/mpi-truth.h tests/programs/mpi-fortran.F90 \
	$(NAMED)
NAMED = tests/programs/loops.c tests/programs/named.c tests/programs/named.cc \
	tests/programs/named.f90 tests/programs/named.rs tests/programs/openmp.c tests/programs/hangs-team.c tests/programs/busy-tasks.c tests/programs/early-task.c tests/programs/omp-constructs.c \
	tests/programs/made-abi.c tests/programs/mpi-abi.c \
	tests/programs/regions.c tests/programs/regions-late.c tests/programs/copies.c \
	tests/programs/uneven.c tests/programs/crowd.c tests/programs/lock-old.c \
	tests/programs/lock-comes.c tests/programs/lock-kinds.cc \
	tests/programs/lock-units.f90 # scripts build them
if OPENMPI
program_outputs += $(MEASURED_MPI:%=tests/programs/%)
if OPENMPI_FORTRAN
program_outputs += $(MEASURED_FORTRAN:%=tests/programs/mpi-fortran.openmpi.%)
endif
endif
if MPICH
program_outputs += $(MEASURED_MPICH:%=tests/programs/%.mpich)
if MPICH_FORTRAN
program_outputs += $(MEASURED_FORTRAN:%=tests/programs/mpi-fortran.mpich.%)
endif
endif

MEASURED_FLAGS = -std=gnu11 -O2 -g -Wall -Wextra
known = $(srcdir)/tests/programs/mpi-truth.h $(srcdir)/tests/programs/known.h $(srcdir)/tests/programs/partner.h \
	$(srcdir)/tests/programs/delays.h

$(MEASURED:%=tests/programs/%) tests/programs/dlswap: tests/programs/%: \
		tests/programs/%.c $(known)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(MEASURED_FLAGS) -o $@ \
		$(srcdir)/$@.c -pthread -ldl -lrt
$(MEASURED_CXX:%=tests/programs/%): $(known)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(CXX) -O2 -g -Wall -Wextra -o $@ \
		$(srcdir)/$@.cc
$(MEASURED_MPI:%=tests/programs/%): $(known) \
		$(MEASURED_MPI:%=$(srcdir)/tests/programs/%.c)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && OMPI_CC="$(CC)" $(MPICC) \
		$(MEASURED_FLAGS) -I$(srcdir)/src -o $@ $(srcdir)/$@.c -lm -pthread -ldl
tests/programs/steered: $(srcdir)/src/live/tally.h
$(MEASURED_MPICH:%=tests/programs/%.mpich): tests/programs/%.mpich: \
		tests/programs/%.c $(known) $(srcdir)/tests/programs/mpi-truth.h
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && MPICH_CC="$(CC)" $(MPICC_MPICH) \
		$(MEASURED_FLAGS) -Wno-stringop-overflow -o $@ \
		$(srcdir)/tests/programs/$*.c -pthread -ldl
$(MEASURED_FORTRAN:%=tests/programs/mpi-fortran.openmpi.%) \
$(MEASURED_FORTRAN:%=tests/programs/mpi-fortran.mpich.%): \
		tests/programs/mpi-fortran.F90
	$(AM_V_GEN)$(MKDIR_P) $(@D) && way=$@ && way=$${way##*.} && \
		case $@ in *.mpich.*) fc='$(MPIFORT_MPICH)' ;; \
		*) fc='$(MPIFORT_OPENMPI)' ;; esac && mkdir -p $@.tmp && \
		$$fc -O2 -g -w -fallow-argument-mismatch -J $@.tmp -DWAY_$$way -o $@ \
			$(srcdir)/tests/programs/mpi-fortran.F90 && rm -r $@.tmp
$(PLUGINS:%=tests/programs/%.so): tests/programs/dlswap-plugin.c $(known)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && name=$(@F:dlswap-%.so=%) && \
		$(CC) $(MEASURED_FLAGS) -shared -fPIC -DHOT=hot_$$name \
		-o $@ $(srcdir)/tests/programs/dlswap-plugin.c -pthread

# For ranks that hang, of which none needs a core.
program_outputs += tests/lib/naps.so
program_sources += tests/lib/naps.c
tests/lib/naps.so: tests/lib/naps.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(MEASURED_FLAGS) -shared -fPIC \
		-o $@ $(srcdir)/tests/lib/naps.c

# A program that knows its own call paths: C, C++, Fortran when there is a
# compiler, and a library that is also built without symbols.  No frame
# pointers, and symbols are bound when they are first called.
chains_sources = tests/programs/chains.c tests/programs/chains-cxx.cc \
	tests/programs/chains-fortran.f90 tests/programs/chains.h
chains_libraries = tests/programs/chains-plain.so tests/programs/chains-stripped.so
chains_flags = -O2 -g -fomit-frame-pointer -Wall -Wextra
CLEANFILES += $(chains_libraries) tests/programs/chains-*.o

tests/programs/chains: $(chains_sources) $(chains_libraries)
	$(AM_V_CCLD)from=$(srcdir)/$@ && \
	if gfortran --version >/dev/null 2>&1; then \
		flag=-DFORTRAN more="$@-fortran.o -lgfortran" && \
		gfortran $(chains_flags) -c -o $@-fortran.o $$from-fortran.f90; \
	fi && \
	$(CC) -std=gnu11 $(chains_flags) $$flag -c -o $@-c.o $$from.c && \
	$(CXX) $(chains_flags) -c -o $@-cxx.o $$from-cxx.cc && \
	$(CXX) -rdynamic -Wl,-z,lazy -Wl,-rpath,'$$ORIGIN' -o $@ $@-c.o \
		$@-cxx.o $(chains_libraries) $$more -pthread
tests/programs/chains-plain.so: tests/programs/chains-lib.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) -std=gnu11 $(chains_flags) \
		-DFUNCTION=t_library -DINNER=t_inner -shared -fPIC \
		-Wl,-z,lazy,-soname,$(@F) -o $@ $(srcdir)/tests/programs/chains-lib.c
tests/programs/chains-stripped.so: tests/programs/chains-lib.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) -std=gnu11 $(chains_flags) \
		-DFUNCTION=t_stripped -DINNER=t_nameless -shared -fPIC -s \
		-Wl,-z,lazy,-soname,$(@F) -o $@ $(srcdir)/tests/programs/chains-lib.c

# A made CUDA, for machines without a GPU: see tests/gpu/made-cuda.h.
made_sources = tests/gpu/made-cuda.c tests/gpu/made-cuda.h tests/gpu/made-counters.c \
	tests/gpu/made-bare.c tests/gpu/made-bare.h tests/gpu/made.c \
	tests/gpu/made-allocs.c tests/gpu/made-allocs.h \
	tests/gpu/made-memory.c tests/gpu/made-play.c tests/gpu/made-inside.h \
	tests/gpu/made-ranges.c tests/gpu/made-ranges.h tests/gpu/made-mpi.c \
	tests/gpu/made-nccl.c tests/gpu/made-kokkos.c \
	tests/gpu/made-worker.c \
	tests/gpu/made-times.c tests/gpu/made-meet.c tests/gpu/made-driver.c \
	tests/gpu/made-rules.c tests/gpu/made-host.c tests/gpu/made-frame.c \
	tests/gpu/made-host.py \
	tests/gpu/made-wide.c tests/gpu/made-wide.h \
	tests/gpu/made-pcs.c tests/gpu/made-stalls.c tests/gpu/made-stalls.h \
	tests/gpu/stalls.s \
	tests/gpu/made-tool.c tests/gpu/made-load.c \
	tests/gpu/made-occupancy.c tests/gpu/made-energy.c \
	tests/gpu/made-nvml.c tests/gpu/made-power.h \
	tests/gpu/capture.c tests/gpu/capture.h
EXTRA_DIST += $(made_sources)
if CUDA
made_outputs = tests/gpu/libmade-cuda.so tests/gpu/made tests/gpu/made-times \
	tests/gpu/made-rules tests/gpu/made-host tests/gpu/libmade-frame.so \
	tests/gpu/made-nccl tests/gpu/made-kokkos \
	tests/gpu/libmade-driver.so tests/gpu/made-occupancy \
	tests/gpu/made-energy tests/gpu/made-tool tests/gpu/made-load \
	tests/gpu/libmade-tool.so tests/gpu/libmade-worker.so \
	tests/gpu/libcapture.so $(made_nvmls)
made_nvmls = tests/gpu/nvml/libnvidia-ml.so.1 tests/gpu/nvml-old/libnvidia-ml.so.1 \
	tests/gpu/nvml-bare/libnvidia-ml.so.1
program_outputs += $(made_outputs)
made_flags = $(MEASURED_FLAGS) $(CUDA_CPPFLAGS) -I$(srcdir) -D_GNU_SOURCE
tests/gpu/libmade-cuda.so: $(made_sources)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(made_flags) -fPIC -c \
		-fno-asynchronous-unwind-tables -fno-unwind-tables \
		-fomit-frame-pointer -o $(@D)/made-bare.o \
		$(srcdir)/tests/gpu/made-bare.c && \
		$(CC) $(made_flags) -fvisibility=hidden -shared -fPIC -Wl,-soname,$(@F) -o $@ \
		-I$(srcdir)/cuda/compat $(srcdir)/tests/gpu/made-cuda.c \
		$(srcdir)/tests/gpu/made-counters.c \
		$(srcdir)/tests/gpu/made-memory.c \
		$(srcdir)/tests/gpu/made-pcs.c \
		$(srcdir)/tests/gpu/made-play.c $(@D)/made-bare.o -pthread -ldl
tests/gpu/libcapture.so: $(made_sources)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(made_flags) -shared -fPIC -o $@ \
		$(srcdir)/tests/gpu/capture.c -pthread
tests/gpu/made: $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)$(CC) $(made_flags) -fomit-frame-pointer \
		-Wl,-rpath,'$$ORIGIN' -o $@ $(srcdir)/tests/gpu/made.c \
		$(srcdir)/tests/gpu/made-ranges.c $(srcdir)/tests/gpu/made-wide.c \
		$(srcdir)/tests/gpu/made-allocs.c $(srcdir)/tests/gpu/made-stalls.c \
		tests/gpu/libmade-cuda.so -pthread -ldl
tests/gpu/made-occupancy: tests/gpu/made-occupancy.c src/analyse/gpu/occupancy.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(made_flags) -I$(srcdir)/src -o $@ \
		$(srcdir)/tests/gpu/made-occupancy.c \
		$(srcdir)/src/analyse/gpu/occupancy.c
tests/gpu/libmade-driver.so: $(made_sources)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(made_flags) -shared -fPIC \
		-Wl,-soname,libcuda.so.1 -o $@ $(srcdir)/tests/gpu/made-driver.c
tests/gpu/made-times: $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)$(CC) $(made_flags) -Wl,-rpath,'$$ORIGIN' -o $@ \
		$(srcdir)/tests/gpu/made-times.c \
		tests/gpu/libmade-cuda.so
tests/gpu/libmade-worker.so: $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)$(CC) $(made_flags) -shared -fPIC -Wl,-rpath,'$$ORIGIN' \
		-o $@ $(srcdir)/tests/gpu/made-worker.c \
		tests/gpu/libmade-cuda.so -pthread
tests/gpu/made-rules: $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)$(CC) $(made_flags) -Wl,-rpath,'$$ORIGIN' -o $@ \
		$(srcdir)/tests/gpu/made-rules.c \
		tests/gpu/libmade-cuda.so
tests/gpu/libmade-frame.so: $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)$(CC) $(made_flags) -fvisibility=hidden -shared -fPIC \
		-Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN' -o $@ \
		$(srcdir)/tests/gpu/made-frame.c tests/gpu/libmade-cuda.so
tests/gpu/made-host: $(made_sources) tests/gpu/libmade-cuda.so \
		tests/gpu/libmade-frame.so
	$(AM_V_CCLD)$(CC) $(made_flags) -Wl,-rpath,'$$ORIGIN' -o $@ \
		$(srcdir)/tests/gpu/made-host.c tests/gpu/libmade-frame.so \
		tests/gpu/libmade-cuda.so -pthread
tests/gpu/made-nccl: $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)$(CC) $(made_flags) -Wl,-rpath,'$$ORIGIN' -o $@ \
		$(srcdir)/tests/gpu/made-nccl.c \
		tests/gpu/libmade-cuda.so -ldl
tests/gpu/made-kokkos: $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)$(CC) $(made_flags) -Wl,-rpath,'$$ORIGIN' -o $@ \
		$(srcdir)/tests/gpu/made-kokkos.c \
		tests/gpu/libmade-cuda.so -ldl
tests/gpu/made-energy: $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)$(CC) $(made_flags) -Wl,-rpath,'$$ORIGIN' -o $@ \
		$(srcdir)/tests/gpu/made-energy.c \
		tests/gpu/libmade-cuda.so -ldl
tests/gpu/made-tool: $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)$(CC) $(made_flags) -Wl,-rpath,'$$ORIGIN' -o $@ \
		$(srcdir)/tests/gpu/made-tool.c \
		tests/gpu/libmade-cuda.so -pthread
tests/gpu/libmade-tool.so: $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)$(CC) $(made_flags) -DTOOL_LIBRARY -shared -fPIC \
		-Wl,-rpath,'$$ORIGIN' -o $@ $(srcdir)/tests/gpu/made-tool.c \
		tests/gpu/libmade-cuda.so -pthread
tests/gpu/made-load: $(made_sources)
	$(AM_V_CCLD)$(CC) $(made_flags) -o $@ $(srcdir)/tests/gpu/made-load.c \
		-ldl
# Whole, without what drivers may lack, and without what is needed.
$(made_nvmls): $(made_sources)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && case $@ in *-old/*) flag=-DMADE_OLD ;; \
		*-bare/*) flag=-DMADE_BARE ;; esac && \
		$(CC) $(made_flags) $$flag -shared -fPIC -Wl,-soname,$(@F) \
		-o $@ $(srcdir)/tests/gpu/made-nvml.c
CLEANFILES += tests/gpu/made-bare.o
if OPENMPI
made_mpi = tests/gpu/made-mpi tests/gpu/made-meet
program_outputs += $(made_mpi)
$(made_mpi): $(made_sources) tests/gpu/libmade-cuda.so
	$(AM_V_CCLD)OMPI_CC="$(CC)" $(MPICC) $(MEASURED_FLAGS) \
		-Wl,-rpath,'$$ORIGIN' -o $@ $(srcdir)/$@.c \
		tests/gpu/libmade-cuda.so
endif
endif

# What runs, several at a time: the longest first, so that none is left for last.
# A new test is tests/FOLDER/NAME.sh and its name here.  rules/ holds the tree
# to its rules, run/ and mpi/ look at what is measured, profiles/ at what is
# made of rank files, system/ at clusters, users and installations, real/ at
# programs of others, gpu/ at GPUs, storms/ at harm; lib/ is what they share.
#
# Three tiers: quick, one or two programs for each capability; all the others; and
# what is the longer the better, which has short turns unless it is told else.
QUICK_TESTS = \
	tests/rules/style.sh tests/run/python.sh tests/mpi/calls.sh tests/run/openmp.sh \
	tests/profiles/page.sh tests/run/paths.sh tests/run/pass-through.sh tests/run/locks.sh tests/run/io.sh tests/run/heap.sh \
	tests/gpu/gpu-rules.sh tests/system/usage.sh tests/profiles/export.sh \
	tests/profiles/recover.sh tests/rules/sigsafe.sh tests/rules/mpi-complete.sh \
	tests/rules/docs.sh tests/rules/layers.sh tests/rules/abi.sh
OTHER_TESTS = \
	tests/mpi/stuck.sh tests/mpi/top.sh tests/mpi/steer.sh tests/system/examples.sh tests/mpi/merge-jobs.sh tests/real/hpcc.sh \
	tests/mpi/split.sh tests/mpi/sums.sh tests/mpi/timeline.sh tests/mpi/diagnose.sh \
	tests/mpi/waits.sh tests/profiles/cases.sh tests/profiles/iterations.sh \
	tests/profiles/gather.sh tests/system/slurm.sh tests/real/lammps.sh \
	tests/gpu/gpu-made.sh tests/gpu/gpu-trace.sh tests/run/papi.sh tests/run/attach.sh tests/run/truth.sh tests/run/traces.sh \
	tests/gpu/gpu-power.sh tests/gpu/gpu-host.sh tests/run/control.sh tests/real/third-party.sh \
	tests/run/exit-status.sh tests/run/crashes.sh tests/gpu/gpu-times.sh tests/system/hosts.sh tests/system/metrics.sh \
	tests/profiles/symbolise.sh tests/gpu/gpu-stalls.sh tests/gpu/gpu-counters.sh tests/gpu/kokkos.sh tests/run/permission.sh \
	tests/system/other-users.sh tests/mpi/load.sh tests/profiles/gate.sh \
	tests/run/output.sh tests/mpi/waits-calls.sh tests/profiles/merge-scale.sh \
	tests/system/check.sh tests/system/aarch64.sh tests/mpi/jobs.sh tests/mpi/io-formats.sh tests/mpi/abi.sh tests/system/install.sh tests/system/release.sh tests/mpi/fortran.sh \
	tests/mpi/polls.sh tests/system/view.sh tests/profiles/scaling.sh \
	tests/profiles/viewers.sh tests/profiles/compatible.sh tests/packages/recipes.sh \
	tests/profiles/python-module.sh tests/run/thread-names.sh tests/run/regions.sh \
	tests/run/threads.sh tests/run/crowds.sh tests/run/starvation.sh \
	tests/run/recursion.sh tests/run/omp-constructs.sh tests/run/python-programs.sh \
	tests/run/processes.sh tests/real/qe.sh tests/run/signals.sh tests/gpu/gpu-truths.sh \
	tests/real/python.sh tests/real/mpi4py.sh tests/real/cpython.sh \
	tests/real/go-library.sh tests/mpi/waits-hosts.sh tests/run/cores.sh \
	tests/run/launch-ranks.sh \
	tests/run/idle-threads.sh tests/real/node.sh tests/run/cpu-time.sh \
	tests/system/completion.sh tests/system/bootstrap.sh tests/profiles/reports.sh \
	tests/page/browser.sh tests/run/dlsym.sh tests/run/switches.sh \
	tests/run/preload-compat.sh tests/run/limits.sh tests/run/memory.sh tests/run/forks.sh tests/run/refused.sh \
	tests/profiles/loops.sh tests/system/untrusted.sh tests/system/sources.sh \
	tests/system/site.sh
STORM_TESTS = \
	tests/system/sanitize.sh tests/storms/storms.sh tests/run/safety.sh \
	tests/run/lock-safety.sh
SHELL_TESTS = $(OTHER_TESTS) $(QUICK_TESTS)

TESTS += tests/unit/unit $(SHELL_TESTS)

# check-rest is what ./bootstrap check has to run after check-quick.
.PHONY: check-quick check-rest check-storms
check-quick:
	$(MAKE) check TESTS='tests/unit/unit $(QUICK_TESTS)'
check-rest:
	$(MAKE) check TESTS='$(OTHER_TESTS)'
check-storms:
	PATIENCE_S=$${PATIENCE_S-14400} STORM_SECONDS=$${STORM_SECONDS-10} \
	FUZZ_SECONDS=$${FUZZ_SECONDS-600} $(MAKE) check TESTS='$(STORM_TESTS)'

# What is judged by how ranks wait for each other needs the cores for itself.
tests/mpi/diagnose.log: $(TEST_LOGS:tests/mpi/diagnose.log=)
TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
# A test that failed says so by its points, and one that ended early by their
# number, which is its last line.
LOG_DRIVER_FLAGS = --ignore-exit
SH_LOG_DRIVER_FLAGS = $(LOG_DRIVER_FLAGS)
SH_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/lib/watched.sh $(SHELL)
AM_TESTS_ENVIRONMENT = MPICC='$(MPICC)' MPICC_MPICH='$(MPICC_MPICH)' \
	CC='$(CC)'; export MPICC MPICC_MPICH CC;

check_DATA = $(program_outputs)
CLEANFILES += $(program_outputs)
EXTRA_DIST += $(program_sources) $(SHELL_TESTS) $(STORM_TESTS) tests/system/kernel.sh tests/flaky.tbl tests/lib/tap.sh tests/lib/watched.sh tests/lib/mpi.sh \
	tests/lib/cluster.sh tests/lib/delays.sh tests/lib/waits.awk \
	tests/lib/real.sh tests/lib/page.py tests/lib/silent-fs.py tests/lib/viewers.py tests/lib/viewers.sh tests/lib/csv.awk tests/lib/expect.awk tests/lib/truth.awk \
	tests/profiles/speedscope.schema.json tests/profiles/perfetto.proto \
	tests/profiles/cases.tbl tests/profiles/kept tests/rules/sigsafe.allow tests/causes/judge.py tests/profiles/expect tests/bench \
	tests/fuzz tests/system/distributions.sh \
	tests/packages/debian.sh tests/packages/rpm.sh tests/packages/modules.sh $(page_tests)
page_tests = tests/page/browser.mjs tests/page/figures.mjs tests/page/hostile.json tests/page/looks.mjs \
	tests/page/made-run.mjs tests/page/make-page.mjs \
	tests/page/modules.test.mjs tests/page/pictures.mjs

# A folder is taken with what was built there.
dist-hook:
	cd $(distdir)/tests/bench && rm -rf .deps .dirstamp *.o make-ranks

# The trees that tests/system/sanitize.sh, `make bundle` and `make site` build;
# the module of Python, and what Python leaves beside it.
clean-local:
	rm -rf sanitize bundle packages site site.tmp python example
