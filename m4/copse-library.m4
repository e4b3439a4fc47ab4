# SPDX-License-Identifier: BSD-3-Clause
# COPSE_LIBRARY - a library, wherever a cluster keeps it: below --with-OPTION=DIR,
# where pkg-config says, or where the compiler looks by itself.  A directory that
# is not the system's comes into RUN_PATH.
#
#   COPSE_LIBRARY(VARIABLE, OPTION, MODULES, HEADER, FUNCTION, LIBRARIES,
#                 DEBIAN, FEDORA, SUSE)
#
# sets VARIABLE_CFLAGS, VARIABLE_LIBS and have_OPTION; the last three are the
# packages that have it.  HEADER may be a declaration of FUNCTION.
AC_DEFUN([COPSE_LIBRARY], [
AC_ARG_WITH([$2], [AS_HELP_STRING([--with-$2=DIR], [where it is; or --without-$2])])
packages_$2=$(packages_of "$7" "$8" "$9")
have_$2=no
AS_CASE(["x$with_$2"],
	[xno], [$1_CFLAGS= $1_LIBS=],
	[x | xyes], [PKG_CHECK_MODULES([$1], [$3], [], [$1_LIBS="$6"])],
	[$1_CFLAGS="-I$with_$2/include"
	$1_LIBS="-L$with_$2/lib -L$with_$2/lib64 $6"])
for word in $$1_LIBS; do
	case $word in
	(-L/usr/lib* | -L/lib*) ;;
	(-L*) new=-Wl,-rpath,${word#-L}
		case " $RUN_PATH " in
		(*" $new "*) ;;
		(*) RUN_PATH="$RUN_PATH $new" ;;
		esac ;;
	esac
done
AS_IF([test "x$with_$2" != xno], [COPSE_LINK([$1], [$2], [$4], [$5])])
AS_CASE(["$have_$2 $with_$2"], [[no\ /*]],
	[AC_MSG_ERROR([there is no $2 in $with_$2; config.log says more])])
])

# COPSE_LINK(VARIABLE, OPTION, HEADER, FUNCTION): sets have_OPTION when a program
# with it can be linked, and empties the variables when not.
AC_DEFUN([COPSE_LINK], [
old_CPPFLAGS=$CPPFLAGS old_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $$1_CFLAGS" LIBS="$$1_LIBS $RUN_PATH $LIBS"
AC_MSG_CHECKING([whether $4 can be linked])
AC_LINK_IFELSE([AC_LANG_PROGRAM(
	[m4_if(m4_index([$3], [(]), [-1], [[#include <$3>]], [[$3;]])],
	[[void *volatile function = (void *)$4; return !function;]])],
	[have_$2=yes], [have_$2=no $1_CFLAGS= $1_LIBS=])
AC_MSG_RESULT([$have_$2])
CPPFLAGS=$old_CPPFLAGS LIBS=$old_LIBS
])

# COPSE_REQUIRE(OPTIONS): one message with all that is missing.
AC_DEFUN([COPSE_REQUIRE], [
missing=
for library in $1; do
	what=$(without $library missing)
	AS_IF([test -n "$what"], [missing="$missing
  $library$what"])
done
AS_IF([test -n "$missing"],
	[AC_MSG_ERROR([copse needs these, or --with-LIBRARY=DIR:$missing])])
])

# COPSE_MPI(OPTION, VARIABLE, MODULE, WRAPPER, NAMES, FLAG, DEBIAN, FEDORA, SUSE):
# where mpi.h is: by pkg-config, or as the compiler's wrapper answers to FLAG.
AC_DEFUN([COPSE_MPI], [
AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=DIR], [where it is; or --without-$1])])
packages_$1=$(packages_of "$7" "$8" "$9")
have_$1=no
mpi_path=$PATH
AS_CASE(["$with_$1"], [/*], [mpi_path=$with_$1/bin])
AC_PATH_PROGS([$4], [$5], [no], [$mpi_path])
AS_CASE(["x$with_$1"],
	[xno], [],
	[x | xyes], [PKG_CHECK_MODULES([$2], [$3], [have_$1=yes],
		[COPSE_WRAPPER([$1], [$2], [$$4 $6])])],
	[COPSE_WRAPPER([$1], [$2], [$$4 $6])
	AS_IF([test $have_$1 = no],
		[AC_MSG_ERROR([there is no $1 in $with_$1])])])
])

# COPSE_WRAPPER(OPTION, VARIABLE, COMMAND)
AC_DEFUN([COPSE_WRAPPER], [
$2_CFLAGS=
AS_IF([words=$($3 2>/dev/null)], [have_$1=yes])
for word in $words; do
	AS_CASE([$word], [-I*], [$2_CFLAGS="$$2_CFLAGS $word"])
done
])
