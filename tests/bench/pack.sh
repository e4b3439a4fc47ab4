#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# pack.sh DIRECTORY - copse, the programs with known answers and the benches, in
# a directory that may be copied to another machine with a C library no older
# than this one's, where nothing has to be installed or built:
#
#   DIRECTORY/bench accuracy.sh 5
#
# Benches that need MPI, perf or LAMMPS find it there or say so.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
[ $# -eq 1 ] || { echo "usage: pack.sh DIRECTORY" >&2; exit 2; }
mkdir -p "$1" || exit
pack=$(cd "$1" && pwd)
log=$scratch/log

# The command finds its libraries beside itself, and so do those.
# shellcheck disable=SC2016 # the loader's $ORIGIN
build() {
	mkdir -p "$scratch/build" && cd "$scratch/build" || return
	"$srcdir/configure" --prefix="$pack/copse" \
		LDFLAGS=-Wl,--disable-new-dtags &&
		LD_RUN_PATH='$ORIGIN/../lib/copse' make -j2 install &&
		make -j2 check TESTS=
}

# What copse is linked with, but for the C library's own.
libraries() {
	ldd "$pack/copse/bin/copse" | awk '$2 == "=>" { print $3 }' |
		grep -vE '/(libc|libm|libpthread|libdl|librt|libresolv)[.]so' |
		xargs -r -I '{}' cp -L '{}' "$pack/copse/lib/copse/"
}

programs_and_scripts() {
	mkdir -p "$pack/programs" "$pack/helpers" "$pack/tests"
	find "$scratch/build/tests/programs" -maxdepth 1 -type f -perm -u+x \
		-exec cp '{}' "$pack/programs/" ';'
	cp "$srcdir"/tests/*.awk "$srcdir"/tests/*.sh "$pack/tests/" &&
		cp -r "$srcdir/tests/bench" "$pack/tests/"
}

helpers() {
	compile deep && compile start &&
		source=deep compile deep-frames -fno-omit-frame-pointer &&
		compile_handler empty && compile_handler frames || return
	compile_handler unwind -lunwind
	compiler=${MPICC:-mpicc} compile mpi-call
	compiler=${MPICC:-mpicc} compile empty-pmpi -shared -fPIC
	find "$scratch" -maxdepth 1 -type f -perm -u+x \
		-exec cp '{}' "$pack/helpers/" ';'
}

# shellcheck disable=SC2016 # its own variables
front() {
	printf '%s\n' '#!/bin/bash' 'here=$(cd "$(dirname "$0")" && pwd)' \
		'export COPSE=$here/copse/bin/copse' \
		'export PROGRAMS=$here/programs HELPERS=$here/helpers' \
		'exec "$here/tests/bench/$@"' >"$pack/bench" &&
		chmod +x "$pack/bench"
}

for step in build libraries programs_and_scripts helpers front; do
	($step) >"$log" 2>&1 || { cat "$log"; echo "pack.sh: $step failed" >&2; exit 1; }
done
du -sh "$pack"
