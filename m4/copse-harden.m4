# SPDX-License-Identifier: BSD-3-Clause
# COPSE_HARDEN - what the compiler and the linker have against faults of what
# reads foreign files: HARDEN_CFLAGS, HARDEN_LDFLAGS.  Each is tried together
# with the user's CFLAGS, which stand behind it: _FORTIFY_SOURCE warns at -O0.
AC_DEFUN([COPSE_HARDEN_TRY], [dnl VARIABLE, FLAGS
	harden_before=$$1
	harden_cflags=$CFLAGS
	harden_ldflags=$LDFLAGS
	$1="$$1 $2"
	CFLAGS="$HARDEN_CFLAGS -Werror $CFLAGS"
	LDFLAGS="$HARDEN_LDFLAGS $LDFLAGS"
	AC_MSG_CHECKING([for $2])
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>]], [[puts("");]])],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		$1=$harden_before])
	CFLAGS=$harden_cflags
	LDFLAGS=$harden_ldflags])

AC_DEFUN([COPSE_HARDEN], [
AC_ARG_ENABLE([hardening], [AS_HELP_STRING([--disable-hardening],
	[no stack protector, no _FORTIFY_SOURCE, ... in the commands])])
HARDEN_CFLAGS=
HARDEN_LDFLAGS=
AS_IF([test "x$enable_hardening" != xno],
	[COPSE_HARDEN_TRY([HARDEN_CFLAGS], [-fstack-protector-strong])
	COPSE_HARDEN_TRY([HARDEN_CFLAGS], [-fstack-clash-protection])
	COPSE_HARDEN_TRY([HARDEN_CFLAGS], [-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2])
	COPSE_HARDEN_TRY([HARDEN_LDFLAGS], [-Wl,-z,relro,-z,now])])
AC_SUBST([HARDEN_CFLAGS])
AC_SUBST([HARDEN_LDFLAGS])
])
