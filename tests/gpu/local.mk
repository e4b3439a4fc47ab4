# Programs for GPUs with answers known by construction; tests/gpu/cases.tbl runs
# them.  A new one is tests/gpu/NAME.cu or NAME.c and its NAME here.
GPU_CUDA = allocs blocking captures copies failures forks graphs holder hotline \
	launchers leaves load managed managed-cg many paths peers ranges reset shapes \
	streams window
GPU_STATIC = graphs-static paths-static # as nvcc links by default; the others: libcudart.so
GPU_CUPTI = tool # linked with it
GPU_C = contexts driver power
GPU_MPI = mpi-spin
GPU_PRELOADS = no-cupti

gpu_sources = $(GPU_CUDA:%=tests/gpu/%.cu) $(GPU_CUPTI:%=tests/gpu/%.cu) \
	$(GPU_C:%=tests/gpu/%.c) \
	$(GPU_MPI:%=tests/gpu/%.cu) $(GPU_PRELOADS:%=tests/gpu/%.c) \
	tests/gpu/stencil.c \
	tests/gpu/stencil-kernels.cu tests/gpu/python.py tests/gpu/launches.py \
	tests/gpu/launch-storm.py tests/gpu/places.py tests/gpu/worker.py tests/gpu/worker-storm.py \
	tests/gpu/torch-spin.py tests/gpu/torch-profile.py tests/gpu/torch-host.py \
	tests/gpu/jax-profile.py tests/gpu/proton.py \
	tests/gpu/cupy-spin.py tests/gpu/spin.ptx
gpu_headers = tests/gpu/gpu.h tests/gpu/driver.h tests/gpu/stencil.h \
	tests/gpu/truths.h
gpu_outputs = $(GPU_CUDA:%=tests/gpu/%) $(GPU_CUPTI:%=tests/gpu/%) \
	$(GPU_STATIC:%=tests/gpu/%) \
	$(GPU_C:%=tests/gpu/%) $(GPU_PRELOADS:%=tests/gpu/%.so)
if OPENMPI
gpu_outputs += $(GPU_MPI:%=tests/gpu/%) tests/gpu/stencil
endif

# Code for older GPUs is compiled by the driver when the program starts.
GPU_ARCH = -gencode arch=compute_75,code=compute_75 \
	-gencode arch=compute_90,code=sm_90
NVCC_FLAGS = -O2 -g -lineinfo $(GPU_ARCH) -ccbin '$(CXX)' -Xcompiler=-Wall
gpu_v = $(AM_V_GEN)$(MKDIR_P) $(@D) &&

$(GPU_CUDA:%=tests/gpu/%): tests/gpu/%: tests/gpu/%.cu $(gpu_headers)
	$(gpu_v) '$(NVCC)' $(NVCC_FLAGS) -cudart shared -o $@ \
		$(srcdir)/$@.cu -Xlinker -rpath=$(CUDA_LIBDIR)
$(GPU_STATIC:%=tests/gpu/%): tests/gpu/%-static: tests/gpu/%.cu $(gpu_headers)
	$(gpu_v) '$(NVCC)' $(NVCC_FLAGS) -o $@ $(srcdir)/tests/gpu/$*.cu
$(GPU_CUPTI:%=tests/gpu/%): tests/gpu/%: tests/gpu/%.cu $(gpu_headers)
	$(gpu_v) '$(NVCC)' $(NVCC_FLAGS) -cudart shared -o $@ $(srcdir)/$@.cu \
		-L$(CUDA_LIBDIR) -L$(CUDA_LIBDIR)/../extras/CUPTI/lib64 -lcupti \
		-Xlinker -rpath=$(CUDA_LIBDIR):$(CUDA_LIBDIR)/../extras/CUPTI/lib64
$(GPU_C:%=tests/gpu/%): tests/gpu/%: tests/gpu/%.c $(gpu_headers)
	$(gpu_v) $(CC) -std=gnu11 -O2 -g -Wall -Wextra $(CUDA_CFLAGS) -o $@ \
		$(srcdir)/$@.c -ldl
$(GPU_PRELOADS:%=tests/gpu/%.so): tests/gpu/%.so: tests/gpu/%.c
	$(gpu_v) $(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -shared \
		-fPIC -o $@ $(srcdir)/$(@:.so=.c) -ldl
$(GPU_MPI:%=tests/gpu/%): tests/gpu/%: tests/gpu/%.cu $(gpu_headers)
	$(gpu_v) '$(NVCC)' $(NVCC_FLAGS) -cudart shared -o $@ \
		$(srcdir)/$@.cu -Xcompiler "$(OPENMPI_CFLAGS)" \
		-Xlinker -rpath=$(CUDA_LIBDIR) $(OPENMPI_LIBS:-pthread=)
# In C, as mpicc links it; the runtime is linked in.
tests/gpu/stencil: tests/gpu/stencil.c tests/gpu/stencil-kernels.cu $(gpu_headers)
	$(gpu_v) '$(NVCC)' $(NVCC_FLAGS) -c -o $@-kernels.o \
		$(srcdir)/$@-kernels.cu && OMPI_CC="$(CC)" $(MPICC) -std=gnu11 \
		-O2 -g -Wall -Wextra $(CUDA_CFLAGS) -o $@ $(srcdir)/$@.c \
		$@-kernels.o -L$(CUDA_LIBDIR) -lcudart_static -lstdc++ -lrt \
		-ldl -lpthread

# One of nvcc's, as each takes it seconds, and those that need no nvcc; all for
# who runs them.
if HAVE_NVCC
check_DATA += tests/gpu/paths $(GPU_C:%=tests/gpu/%)
gpu-programs: $(gpu_outputs)
else
gpu-programs:
endif
.PHONY: gpu-programs
CLEANFILES += $(gpu_outputs) tests/gpu/stencil-kernels.o
EXTRA_DIST += $(gpu_sources) $(gpu_headers)

# What compares them, on a machine with a GPU.
EXTRA_DIST += tests/gpu/cases.tbl tests/gpu/truths.tbl tests/gpu/truths.awk \
	tests/gpu/truths.sh tests/gpu/check-gpu.sh tests/gpu/all.sh \
	tests/gpu/nodes.capture tests/gpu/paths.capture tests/gpu/streams.capture \
	tests/gpu/on-device.md
check-gpu: gpu-programs
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=tests/gpu/check-gpu.sh
.PHONY: check-gpu
