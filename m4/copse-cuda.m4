# SPDX-License-Identifier: BSD-3-Clause
# COPSE_CUDA - CUDA's compiler, headers and libraries, for the test programs of
# GPUs: NVCC, CUDA_CFLAGS, CUDA_LIBS, CUDA_LIBDIR, the conditional HAVE_NVCC and
# have_nvcc for the closing words.
AC_DEFUN([COPSE_CUDA], [
AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=DIR],
	[where CUDA is (/usr/local/cuda); --without-cuda: no GPU parts])])
cuda_dir=$with_cuda
AS_CASE(["$with_cuda"], [yes | ''], [cuda_dir=/usr/local/cuda])
have_nvcc=no
NVCC=no
AS_IF([test "x$cuda_dir" != xno],
	[AC_PATH_PROG([NVCC], [nvcc], [no], [$cuda_dir/bin:$PATH])])
CUDA_LIBDIR=$cuda_dir/lib64
AS_IF([test "$NVCC" != no && test -e "$cuda_dir/include/cuda_runtime_api.h"],
	[have_nvcc=yes])
AS_IF([test $have_nvcc = no && test -n "$with_cuda" && test "x$with_cuda" != xno],
	[AC_MSG_ERROR([no nvcc and cuda_runtime_api.h in $cuda_dir])])
CUDA_CFLAGS="-I$cuda_dir/include"
CUDA_LIBS="-L$CUDA_LIBDIR -lcudart"
AC_SUBST([CUDA_CFLAGS])
AC_SUBST([CUDA_LIBS])
AC_SUBST([CUDA_LIBDIR])
AM_CONDITIONAL([HAVE_NVCC], [test $have_nvcc = yes])
])
