#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# gpu-apps.sh [ROUNDS] - microseconds of a step of whole GPU programs: plain, with
# CUPTI's records of kernels alone, with copse and, of PyTorch, in torch.profiler.
# Each round runs all of them one after the other and its pairs are compared.
#
#   APPS   of torch cublas stencil stencil-2, all that can be run here
#   MODEL  of torch, small or large: gpu-train.py
#   STEPS  how many steps, 400
#   FLOORS all: what copse asks of CUPTI, part by part, as in gpu-launch.sh
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/bench/gpu.sh
. "$(dirname "$0")/gpu.sh"
steps=${STEPS:-400}

# prepare APP: its words in $app, its launcher's in $launch, and what it is run
# under in $kinds; false, with a word, when it cannot run here.
prepare() {
	launch=()
	kinds="plain activity $parts copse"
	case $1 in
	torch)	have python3 || return
		app=(python3 "$srcdir/tests/bench/gpu-train.py" "$steps")
		kinds="$kinds profiler" ;;
	cublas)	compile_cuda gpu-train -lcublas \
			-Xlinker "-rpath=$cuda/lib64" || return
		app=("$scratch/gpu-train" "$((steps * 5))") ;;
	stencil) app=("$gpu_programs/stencil" "$((steps * 10))" 4096) ;;
	stencil-2) app=("$gpu_programs/stencil" "$((steps * 10))" 4096)
		have mpirun || return
		launch=(mpirun -n 2) ;;
	*)	echo "# no app $1"
		return 1 ;;
	esac
	[ -x "${app[0]}" ] || have "${app[0]}" || return
	need_gpu under plain "${app[@]}"
}

one() {
	local us

	case $2 in
	profiler) under plain "${app[@]}" profiler ;;
	*)	under "$2" "${app[@]}" ;;
	esac >"$scratch/out" 2>"$scratch/err" ||
		{ cat "$scratch/err" >&2; exit 1; }
	us=$(awk '$1 == "measured" && $2 == "own" { print $6 }' "$scratch/out")
	[ -n "$us" ] || { echo "no figure of $1 under $2" >&2; exit 1; }
	recorded "$2" || return
	echo "# $1, round $round, $2: $us us"
	keep "$1" "$2" "$us"
	# Whatever measures it, it computes the same.
	grep -E '^(loss|weight|after) ' "$scratch/out" >"$scratch/result.$2"
	[ "$2" = plain ] || cmp -s "$scratch/result.plain" "$scratch/result.$2" ||
		echo "# $1: another result under $2:" \
			"$(cat "$scratch/result.plain" "$scratch/result.$2")"
}

compile_floors || exit 1
compile_parts
gpu_machine
ran=
for name in ${APPS:-torch cublas stencil stencil-2}; do
	prepare "$name" || continue
	ran="$ran $name"
	for ((round = 0; round < rounds; round++)); do
		for kind in $kinds; do
			one "$name" "$kind"
		done
	done
done
[ -n "$ran" ] || exit 0
# shellcheck disable=SC2059 # the same row for all
printf "$row" "us per step" "median (extremes)" "above plain" "above CUPTI alone"
for name in $ran; do
	for kind in plain activity $parts copse profiler; do
		[ -e "$scratch/$name.$kind" ] || continue
		# shellcheck disable=SC2059
		printf "$row" "$name $kind" "$(median "$scratch/$name.$kind")" \
			"$(above "$name" "$kind" plain)" \
			"$(above "$name" "$kind" activity)"
	done
done
