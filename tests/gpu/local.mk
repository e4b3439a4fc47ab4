# Programs for GPUs with answers known by construction; tests/gpu/cases.tbl runs
# them.  A new one is tests/gpu/NAME.cu or NAME.c and its NAME here.
GPU_CUDA = allocs copies failures forks graphs hotline killed launchers load \
	managed paths ranges reset streams window
GPU_STATIC = graphs-static paths-static # as nvcc links by default; the others: libcudart.so
GPU_C = contexts driver power
GPU_MPI =

gpu_sources = $(GPU_CUDA:%=tests/gpu/%.cu) $(GPU_C:%=tests/gpu/%.c)
gpu_headers = tests/gpu/gpu.h tests/gpu/driver.h tests/gpu/truths.h
gpu_outputs = $(GPU_CUDA:%=tests/gpu/%) $(GPU_STATIC:%=tests/gpu/%) \
	$(GPU_C:%=tests/gpu/%)

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
$(GPU_C:%=tests/gpu/%): tests/gpu/%: tests/gpu/%.c $(gpu_headers)
	$(gpu_v) $(CC) -std=gnu11 -O2 -g -Wall -Wextra $(CUDA_CFLAGS) -o $@ \
		$(srcdir)/$@.c -ldl

if HAVE_NVCC
check_DATA += $(gpu_outputs)
endif
CLEANFILES += $(gpu_outputs)
EXTRA_DIST += $(gpu_sources) $(gpu_headers) tests/gpu/spin.ptx
