#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# overhead.sh [ROUNDS] - what sampling at 1000/s costs whole programs: each
# round runs one plain, with an empty handler (the floor), with copse and, when
# it is installed, under perf, one after the other.  Pairs are compared: each
# run with the plain one of its round, in per cent more, and copse with the
# floor of its round, in points.  Printed are the mean of these differences with
# its 95 % confidence interval (Student's t), their median and extremes.
#
#   cpu   user and system time of all processes, with what copse does after the
#         program's end
#   loop  LAMMPS's own time of its steps
#
#   APPS   of lammps hpcc demo deep: all of them that are installed.  demo is
#          ours and needs MPI; deep, our work of a fixed size, not even that
#   RANKS  2
#   HZ     samples per second, 1000
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
ranks=${RANKS:-2}
hz=${HZ:-1000}

lammps_input() {
	sed -n '/^units/,/^run/p' "$srcdir/tests/real-lammps.sh" |
		sed 's/^run.*/run 1000/' >in.melt
}

# Larger, on a grid of 1 x RANKS.
hpcc_input() {
	eval "$(sed -n '/^write_input/,/^}/p' "$srcdir/tests/real-hpcc.sh")"
	write_input | awk -v ranks="$ranks" '
		size { $0 = "2000"; size = 0 }
		grid { $0 = grid == 2 ? "1" : ranks; grid-- }
		/problem sizes/ { size = 1 }
		/grids/ { grid = 2 }
		{ print }' >hpccinf.txt
}

# prepare APP: its words in $app; false, with a word, when it cannot run here.
prepare() {
	launch=(mpirun -n "$ranks")
	case $1 in
	lammps)	have mpirun && have lmp && lammps_input &&
			app=(lmp -log none -in in.melt) ;;
	hpcc)	have mpirun && have hpcc && hpcc_input && app=(hpcc) ;;
	demo)	app=("$programs/demo" 2000)
		have mpirun && { [ -x "${app[0]}" ] ||
			{ echo "# demo was not built"; return 1; }; } ;;
	deep)	compile deep || return
		app=("$scratch/deep" 400000)
		launch=(in_parallel "$ranks") ;;
	*)	echo "# no app $1"
		return 1 ;;
	esac
}

# in_parallel N COMMAND…: what mpirun does, without MPI.
in_parallel() {
	local i

	for ((i = 0; i < $1; i++)); do
		"${@:2}" &
	done
	wait
}

# command KIND: as words in $words.
command_of() {
	words=("${launch[@]}")
	case $1 in
	floor)	words+=(env "HANDLER_HZ=$hz"
			"LD_PRELOAD=$scratch/empty-handler") ;;
	copse)	rm -rf app.copse
		words+=("$copse" run --quiet --freq "$hz" -o app.copse) ;;
	perf)	words=(perf record -q -F "$((hz - 1))" -g -o perf.data)
		if [ "${launch[0]}" = mpirun ]; then
			words+=("${launch[@]}")
		else
			words=(in_parallel "$ranks" perf record -q -F
				"$((hz - 1))" -g -o /dev/null)
		fi ;;
	esac
	words+=("${app[@]}")
}

# more APP WHAT KIND NOW PLAIN: per cent.
more() {
	calculate "($4 / $5 - 1) * 100" | tee "$scratch/now" \
		>>"$scratch/$1.$2.$3"
	[ "$3" != floor ] || cp "$scratch/now" "$scratch/floor.$2"
	[ "$3" != copse ] ||
		calculate "$(cat "$scratch/now") - $(cat "$scratch/floor.$2")" \
			>>"$scratch/$1.$2.above"
}

one() {
	local kind loop plain_cpu plain_loop

	for kind in $kinds; do
		command_of "$kind"
		cpu_and_wall "${words[@]}"
		loop=$(awk '/^Loop time/ { print $4 }' "$scratch/out")
		echo "# $1, round $round, $kind: cpu $cpu s, wall $wall s"
		if [ "$kind" = plain ]; then
			plain_cpu=$cpu plain_loop=$loop
			continue
		fi
		more "$1" cpu "$kind" "$cpu" "$plain_cpu"
		[ -z "$loop" ] || more "$1" loop "$kind" "$loop" "$plain_loop"
	done
}

machine
echo "# $ranks ranks, $hz/s"
cd "$scratch" || exit 1
compile_handler empty || exit 1
kinds="plain floor copse"
have_perf && kinds="$kinds perf"
for name in ${APPS:-lammps hpcc demo deep}; do
	prepare "$name" || continue
	for ((round = 0; round < rounds; round++)); do
		one "$name"
	done
done
row='%-7s %-5s %-15s %-28s %s\n'
# shellcheck disable=SC2059 # the same row for all
printf "$row" app what difference "mean ± 95 %" "median (extremes)"
for name in ${APPS:-lammps hpcc demo deep}; do
	for what in cpu loop; do
		for kind in floor copse perf above; do
			at=$scratch/$name.$what.$kind
			[ -e "$at" ] || continue
			label="$kind - plain, %"
			[ $kind != above ] || label="copse - floor"
			# shellcheck disable=SC2059
			printf "$row" "$name" $what "$label" \
				"$(confidence "$at")" "$(median "$at")"
		done
	done
done
