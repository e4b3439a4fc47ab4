# SPDX-License-Identifier: BSD-3-Clause
# COPSE_CUDA - CUDA's headers, with CUPTI's among them, for what measures GPU
# work: CUDA_CPPFLAGS, the conditional CUDA; and its compiler and libraries, for
# the test programs: NVCC, CUDA_CFLAGS, CUDA_LIBS, CUDA_LIBDIR, the conditional
# HAVE_NVCC.  have_cuda and have_nvcc are for the closing words.
AC_DEFUN([COPSE_CUDA], [
AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=DIR],
	[where CUDA is ($CUDA_HOME, /usr/local/cuda); --without-cuda: no GPU parts])])
have_cuda=no
have_nvcc=no
NVCC=no
cuda_dir=/usr
AS_CASE([x$with_cuda], [x | xyes], [cuda_places="$CUDA_HOME /usr/local/cuda"],
	[cuda_places=$with_cuda])
AS_IF([test "x$with_cuda" != xno],
	[for dir in $cuda_places; do
		AS_IF([test -f "$dir/include/cuda.h"], [cuda_dir=$dir; break])
	done
	AS_IF([test $cuda_dir != /usr],
		[CUDA_CPPFLAGS="-isystem $cuda_dir/include -isystem $cuda_dir/extras/CUPTI/include"])
	old_CPPFLAGS=$CPPFLAGS
	CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
	AC_CHECK_HEADER([cupti.h], [have_cuda=yes])
	AC_CHECK_HEADER([cupti_pmsampling.h], [have_counters=yes])
	AC_CHECK_HEADER([cuda_runtime_api.h], [have_nvcc=yes])
	CPPFLAGS=$old_CPPFLAGS
	AC_PATH_PROG([NVCC], [nvcc], [no], [$cuda_dir/bin:$PATH])])
AS_IF([test "$NVCC" = no], [have_nvcc=no])
AS_IF([test $have_cuda = no && test -n "$with_cuda" && test "x$with_cuda" != xno],
	[AC_MSG_ERROR([there is no cupti.h in $with_cuda])])
CUDA_LIBDIR=$cuda_dir/lib64
CUDA_CFLAGS=$CUDA_CPPFLAGS
CUDA_LIBS="-L$CUDA_LIBDIR -lcudart"
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([CUDA_CFLAGS])
AC_SUBST([CUDA_LIBS])
AC_SUBST([CUDA_LIBDIR])
AM_CONDITIONAL([CUDA], [test $have_cuda = yes])
AM_CONDITIONAL([CUPTI_COUNTERS], [test "$have_counters" = yes])
AM_CONDITIONAL([HAVE_NVCC], [test $have_nvcc = yes])
])
