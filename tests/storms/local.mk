# Programs that do what breaks samplers, as tests/storms/storms.tbl lists them.  A
# new one is tests/storms/NAME.c and its NAME here; NAME.cc for C++.
STORMS = cancel contexts counter everything fibers files heap io jumps locks malloc overflow pauses processes \
	stacks threads timers traces wrappers
STORMS_CXX = loader
STORMS_OPENMP = teams
STORMS_MPI = mpi-jumps mpi-wrappers
STORM_PRELOADS = io-alloc no-malloc old-loader safe-alloc slow-close

storm_outputs = $(STORMS:%=tests/storms/%) $(STORMS_CXX:%=tests/storms/%) \
	$(STORMS_OPENMP:%=tests/storms/%) tests/storms/regions-late.so \
	tests/storms/teams-libomp tests/storms/regions-late-libomp.so \
	$(STORM_PRELOADS:%=tests/storms/%.so)
if OPENMPI
storm_outputs += $(STORMS_MPI:%=tests/storms/%)
endif
# Their recursion ends by other means than a return.
STORM_FLAGS = $(MEASURED_FLAGS) -D_GNU_SOURCE -Wno-infinite-recursion
storm_header = $(srcdir)/tests/storms/storm.h $(srcdir)/tests/storms/jump.h \
	$(known)

$(STORMS:%=tests/storms/%): $(storm_header) \
		$(STORMS:%=$(srcdir)/tests/storms/%.c)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(STORM_FLAGS) -I$(srcdir)/src \
		-o $@ $(srcdir)/$@.c -pthread -ldl -lrt
tests/storms/pauses: $(srcdir)/src/live/tally.h
$(STORMS_CXX:%=tests/storms/%): $(storm_header) \
		$(STORMS_CXX:%=$(srcdir)/tests/storms/%.cc)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(CXX) -O2 -g -Wall -Wextra -o $@ \
		$(srcdir)/$@.cc -pthread -ldl
$(STORMS_MPI:%=tests/storms/%): $(storm_header) \
		$(STORMS_MPI:%=$(srcdir)/tests/storms/%.c)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && OMPI_CC="$(CC)" $(MPICC) \
		$(STORM_FLAGS) -o $@ $(srcdir)/$@.c -pthread
# By gcc, whose runtime it is, unless that has none.
$(STORMS_OPENMP:%=tests/storms/%): $(storm_header) \
		$(STORMS_OPENMP:%=$(srcdir)/tests/storms/%.c)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && gcc $(STORM_FLAGS) -fopenmp -o $@ \
		$(srcdir)/$@.c -pthread -ldl
tests/storms/regions-late.so: $(known) $(srcdir)/tests/programs/regions-late.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && gcc $(STORM_FLAGS) -fopenmp -shared \
		-fPIC -o $@ $(srcdir)/tests/programs/regions-late.c
# The same by clang, whose runtime is another one, where it is installed.
CLANG_OPENMP = clang $(STORM_FLAGS) -Wno-unknown-warning-option -fopenmp
tests/storms/teams-libomp: $(storm_header) $(srcdir)/tests/storms/teams.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && { $(CLANG_OPENMP) -o $@ \
		$(srcdir)/tests/storms/teams.c -pthread -ldl 2>/dev/null || :; }
tests/storms/regions-late-libomp.so: $(known) \
		$(srcdir)/tests/programs/regions-late.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && { $(CLANG_OPENMP) -shared -fPIC -o $@ \
		$(srcdir)/tests/programs/regions-late.c 2>/dev/null || :; }
$(STORM_PRELOADS:%=tests/storms/%.so): \
		$(STORM_PRELOADS:%=$(srcdir)/tests/storms/%.c)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(STORM_FLAGS) -shared \
		-fPIC -o $@ $(srcdir)/$(@:.so=.c) -ldl

# Collectors whose handler does what none may do: tests/storms/storms.sh shows that
# the storms find that out.  They are never installed.
BROKEN = lock malloc open phdr
stand_in_flags = -O2 -fPIC -shared -Wl,-z,now -Wl,-soname,libcopse.so.1
broken_outputs = $(BROKEN:%=tests/broken/%.so)
wrap_lock = -Wl,--wrap=thread_used_by
broken_shared = $(srcdir)/tests/broken/broken.c

$(BROKEN:%=tests/broken/%.so): $(broken_shared) $(srcdir)/tests/broken/broken.h \
		$(BROKEN:%=$(srcdir)/tests/broken/%.c) libcollect.a
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) $(COPSE_CFLAGS) \
		$(stand_in_flags) $(wrap_$(@F:.so=)) \
		-Wl,--wrap=clock_timer_signal -o $@ \
		$(srcdir)/$(@:.so=.c) $(broken_shared) -Wl,--whole-archive \
		libcollect.a -Wl,--no-whole-archive liblive.a libbase.a

# Another mistake: it trusts where a wrong path leads to (tests/run/paths.sh).
tests/broken/trusting.so: $(srcdir)/tests/broken/trusting.c libcollect.a
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) $(COPSE_CFLAGS) \
		$(stand_in_flags) -Wl,--wrap=safe_read_copy -o $@ \
		$(srcdir)/$(@:.so=.c) -Wl,--whole-archive \
		libcollect.a -Wl,--no-whole-archive liblive.a libbase.a
broken_outputs += tests/broken/trusting.so

# No mistake: one whose traces are soon used up (tests/run/traces.sh).
tests/broken/brimming.so: $(srcdir)/tests/broken/brimming.c libcollect.a
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) $(COPSE_CFLAGS) \
		$(stand_in_flags) -Wl,--wrap=moments_add -o $@ \
		$(srcdir)/tests/broken/brimming.c -Wl,--whole-archive \
		libcollect.a -Wl,--no-whole-archive liblive.a libbase.a
broken_outputs += tests/broken/brimming.so

# Adapters of locks with a mistake each (tests/broken/locks.tbl).
LOCK_MISTAKES = owner-dead old-condition uncancelled cancelled forked \
	uninterrupted errno not-taken
$(LOCK_MISTAKES:%=tests/broken/locks-%.so): $(locks_sources) libcopse.so \
		tests/broken/locks.tbl tests/broken/locks.h \
		tests/broken/break-locks.sh
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(SHELL) \
		$(srcdir)/tests/broken/break-locks.sh \
		$(@:tests/broken/locks-%.so=%) $(srcdir) $(@:.so=) && \
	$(CC) $(AM_CPPFLAGS) $(COPSE_CFLAGS) -O2 -fno-omit-frame-pointer \
		-fPIC -shared -include $(srcdir)/tests/broken/locks.h -o $@ \
		$(@:.so=)/*.c libcopse.so -pthread '-Wl,-rpath,$$ORIGIN' \
		-Wl,-z,now,--version-script=$(srcdir)/$(arch_conditions) && \
	rm -r $(@:.so=)
broken_outputs += $(LOCK_MISTAKES:%=tests/broken/locks-%.so)

check_DATA += $(storm_outputs) $(broken_outputs)
CLEANFILES += $(storm_outputs) $(broken_outputs)
EXTRA_DIST += tests/storms/storms.tbl tests/storms/storm.h tests/storms/jump.h \
	tests/storms/interpreter.py tests/storms/jit.js \
	$(STORMS:%=tests/storms/%.c) $(STORMS_CXX:%=tests/storms/%.cc) \
	$(STORMS_OPENMP:%=tests/storms/%.c) \
	$(STORMS_MPI:%=tests/storms/%.c) $(STORM_PRELOADS:%=tests/storms/%.c) \
	$(broken_shared) tests/broken/broken.h tests/broken/trusting.c \
	tests/broken/brimming.c tests/broken/locks.tbl tests/broken/locks.h \
	tests/broken/break-locks.sh \
	$(BROKEN:%=tests/broken/%.c)
