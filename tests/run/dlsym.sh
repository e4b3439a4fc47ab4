#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dlsym.sh - what a program looks up by dlsym() is what it is without copse,
# which stands in front of it: by whom it is asked, and what it says.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset COPSE_BUDGET
CC=${CC:-cc}

# library NAME NUMBER: says its number, and what is next behind it.
library() {
	$CC -w -shared -fPIC -DNAME="$1" -DNUMBER="$2" -o "lib$1.so" -x c - <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#define NEXT_(name) next_of_##name
#define NEXT(name)  NEXT_(name)
int who(void)
{
	return NUMBER;
}
int NEXT(NAME)(void)
{
	int (*next)(void) = dlsym(RTLD_NEXT, "who");

	return next ? next() : 0;
}
C
}

# Also a name that ends where its page does.
build_program() {
	library first 1 && library second 2 &&
		$CC -w -o look -x c - -L. -Wl,--no-as-needed -lfirst -lsecond \
			-ldl <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
int next_of_first(void);
int next_of_second(void);
static int call(void *function)
{
	return function ? ((int (*)(void))function)() : 0;
}
static const char *at_end_of_page(const char *name)
{
	size_t page = sysconf(_SC_PAGESIZE), size = strlen(name) + 1;
	char *p = mmap(0, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(p + page, page, PROT_NONE);
	return memcpy(p + page - size, name, size);
}
int main(void)
{
	void *second = dlopen("libsecond.so", RTLD_LAZY | RTLD_NOLOAD);
	clock_t until = clock() + CLOCKS_PER_SEC / 20;

	while (clock() < until)
		;
	printf("default %d\n", call(dlsym(RTLD_DEFAULT, "who")));
	printf("next of first %d, of second %d, of the program %d\n",
	       next_of_first(), next_of_second(), call(dlsym(RTLD_NEXT, "who")));
	printf("second %d\n", call(dlsym(second, at_end_of_page("who"))));
	printf("no error %d\n", !dlerror());
	printf("none %d\n", !dlsym(second, "nobody"));
	printf("%s\n", dlerror());
	printf("none %d\n", !dlsym(RTLD_DEFAULT, at_end_of_page("x")));
	printf("%s\n", strstr(dlerror(), "undefined symbol"));
	printf("none %d\n", !dlsym(second, "MPI_Send"));
	printf("%s\n", dlerror());
	return 0;
}
C
}

# Another tool's dlsym(), which says what it was asked for.
build_spy() {
	$CC -w -shared -fPIC -o spy.so -x c - <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
static int count;
void *dlsym(void *handle, const char *name)
{
	void *(*real)(void *, const char *) =
		dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");

	count += !strcmp(name, "who");
	return real(handle, name);
}
__attribute__((destructor)) static void end(void)
{
	fprintf(stderr, "spied on %d\n", count);
}
C
}

# same COMMAND…: the output, with copse and without; leaves ./with.
same() {
	"$@" >without 2>&1 || { cat without; return 1; }
	rm -rf look.copse
	"$copse" run -q -o look.copse "$@" >with 2>&1 || { cat with; return 1; }
	[ -e look.copse/rank-0.h5 ] && diff without with
}

plain() {
	same ./look && grep -qx 'next of first 2, of second 0, of the program 1' \
		with && grep -qx 'second 2' with
}

# Whoever of the two comes first.
beside_a_spy() {
	ours=$builddir/libcopse.so spy=$scratch/spy.so
	LD_PRELOAD=$spy ./look >without 2>&1 || return
	for order in "$ours:$spy" "$spy:$ours"; do
		LD_PRELOAD=$order ./look >with 2>&1 &&
			diff without with || return
	done
	cat with
	grep -qx 'spied on 5' with
}

cd "$scratch" || exit 99
export LD_LIBRARY_PATH="$scratch"
build_program && build_spy || exit 99
point "names are found where they are without copse" plain
point "another tool that stands in front of look-ups goes on" beside_a_spy
points_done
