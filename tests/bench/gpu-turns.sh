#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# gpu-turns.sh [ROUNDS] - what copse adds to work of a GPU, above CUPTI's records of
# kernels alone and above nothing, where gpu-launch.sh and gpu-apps.sh cannot
# tell: all ways take turns of milliseconds within one process (gpu-turns.cu),
# since processes, and minutes of a machine, differ by more.  Printed are the mean of
# the differences within each round and its 95 % interval.
#
#   nothing  CUPTI is loaded and subscribed, and asked for nothing
#   kernels  records of kernels alone, the floor of anybody who measures kernels
#   records  of all kinds that copse asks for
#   empty    and all its calls called back for, by a function that does nothing;
#            -runtime: those of the runtime alone
#   copse    copse; runtime: told of calls of the runtime alone
#
# What happens beside the program's thread, as records are read, is in all of them.
#
#   WORKS  of launch graph stencil-4096 stencil-8192 stencil-16384 torch-small
#          torch-large (all but the last two)
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/bench/gpu.sh
. "$(dirname "$0")/gpu.sh"
rounds=${1:-300}

# words WORK: in $app.
words() {
	case $1 in
	torch-*) app=(env "MODEL=${1#torch-}" python3
			"$srcdir/tests/bench/gpu-train.py" "$rounds" turns
			"$scratch/turns-cupti") ;;
	*)	app=("$scratch/gpu-turns" "$1" "$rounds" "$scratch/turns-cupti") ;;
	esac
}

# above_other WAY OTHER: by how many per cent, of the pairs of each round.
above_other() {
	[ "$1" != "$2" ] || { echo -; return; }
	awk -v way="$1" -v other="$2" '
		$2 == way { a[$1] = $3 }
		$2 == other { b[$1] = $3 }
		END { for (r in a) if (r in b) print (a[r] / b[r] - 1) * 100 }' \
		"$scratch/turns" >"$scratch/pairs"
	echo "$(confidence "$scratch/pairs") %"
}

one_work() {
	local way

	words "$1"
	rm -rf "$scratch/turns.copse"
	COPSE_CUPTI=$scratch/turns-cupti "$copse" run --quiet \
		-o "$scratch/turns.copse" "${app[@]}" >"$scratch/turns" \
		2>"$scratch/err" ||
		{ echo "# no figures of $1: $(tail -n 1 "$scratch/err")"; return; }
	for way in $(awk '!seen[$2]++ { print $2 }' "$scratch/turns" | sort); do
		awk -v way="$way" '$2 == way { print $3 }' "$scratch/turns" \
			>"$scratch/ns"
		# shellcheck disable=SC2059 # the same row for all
		printf "$row" "$1 $way" "$(median "$scratch/ns")" \
			"$(above_other "$way" kernels)" "$(above_other "$way" nothing)"
	done
}

compile_cuda gpu-turns -ldl || exit 0
need_gpu "$scratch/gpu-turns" launch 1 || exit 0
compile_turns || exit 1
gpu_machine
row='%-26s %-40s %-34s %s\n'
# shellcheck disable=SC2059
printf "$row" "ns, $rounds rounds" "median (extremes)" "above kernels" \
	"above nothing"
for work in ${WORKS:-launch graph stencil-4096 stencil-8192 stencil-16384}; do
	one_work "$work"
done
