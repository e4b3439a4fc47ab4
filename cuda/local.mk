# GPU work: loaded by NVIDIA's driver itself, the only code that sees cupti.h.
# CUPTI is looked up, so nothing of CUDA is linked.  The frame pointer leads
# from the callback to its caller.
cuda_sources = cuda/inject.c cuda/calls.c cuda/calls.h \
	cuda/device-names.c cuda/device.h \
	cuda/device-claim.c \
	cuda/capture.h cuda/cupti.c cuda/cupti.h \
	cuda/launch-shapes.c \
	cuda/device-limits.c cuda/memory.c cuda/memory.h \
	cuda/flush.c cuda/flush.h cuda/cubins.c cuda/cubins.h \
	cuda/pc-samples.c cuda/pc-samples.h \
	cuda/hardware-counters.h cuda/counter-names.def cuda/compat/string \
	cuda/nvtx.c cuda/kernels.c \
	cuda/activity-records.c cuda/activity-records.h

if CUDA
sharedexec_PROGRAMS += libcopse-cuda.so
libcopse_cuda_so_SOURCES = $(cuda_sources)
if CUPTI_COUNTERS
libcopse_cuda_so_SOURCES += cuda/hardware-counters.c
else
libcopse_cuda_so_SOURCES += cuda/hardware-counters-none.c
endif
libcopse_cuda_so_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/cuda/compat $(CUDA_CPPFLAGS)
libcopse_cuda_so_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer
libcopse_cuda_so_LDFLAGS = $(adapter_ldflags)
libcopse_cuda_so_LDADD = libcopse.so
else
EXTRA_DIST += $(cuda_sources) cuda/hardware-counters.c cuda/hardware-counters-none.c
endif

# The runtime's own names of errors, by its header.
cuda/errors.def: $(srcdir)/cuda/errors.awk
	$(AM_V_GEN)$(MKDIR_P) cuda && \
		echo '#include <driver_types.h>' | \
		$(CC) $(CUDA_CPPFLAGS) $(CPPFLAGS) -E -P - >$@.i && \
		$(AWK) -f $(srcdir)/cuda/errors.awk $@.i >$@.tmp && \
		rm $@.i && mv $@.tmp $@
EXTRA_DIST += cuda/errors.awk
if CUDA
BUILT_SOURCES += cuda/errors.def
endif
