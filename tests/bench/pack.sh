#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# pack.sh DIRECTORY - copse, the programs with known answers and the benches, in
# a directory that may be copied to another machine with a C library no older
# than this one's, where nothing has to be installed or built:
#
#   DIRECTORY/bench accuracy.sh 5
#   DIRECTORY/gpu RESULTS            tests/gpu/all.sh, if CUDA was here
#   MODEL=DIRECTORY/rank-0.h5 DIRECTORY/bench merge.sh 10240
#                                    after a rank of LAMMPS, if that was here
#
# The same is in DIRECTORY.tar.gz, in a third of the room.
#
# Benches that need MPI, perf or LAMMPS find it there or say so.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/bench/gpu.sh
. "$(dirname "$0")/gpu.sh"
[ $# -eq 1 ] || { echo "usage: pack.sh DIRECTORY" >&2; exit 2; }
mkdir -p "$1" || exit
pack=$(cd "$1" && pwd)
log=$scratch/log

# The command finds its libraries beside itself, and so do those.
# shellcheck disable=SC2016 # the loader's $ORIGIN
build() {
	rm -rf "$pack/copse"
	mkdir -p "$scratch/build" && cd "$scratch/build" || return
	"$srcdir/configure" --prefix="$pack/copse" \
		LDFLAGS=-Wl,--disable-new-dtags &&
		export LD_RUN_PATH='$ORIGIN/../lib/copse:$ORIGIN' &&
		make -j2 install-strip && make -j2 check TESTS= && make -j2 gpu-programs
}

# What copse opens is linked with, but for the C library's own.
libraries() {
	ldd "$pack/copse/lib/copse/libcopse-tools.so" | awk '$2 == "=>" { print $3 }' |
		grep -vE '/(libc|libm|libpthread|libdl|librt|libresolv)[.]so' |
		xargs -r -I '{}' cp -L '{}' "$pack/copse/lib/copse/"
}

programs_and_scripts() {
	mkdir -p "$pack/programs" "$pack/helpers" "$pack/tests"
	find "$scratch/build/tests/programs" -maxdepth 1 -type f -perm -u+x \
		-exec cp '{}' "$pack/programs/" ';'
	cp -r "$srcdir/tests/lib" "$pack/tests/" &&
		cp -r "$srcdir/tests/bench" "$pack/tests/"
}

helpers() {
	compile deep && compile start && compile tick && compile fork &&
		compile fork-floor -shared -fPIC &&
		source=deep compile deep-frames -fno-omit-frame-pointer &&
		compile_handler empty && compile_handler frames || return
	compile_handler unwind -lunwind
	compile tally -shared -fPIC
	compile counted-time -shared -fPIC
	compiler=${MPICC:-mpicc} compile mpi-call
	compiler=${MPICC:-mpicc} compile mpi-turns -ldl
	compiler=${MPICC:-mpicc} compile empty-pmpi -shared -fPIC
	keep_helpers
	make_ranks
}

# It finds its libraries where the command does.
make_ranks() {
	cp "$scratch/build/tests/bench/make-ranks" "$pack/copse/bin/" &&
		ln -sf ../copse/bin/make-ranks "$pack/helpers/make-ranks" &&
		lammps_rank
}

# What merge.sh makes ranks after: MODEL=DIRECTORY/rank-0.h5.
lammps_rank() {
	command -v lmp >/dev/null && command -v mpirun >/dev/null || return 0
	cd "$scratch" || return
	sed -n '/^units/,/^run/p' "$srcdir/tests/real/lammps.sh" |
		sed 's/^run.*/run 1500/' >in.melt
	mpirun --allow-run-as-root --oversubscribe -n 4 \
		"$pack/copse/bin/copse" run -q -e cpu,wall -o lammps.copse \
		lmp -log none -in in.melt &&
		cp lammps.copse/rank-0.h5 "$pack/"
}

# What of $scratch can be run or loaded.
keep_helpers() {
	find "$scratch" -maxdepth 1 -type f -perm -u+x \
		-exec cp '{}' "$pack/helpers/" ';'
}

# The programs, what checks them, and the benches; nothing without CUDA.
gpu_parts() {
	[ -x "$scratch/build/tests/gpu/paths" ] || return 0
	mkdir -p "$pack/gpu-programs" "$pack/tests/gpu"
	find "$scratch/build/tests/gpu" -maxdepth 1 -type f -perm -u+x \
		-exec cp '{}' "$pack/gpu-programs/" ';'
	for kind in sh awk tbl ptx py; do
		cp "$srcdir"/tests/gpu/*.$kind "$pack/tests/gpu/" || return
	done
	compile_cuda gpu-launch && compile_floors && FLOORS=all compile_parts &&
		compile_turns && compile_cuda gpu-turns -ldl &&
		compile_cuda gpu-train -lcublas -L"$cuda/lib64" \
			-Xlinker "-rpath=$cuda/lib64" || return
	ldd "$scratch/unwind-floor" 2>/dev/null |
		awk '/unwind|lzma/ { print $3 }' |
		xargs -r -I '{}' cp -L '{}' "$scratch/"
	keep_helpers
	find "$scratch" -maxdepth 1 -name 'lib*.so*' \
		-exec cp '{}' "$pack/helpers/" ';'
}

# front NAME COMMAND: a script of the pack.
# shellcheck disable=SC2016 # its own variables
front() {
	printf '%s\n' '#!/bin/bash' 'here=$(cd "$(dirname "$0")" && pwd)' \
		'export COPSE=$here/copse/bin/copse' \
		'export PROGRAMS=$here/programs HELPERS=$here/helpers' \
		'export GPU_PROGRAMS=$here/gpu-programs' \
		"exec $2" >"$pack/$1" &&
		chmod +x "$pack/$1"
}

# shellcheck disable=SC2016 # variables of the fronts
fronts() {
	front bench '"$here/tests/bench/$@"' &&
		front gpu '"$here/tests/gpu/all.sh" "$@"'
}

for step in build libraries programs_and_scripts helpers gpu_parts \
	fronts; do
	($step) >"$log" 2>&1 || { cat "$log"; echo "pack.sh: $step failed" >&2; exit 1; }
done
tar -C "$pack/.." -czf "$pack.tar.gz" "$(basename "$pack")"
du -sh "$pack" "$pack.tar.gz"
