# Collective calls of NCCL, which loads this library itself. Nothing of NCCL or
# CUDA is linked, and none of their headers is needed.
sharedexec_PROGRAMS += libcopse-nccl.so
libcopse_nccl_so_SOURCES = nccl/profiler.c
libcopse_nccl_so_LDFLAGS = $(adapter_ldflags)
libcopse_nccl_so_LDADD = libcopse.so
