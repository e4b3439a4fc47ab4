# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# gpu.sh - what the benches of GPUs share, beside bench.sh.
#
#   CUDA  where CUDA is, /usr/local/cuda

cuda=${CUDA:-/usr/local/cuda}
gpu_programs=${GPU_PROGRAMS:-$builddir/tests/gpu}
PATH=$PATH:$cuda/bin
row='%-16s %-44s %-32s %s\n'

# compile_cuda NAME FLAG...: tests/bench/NAME.cu.
compile_cuda() {
	[ -n "${HELPERS-}" ] || have nvcc || return
	compiler=nvcc suffix=cu compile "$1" \
		-gencode arch=compute_75,code=compute_75 \
		-gencode arch=compute_90,code=sm_90 "${@:2}"
}

# compile_floor NAME FLAG...: a library for the driver to load.
compile_floor() {
	compile "$1-floor" -shared -fPIC -I"$cuda/include" "${@:2}" -ldl
}

# compile_floors: those that can be had are in $floors.
compile_floors() {
	floors=
	compile_floor activity && floors="activity"
	compile_floor callback && floors="$floors callback"
	compile_floor unwind -lunwind && floors="$floors unwind"
	[ -n "$floors" ]
}

# What copse is given for CUPTI where ways to use it take turns.
compile_turns() {
	compile turns-cupti -shared -fPIC -I"$cuda/include" \
		-Wl,--no-as-needed -L"$cuda/lib64" -lcupti \
		-Wl,-rpath,"$cuda/lib64" -ldl
}

# What copse asks of CUPTI beside records of kernels, each for itself.
parts="calls kinds clock flush"

# compile_parts: of $parts those that can be had, when they are asked for.
compile_parts() {
	local part had=

	for part in ${FLOORS:+$parts}; do
		compile_floor "$part" && had="$had $part"
	done
	parts=$had
}

# A launcher that stands in front of all.
launch=()

# under KIND COMMAND...: plain, with a floor, or with copse.  A framework brings
# libraries of its own: what a floor needs is named for that one alone.
under() {
	local kind=$1 libraries=

	shift
	[ "$kind" != unwind ] || [ -z "${HELPERS-}" ] ||
		libraries=LD_LIBRARY_PATH=$HELPERS
	case $kind in
	plain)	"${launch[@]}" "$@" ;;
	copse)	rm -rf "$scratch/gpu.copse"
		"${launch[@]}" "$copse" run --quiet -o "$scratch/gpu.copse" "$@" ;;
	*)	rm -f "$scratch/bytes" "$scratch/readings"
		"${launch[@]}" env $libraries \
			"GPU_FLOOR_BYTES=$scratch/bytes" \
			"GPU_FLOOR_CLOCK=$scratch/readings" \
			"CUDA_INJECTION64_PATH=$scratch/$kind-floor" "$@" ;;
	esac
}

# recorded KIND: says what was recorded of the run before; false when that is
# nothing, since then it was no measurement.
recorded() {
	local what=bytes much=0

	case $1 in
	plain | profiler) return 0 ;;
	copse)	what=launches
		much=$("$copse" report gpu-kernels -n 0 -f csv \
			"$scratch/gpu.copse" 2>/dev/null |
			awk -v columns=count -f "$srcdir/tests/lib/csv.awk" \
				2>/dev/null | awk '{ n += $1 } END { print n + 0 }') ;;
	*)	much=$(awk '{ n += $1 } END { print n + 0 }' \
			"$scratch/bytes" 2>/dev/null || echo 0)
		[ "$1" != clock ] ||
			echo "# the clock was read $(cat "$scratch/readings") times" ;;
	esac
	echo "# $1 recorded $much $what"
	[ "$much" -gt 0 ] || { echo "# no figure of $1: $(head -n 1 "$scratch/err")"
		return 1; }
}

# need_gpu COMMAND...: false, with a word, where it says that there is none.
need_gpu() {
	"$@" >"$scratch/try" 2>"$scratch/err" && return
	echo "# no figures: $(sed -n 's/^skip: //p' "$scratch/err" | head -n 1 |
		grep . || tail -n 1 "$scratch/err")"
	return 1
}

# keep NAME KIND VALUE: of this round.
keep() {
	echo "$3" >>"$scratch/$1.$2"
	echo "$round $3" >>"$scratch/$1.$2.by-round"
}

# above NAME KIND OTHER: by how many per cent, of the pairs of each round, with
# its 95 % interval; of the one alone "-".
above() {
	[ "$2" != "$3" ] && [ -s "$scratch/$1.$3" ] || { echo -; return; }
	join <(sort "$scratch/$1.$2.by-round") <(sort "$scratch/$1.$3.by-round") |
		awk '{ print ($2 / $3 - 1) * 100 }' >"$scratch/pairs"
	echo "$(confidence "$scratch/pairs") %"
}

gpu_machine() {
	machine
	have nvidia-smi || return 0
	nvidia-smi --query-gpu=name,driver_version --format=csv,noheader |
		sort | uniq -c | sed 's/^/# /'
}
