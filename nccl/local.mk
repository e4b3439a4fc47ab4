# Collective calls of NCCL, which loads this library itself. Nothing of NCCL or
# CUDA is linked, and none of their headers is needed.
pkglib_LTLIBRARIES += libcopse-nccl.la
libcopse_nccl_la_SOURCES = nccl/profiler.c
libcopse_nccl_la_LDFLAGS = $(adapter_ldflags)
EXTRA_libcopse_nccl_la_DEPENDENCIES = $(adapter_needs)
