#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# overhead.sh [ROUNDS] - what sampling at 1000/s costs whole programs: each
# round runs one plain, with an empty handler (the floor), with copse, with copse
# but without its MPI wrappers and, when it is installed, under perf, all at the
# same time on the same cores: what a machine does to one of them, neighbours and
# clock rates, it does to all, since they share the cores in turns of
# milliseconds.  Runs after one another differ by ten times as much.  Pairs are
# compared: each run with the plain one of its round, in per cent more, and copse
# with the floor of its round, in points.  Printed are the mean of these
# differences with its 95 % confidence interval (Student's t), their median and
# extremes.
#
#   cpu   user and system time of all processes, with what copse does after the
#         program's end
#   app   the program's own, until it exits
#
#   APPS   of lammps hpcc demo deep: all of them that are installed.  demo is
#          ours and needs MPI; deep, our work of a fixed size, not even that
#   KINDS  of floor copse sampling perf
#   RANKS  1; with more, who waits gives his core away
#   CORE   the first of the cores, 0
#   HZ     samples per second, 1000
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
ranks=${RANKS:-1}
hz=${HZ:-1000}

lammps_input() {
	sed -n '/^units/,/^run/p' "$srcdir/tests/real/lammps.sh" |
		sed 's/^run.*/run 300/' >in.melt
}

# Larger, on a grid of 1 x RANKS.
hpcc_input() {
	eval "$(sed -n '/^write_input/,/^}/p' "$srcdir/tests/real/hpcc.sh")"
	write_input | awk -v ranks="$ranks" '
		size { $0 = "2000"; size = 0 }
		grid { $0 = grid == 2 ? "1" : ranks; grid-- }
		/problem sizes/ { size = 1 }
		/grids/ { grid = 2 }
		{ print }' >hpccinf.txt
}

# prepare APP: its words in $app, what it is to be preloaded in $clock; false, with
# a word, when it cannot run here.
prepare() {
	clock=
	launch=(mpirun --bind-to none -n "$ranks")
	case $1 in
	lammps)	have mpirun && have lmp && lammps_input &&
			app=(lmp -log none -in in.melt) ;;
	hpcc)	have mpirun && have hpcc && hpcc_input &&
			compile counted-time -shared -fPIC || return
		clock=$scratch/counted-time
		app=(hpcc) ;;
	demo)	app=("$programs/demo" 2000)
		have mpirun && { [ -x "${app[0]}" ] ||
			{ echo "# demo was not built"; return 1; }; } ;;
	deep)	compile deep || return
		app=("$scratch/deep" 200000)
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

# command KIND: as words in $words, in a folder of its own.
command_of() {
	local preload=$scratch/tally${clock:+:$clock}

	[ "$1" != floor ] || preload=$scratch/empty-handler:$preload
	words=("${launch[@]}" env "HANDLER_HZ=$hz" "LD_PRELOAD=$preload")
	case $1 in
	copse)	words+=("$copse" run --quiet --budget 0 --freq "$hz" -o app.copse) ;;
	sampling) words+=("$copse" run --quiet --budget 0 --mpi off
			--freq "$hz" -o app.copse) ;;
	perf)	words=(perf record -q -F "$((hz - 1))" -g -o perf.data)
		if [ "${launch[0]}" = mpirun ]; then
			words+=("${launch[@]}" env "LD_PRELOAD=$preload")
		else
			words=(in_parallel "$ranks" perf record -q -F
				"$((hz - 1))" -g -o /dev/null env
				"LD_PRELOAD=$preload")
		fi ;;
	esac
	words+=("${app[@]}")
}

# run_one KIND: its CPU seconds, and the program's, go to $scratch/KIND.now.
run_one() {
	rm -rf "$scratch/$1.d" && mkdir "$scratch/$1.d" || exit
	cp hpccinf.txt in.melt "$scratch/$1.d/" 2>/dev/null
	command_of "$1"
	(
		scratch=$scratch/$1.d
		cd "$scratch" || exit
		TALLY=$scratch/tally.s cpu_and_wall "${words[@]}"
		echo "$cpu $(awk '$1 != "copse" && $1 != "perf" { s += $2 }
			END { print s }' tally.s)"
	) >"$scratch/$1.now"
}

# more APP WHAT KIND NOW PLAIN: per cent.
more() {
	calculate "($4 / $5 - 1) * 100" | tee "$scratch/now" \
		>>"$scratch/$1.$2.$3"
	[ "$3" != floor ] || cp "$scratch/now" "$scratch/floor.$2"
	case $3 in
	copse | sampling)
		calculate "$(cat "$scratch/now") - $(cat "$scratch/floor.$2")" \
			>>"$scratch/$1.$2.$3-above" ;;
	esac
}

one() {
	local kind cpu app_cpu plain_cpu plain_app

	for kind in plain $kinds; do
		run_one "$kind" &
	done
	wait
	for kind in plain $kinds; do
		read -r cpu app_cpu <"$scratch/$kind.now" || exit
		echo "# $1, round $round, $kind: cpu $cpu s, app $app_cpu s"
		if [ "$kind" = plain ]; then
			plain_cpu=$cpu plain_app=$app_cpu
			continue
		fi
		more "$1" cpu "$kind" "$cpu" "$plain_cpu"
		more "$1" app "$kind" "$app_cpu" "$plain_app"
	done
}

machine
echo "# $ranks ranks, $hz/s"
cd "$scratch" || exit 1
compile_handler empty && compile tally -shared -fPIC || exit 1
kinds=${KINDS:-floor copse sampling perf}
case $kinds in
*perf*)	have_perf || kinds=${kinds/perf/} ;;
esac
first=${CORE:-0}
taskset -pc "$first-$((first + ranks - 1))" $$ >/dev/null
# One that waits for nobody gives its core to the other kinds at each poll.
export OMPI_MCA_mpi_yield_when_idle=$((ranks > 1))
for name in ${APPS:-lammps hpcc demo deep}; do
	prepare "$name" || continue
	for ((round = 0; round < rounds; round++)); do
		one "$name"
	done
done
row='%-7s %-4s %-19s %-28s %s\n'
# shellcheck disable=SC2059 # the same row for all
printf "$row" app what difference "mean ± 95 %" "median (extremes)"
for name in ${APPS:-lammps hpcc demo deep}; do
	for what in cpu app; do
		for kind in floor copse copse-above sampling sampling-above \
			perf; do
			at=$scratch/$name.$what.$kind
			[ -e "$at" ] || continue
			label="$kind - plain, %"
			[ "${kind%-above}" = "$kind" ] ||
				label="${kind%-above} - floor"
			# shellcheck disable=SC2059
			printf "$row" "$name" $what "$label" \
				"$(confidence "$at")" "$(median "$at")"
		done
	done
done
