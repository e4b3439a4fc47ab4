#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# overhead.sh [ROUNDS] - what sampling at 1000/s costs LAMMPS on 2 ranks: each
# round runs it plain, with an empty handler (the floor), with copse and, when
# it is installed, under perf; per cent more than the plain run of its round.
# "loop" is LAMMPS's own time of its steps, "cpu" all of mpirun's children,
# with what copse does after the program's end.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
compile empty-handler -shared -fPIC

sed -n '/^units/,/^run/p' "$srcdir/tests/real-lammps.sh" >"$scratch/in.melt"
sed -i 's/^run.*/run 1000/' "$scratch/in.melt"
lammps=(lmp -log none -in "$scratch/in.melt")

kinds="plain floor copse"
command -v perf >/dev/null && kinds="$kinds perf"

# command KIND: as words in $words.
command_of() {
	words=(mpirun -n 2)
	case $1 in
	floor)	words+=(env "LD_PRELOAD=$scratch/empty-handler") ;;
	copse)	rm -rf "$scratch/lmp.copse"
		words+=("$copse" run --quiet -o "$scratch/lmp.copse") ;;
	perf)	words=(perf record -q -F 999 -g -o "$scratch/perf.data"
			mpirun -n 2) ;;
	esac
	words+=("${lammps[@]}")
}

machine
for ((round = 0; round < rounds; round++)); do
	for kind in $kinds; do
		command_of "$kind"
		cpu_and_wall "${words[@]}"
		loop=$(awk '/^Loop time/ { print $4 }' "$scratch/out")
		if [ "$kind" = plain ]; then
			plain_cpu=$cpu plain_loop=$loop
		fi
		awk "BEGIN { print ($cpu / $plain_cpu - 1) * 100 }" \
			>>"$scratch/$kind.cpu"
		awk "BEGIN { print ($loop / $plain_loop - 1) * 100 }" \
			>>"$scratch/$kind.loop"
		echo "# round $round $kind: loop $loop s, cpu $cpu s"
	done
done
for kind in $kinds; do
	[ "$kind" != plain ] || continue
	echo "$kind loop + % $(median "$scratch/$kind.loop")"
	echo "$kind cpu + %  $(median "$scratch/$kind.cpu")"
done
