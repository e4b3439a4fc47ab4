#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sanitize.sh - everything offline, built with ASan and UBSan in ./sanitize of
# the build tree: what profiles of real runs say, in all reports and formats, and
# a bounded run of the fuzzers on files made from them.
#
#   FUZZ_SECONDS=600 tests/system/sanitize.sh     looks longer
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
seconds=${FUZZ_SECONDS:-15}
tree=$builddir/sanitize
flags="-g -O0 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
unset MAKEFLAGS MFLAGS MAKELEVEL
made=$builddir/tests/gpu/made
export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH MADE_FAULT MADE_UUID
export UBSAN_OPTIONS=print_stacktrace=1

# The words of a variable of the tree's makefile.
words_of() {
	printf 'words:\n\t@echo $(%s)\n' "$1" | make -s -f Makefile -f - words |
		tail -n 1 # it may tell that it makes itself anew
}

build() {
	need clang pkg-config
	echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' >"$scratch/try.c"
	clang -fsanitize=fuzzer,address -o "$scratch/try" "$scratch/try.c" \
		>"$scratch/out" 2>&1 || skip "clang has no libFuzzer here"
	mkdir -p "$tree" && cd "$tree" || return
	# Again when this tree was: packages may have come.
	if [ -z "$(find Makefile -newer "$builddir/config.status" 2>/dev/null)" ]; then
		"$srcdir/configure" -q CC=clang CXX=clang++ --disable-hardening \
			CFLAGS="$flags -fsanitize=fuzzer-no-link" \
			>configure.out 2>&1 || { cat configure.out; return 1; }
	fi
	# shellcheck disable=SC2046 # a list of words
	{
		make -j2 $(words_of BUILT_SOURCES) &&
			make -j2 copse libcopse-tools.so page/page.html
	} >make.out 2>&1 || { tail -n 40 make.out; return 1; }
	compile all-reports -fsanitize=fuzzer-no-link || return
	for name in live node store cubin; do
		compile fuzz-$name -fsanitize=fuzzer || return
	done
}

# compile NAME FLAG
compile() {
	# shellcheck disable=SC2046,SC2086 # lists of words
	clang -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror $flags "$2" \
		-I"$srcdir" -I"$srcdir/src" -I. -Isrc $(words_of HDF5_CFLAGS) \
		-o "$1" "$srcdir/tests/fuzz/$1.c" \
		"$srcdir/tests/fuzz/exercise.c" libformat.a \
		libanalyse.a libmerge.a libwaits.a librun.a libsymbol.a \
		libprofile.a liblive.a libbase.a \
		$(words_of HDF5_LIBS) $(words_of DW_LIBS) \
		$(words_of LIBDEFLATE_LIBS) $(words_of ISAL_LIBS) \
		$(words_of ZLIB_LIBS) $(words_of ZSTD_LIBS) \
		$(words_of CAPSTONE_LIBS) $(words_of OTF2_LIBS) \
		-liberty -lpthread -lm
}

built() {
	[ -x "$tree/fuzz-store" ] || skip "it was not built"
}

# Real runs, measured by the ordinary build.
measure() {
	mkdir -p bases live || return
	"$copse" run --quiet -o phases.copse "$programs/phases" 0.1 >out 2>&1 &&
		"$copse" run --quiet -o steady.copse "$programs/steady" 0.2 \
			>out 2>&1 || { cat out; return 1; }
	if [ -x "$programs/delays" ] && command -v mpirun >/dev/null; then
		mpirun -n 3 "$copse" run --quiet -o delays.copse \
			"$programs/delays" halo-wave iterations=5 &&
			mpirun -n 4 "$copse" run --quiet -o exchange.copse \
				"$programs/exchange"
	fi >out 2>&1 || { cat out; return 1; }
	for rank in 0 1; do
		OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 \
			PMIX_NAMESPACE=node "$copse" run --quiet --gather on \
			-o node.copse "$programs/steady" 0.05 || return
	done >out 2>&1
	raw_copy "$programs/phases" 30 || return
	[ ! -x "$made-times" ] || gpus
}

# GPUs that processes share, and devices of one process.
gpus() {
	"$copse" run --quiet -o facts.copse --gpu-faults=on "$made" facts \
		>out 2>&1 || { cat out; return 1; }
	${CC:-cc} -c -o stalls.o "$srcdir/tests/gpu/stalls.s" &&
		"$copse" run --quiet -o stalls.copse --gpu-sampling=on "$made" \
			stalls stalls.o >out 2>&1 || { cat out; return 1; }
	"$copse" run --quiet -o gpus.copse sh -c "'$made-times' shared 0 &
		'$made-times' shared 0 & '$made-times' devices
		wait" >out 2>&1 || { cat out; return 1; }
	raw_copy "$made-times" idle 300 && power
}

# Their energy.
power() {
	export LD_LIBRARY_PATH="$builddir/tests/gpu/nvml" COPSE_GPU_POWER=on
	"$copse" run --quiet -o power.copse "$made-energy" phases \
		>out 2>&1 || { cat out; return 1; }
	raw_copy "$made-energy" work 300
	unset LD_LIBRARY_PATH COPSE_GPU_POWER
}

# raw_copy PROGRAM…: what a parent leaves that is killed.
raw_copy() {
	"$copse" run --quiet --checkpoint 1 --force -o killed.copse "$@" \
		>out 2>&1 &
	parent=$!
	before=$(find live -type f | wc -l)
	rounds=0 # a busy machine may take long to start it
	while [ $((rounds += 1)) -le 120 ]; do
		sleep 0.5
		for file in killed.copse/*.live; do
			[ ! -e "$file" ] || cp "$file" "live/$parent.live"
		done
		[ "$(find live -type f | wc -l)" = "$before" ] || break
	done
	kill -9 $parent
	[ "$(find live -type f | wc -l)" != "$before" ] ||
		{ echo "no raw copy"; return 1; }
}

# The commands as a user calls them.
merge_all() {
	for dir in *.copse; do
		"$tree/copse" merge "$dir" -o "bases/${dir%.copse}-run.h5" &&
			"$tree/copse" info "$dir" || return
		[ ! -e "$dir/rank-0.h5" ] ||
			cp "$dir/rank-0.h5" "bases/${dir%.copse}-rank.h5"
	done
}

# show RUN: as a user asks for it.  Each analysis in each format, alone and of two
# runs, is in show_all().
show() {
	for what in $("$tree/copse" report none 2>&1 |
		sed 's/.*analyses: //' | tr -d ,); do
		try "$tree/copse" report "$what" "$1" || return
	done
	for format in text csv json; do
		try "$tree/copse" report "$1" -f $format &&
			try "$tree/copse" report diff "$1" "$1" -f $format &&
			try "$tree/copse" report scaling "$1" "$1" \
				-f $format || return
	done
}

# Of each run, all in one process; the command's way there is the same whatever
# the run.
show_all() {
	show bases/steady-run.h5 || return
	for run in bases/*-run.h5; do
		for what in nodes ranks values hatchet; do
			"$tree/copse" export $what "$run" || return
		done
		"$tree/all-reports" "$run" || return
		try "$tree/copse" gate "$run" "$run" -f junit \
			--fail-if 'total>1%' --fail-if 'path(*)>1%' || return
	done
}

offline() {
	built
	merge_all >out 2>&1 && [ -n "$(ls bases)" ] && show_all >out 2>&1 ||
		{ tail -n 40 out; return 1; }
}

# May refuse (1, 2), but not break.
try() {
	"$@"
	[ $? -le 2 ] && ! grep -q -e 'runtime error' -e AddressSanitizer out
}

# fuzz NAME MOST: from real files, for a while.
fuzz() {
	built
	mkdir -p "corpus-$1"
	if [ "$1" = live ]; then
		cp live/* corpus-live/
	elif [ "$1" = cubin ]; then
		${CC:-cc} -c -o corpus-cubin/stalls.o \
			"$srcdir/tests/gpu/stalls.s" || return
	elif [ "$1" = node ]; then
		cp node.copse/node-*.h5 corpus-node/
	else
		# Changes to each of the real files, the same each time.
		awk 'BEGIN { srand(7)
			for (i = 0; i < 24; i++) {
				file = sprintf("corpus-store/%d", i)
				printf "%c", 33 + i >file
				for (k = 0; k < 64; k++)
					printf "%c", 33 + int(94 * rand()) >file
				close(file)
			} }'
	fi
	FUZZ_BASES=bases "$tree/fuzz-$1" -seed=1 -max_len="$2" -timeout=60 \
		-rss_limit_mb=2048 -max_total_time="$seconds" "corpus-$1" \
		>"fuzz-$1.out" 2>&1 && grep '^Done' "fuzz-$1.out" && return
	grep -v -e NEW -e REDUCE -e pulse "fuzz-$1.out" | tail -n 60
	cp ./*-???????????????????????????????????????? "$tree/" 2>/dev/null &&
		echo "the input is in $tree"
	return 1
}

point "build" build
cd "$scratch" || exit 99
point "real runs" measure
point "all reports and exports" offline
point "fuzz live profiles" fuzz live 65536
point "fuzz the files of hosts" fuzz node 65536
point "fuzz code of GPUs" fuzz cubin 16384
point "fuzz rank files and databases" fuzz store 400
points_done
