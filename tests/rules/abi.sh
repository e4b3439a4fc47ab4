#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# abi.sh - the libraries that are loaded into the user's program leave
# nothing there but the names they are for, and ask for nothing it lacks.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

interposed=$srcdir/src/collect/interposed.list

exported() {
	nm -D --defined-only "$1" | awk '$2 != "A" { print $NF }' |
		sed 's/@.*//' | sort -u
}

wanted() {
	sed 's/#.*//; s/[ 	].*//; /^$/d' "$interposed" | sort -u
}

# The linker leaves the ends of a section there, hidden.
collector_exports() {
	exported libcopse.so |
		grep -v -e '^copse_' -e '^__st[a-z]*_copse_' >"$scratch/is"
	wanted >"$scratch/want"
	diff "$scratch/want" "$scratch/is"
}

# needs LIBRARY ALLOWED…: what it is linked with.
needs() {
	library=$1
	shift
	objdump -p "$library" | awk '$1 == "NEEDED" { print $2 }' >"$scratch/is"
	# Before glibc 2.34, parts of the C library had files of their own.
	for may in libpthread.so libdl.so librt.so "$@"; do
		grep -v "^$may" "$scratch/is" >"$scratch/rest"
		mv "$scratch/rest" "$scratch/is"
	done
	cat "$scratch/is"
	[ ! -s "$scratch/is" ]
}

# All else is opened when it is needed: it is beside each rank for long.
tools_exports() {
	[ "$(exported libcopse-tools.so)" = copse_tools ]
}
# c_symbols FILE…: what they ask the C library for, or define in its name: MINOR
# NAME, for NAME@GLIBC_2.MINOR.
c_symbols() {
	objdump -T "$@" | sed -n \
		's/.*[ (]GLIBC_2\.\([0-9]*\)[0-9.]*)\{0,1\} *\([^ ]*\)$/\1 \2/p'
}

# Clusters have old C libraries (RHEL 8: 2.28).  A build on a newer system asks
# for the newest version of a function, which that system has under an older
# version, too, if the function is old.  Those of stat() were in no library.
asks_for_old_functions() {
	ldd "$@" | grep -oE '/[^ ]*/(lib(c|m|pthread|dl|rt)|ld-linux-x86-64)\.so\.[0-9]+' |
		sort -u >"$scratch/libraries"
	# shellcheck disable=SC2046 # names without blanks
	c_symbols $(cat "$scratch/libraries") | awk '$1 <= 28' >"$scratch/old"
	[ -s "$scratch/old" ] || return
	c_symbols "$@" | grep -vE ' ([fl]?stat|fstatat|__isoc23_.*)$' |
		awk 'NR == FNR { old[$2]; next } $1 > 28 && !($2 in old)' \
			"$scratch/old" - >"$scratch/is"
	cat "$scratch/is"
	[ ! -s "$scratch/is" ]
}
point "no function is newer than glibc 2.28" asks_for_old_functions \
	copse libcopse*.so
point "copse needs the C library only" needs copse libc.so ld-linux
point "libcopse-tools exports one name" tools_exports

# hardened FILE: unless configure was told otherwise.
hardened() {
	! grep -q -e --disable-hardening config.log ||
		skip 'configured with --disable-hardening'
	readelf -dW "$1" | grep -qE 'BIND_NOW|FLAGS_1.*NOW' &&
		nm -D --undefined-only "$1" >"$scratch/asks" || return
	! grep -q '^HARDEN_CFLAGS.*stack-protector' Makefile ||
		grep -q __stack_chk_fail "$scratch/asks" || return
	! grep -q '^HARDEN_CFLAGS.*FORTIFY' Makefile ||
		grep -q '_chk\(@\|$\)' "$scratch/asks"
}

# What ends the program when it fails is not for somebody else's.
guest() {
	readelf -dW "$1" | grep -qE 'BIND_NOW|FLAGS_1.*NOW' &&
		! nm -D --undefined-only "$1" | grep '_chk'
}

for file in copse libcopse-tools.so; do
	[ -e "$file" ] || continue
	point "$(basename "$file") is hardened" hardened "$file"
done
for library in libcopse.so libcopse-mpi-*.so \
	libcopse-openmp.so libcopse-locks.so \
	libcopse-io.so \
	libcopse-heap.so libcopse-heap-operators.so \
	libcopse-cuda.so; do
	[ ! -e "$library" ] ||
		point "$(basename "$library") ends no program" guest "$library"
done

# What programs are linked with stays, unless the number in the name grows: what
# is in abi.list is neither changed nor removed.
keeps_its_abi() {
	list=$srcdir/src/collect/abi.list
	cc -E -P "$srcdir/src/copse.h" | sed '/^$/d' | diff "$list" - || return
	sed -n 's/.*\(copse_[a-z]*\)(.*/\1/p' "$list" | sort >"$scratch/want"
	exported libcopse.so | comm -13 - "$scratch/want" >"$scratch/lost"
	cat "$scratch/lost"
	[ -s "$scratch/want" ] && [ ! -s "$scratch/lost" ]
}

soname_of() {
	objdump -p "$1" | awk '$1 == "SONAME" { print $2 }'
}

# So that it is there once, whichever asks for it first.
is_one_file() {
	soname_of libcopse.so
	[ "$(soname_of libcopse.so)" = libcopse.so.1 ] || return
	for library in libcopse-*.so; do
		objdump -p "$library" | grep -q 'NEEDED *libcopse\.so$' || continue
		echo "$library asks for another name"
		return 1
	done
}
point "libcopse keeps its ABI" keeps_its_abi
point "libcopse has one name for the loader" is_one_file

mpi_exports() {
	exported "$1" | grep -v -e '^P*MPI_' -e '^mpi_' -e '^copse_' \
		>"$scratch/is"
	cat "$scratch/is"
	[ ! -s "$scratch/is" ]
}

# One reference to MPI makes the library unloadable in a program without it.
refers_to_no_mpi() {
	nm -D --undefined-only "$1" | grep -E ' (P?MPI_|ompi_|mpi_)' && return 1
	return 0
}

# Functions that a library has in several versions, which differ.
of_several_versions() {
	for name in libc.so.6 libpthread.so.0 libgomp.so.1; do
		library=$(ldconfig -p |
			awk -v name=$name '$1 == name { print $NF; exit }')
		[ -z "$library" ] || nm -D --defined-only "$library" | awk '{
				sub(/@.*/, "", $3)
				if ($3 in at && at[$3] != $1)
					print $3
				at[$3] = $1
			}'
	done | sort -u
}

# Before glibc 2.36 dlsym(RTLD_NEXT) finds the oldest of them: what is called on
# has to be asked for by its version, as these are.
versions_are_asked_for() {
	of_several_versions >"$scratch/several"
	grep -qx posix_spawn "$scratch/several" || return
	for library in libcopse*.so; do
		exported "$library"
	done | sort -u | comm -12 - "$scratch/several" |
		grep -vxE 'posix_spawnp?|pthread_cond_(timed)?wait|omp_(un)?set_(nest_)?lock_?' \
			>"$scratch/unasked"
	sed 's/^/several versions: /' "$scratch/unasked"
	[ ! -s "$scratch/unasked" ]
}

point "libcopse exports its own names and interposed.list" collector_exports
point "functions of several versions are asked for by version" \
	versions_are_asked_for
point "libcopse needs the C library only" needs libcopse.so libc.so \
	ld-linux
for library in libcopse-mpi-*.so; do
	[ -e "$library" ] || continue
	name=$(basename "$library")
	point "$name exports MPI functions only" mpi_exports "$library"
	point "$name refers to no MPI symbol" refers_to_no_mpi "$library"
	point "$name needs no MPI library" needs "$library" libc.so ld-linux \
		libcopse
done

openmp_exports() {
	{
		echo ompt_start_tool
		sed -n 's/^[RWTLCU][A-Z_]*(\([A-Za-z_]*\)[,)].*/\1/p' \
			"$srcdir/openmp/functions.def"
	} | sort >"$scratch/want"
	exported libcopse-openmp.so >"$scratch/is"
	diff "$scratch/want" "$scratch/is"
}
point "libcopse-openmp exports what functions.def has" openmp_exports
point "libcopse-openmp needs no OpenMP library" needs \
	libcopse-openmp.so libc.so ld-linux libcopse

locks_exports() {
	sed -n 's/^[A-Z]*(\([a-z_]*\), [A-Z]*, .*/\1/p' \
		"$srcdir/locks/interposed.def" | sort >"$scratch/want"
	[ -s "$scratch/want" ] || return
	exported libcopse-locks.so >"$scratch/is"
	diff "$scratch/want" "$scratch/is"
}
# Of the old ones the program gets the C library's.
conditions_are_new() {
	nm -D --defined-only libcopse-locks.so | grep ' pthread_cond_' |
		grep -v clockwait >"$scratch/is"
	[ "$(grep -c '@@GLIBC_2.3.2$' "$scratch/is")" -eq 2 ]
}
# heap_exports LIBRARY TABLE [OTHER]
heap_exports() {
	{ sed -n 's/^[A-Z_]*(\([A-Za-z_0-9]*\)[,)].*/\1/p' "$srcdir/heap/$2"
		echo "${3-}"; } | sed '/^$/d' | sort >"$scratch/want"
	[ -s "$scratch/want" ] || return
	exported "$1.so" >"$scratch/is"
	diff "$scratch/want" "$scratch/is"
}
point "libcopse-heap exports what allocators.def has" heap_exports \
	libcopse-heap allocators.def copse_heap_undrawn
point "libcopse-heap-operators exports what operators.def has" heap_exports \
	libcopse-heap-operators operators.def
for name in heap heap-operators; do
	point "libcopse-$name needs the C library only" needs \
		libcopse-$name.so libc.so ld-linux libcopse
done
point "libcopse-locks exports what interposed.def has" locks_exports
point "libcopse-locks has the new kind of conditions" conditions_are_new
point "libcopse-locks needs the C library only" needs \
	libcopse-locks.so libc.so ld-linux libcopse

# Those of the table, and those that have code of their own.
io_exports() {
	{
		sed -n 's/^[A-Z]*([a-z_]*, \([a-z_0-9]*\), .*/\1/p' \
			"$srcdir/io/calls.def"
		cat "$srcdir/io/interposed.list"
	} | sort >"$scratch/want"
	exported libcopse-io.so | grep -v '^__st[a-z]*_copse_' \
		>"$scratch/is"
	diff "$scratch/want" "$scratch/is"
}
point "libcopse-io exports what its lists have" io_exports
point "libcopse-io needs the C library only" needs \
	libcopse-io.so libc.so ld-linux libcopse

cuda_exports() {
	exported "$1" | grep -v -e '^InitializeInjection$' -e '^InitializeInjectionNvtx2$' \
		-e '^InitializeInjectionNvtxExtension$' >"$scratch/is"
	cat "$scratch/is"
	[ ! -s "$scratch/is" ]
}

# One reference to CUDA, and the driver could not load it without CUPTI.
refers_to_no_cuda() {
	nm -D --undefined-only "$1" | grep -E ' (cu[A-Z]|cuda|cupti)' &&
		return 1
	return 0
}

library=libcopse-cuda.so
if [ -e $library ]; then
	point "$library exports what the driver calls only" \
		cuda_exports $library
	point "$library refers to no CUDA symbol" refers_to_no_cuda $library
	point "$library needs no CUDA library" needs $library libc.so \
		ld-linux libcopse
fi
points_done
