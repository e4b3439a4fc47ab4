#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# counts.sh [NAME…] - how many iterations are found in the programs of
# tests/causes (`make causes`) and tests/programs, or in those named, whose number
# of steps is known.  A line for each: its name, how often its loop comes to a
# call of MPI, the iterations found, and what repeats; then in how many both are
# the same (fewer than 8, and none found, too), in how many a multiple was found
# (what repeats is in the program's step), and in how many something else.
#
#   RANKS   2
#   SCALE   of the programs of tests/causes, 0.5: as many of the steps
#   CAUSES  the folder of tests/causes, built
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
have mpirun || exit 0
ranks=${RANKS:-2}
scale=${SCALE:-0.5}
causes=${CAUSES:-$builddir/tests/causes}
cd "$scratch" || exit

# name, steps, in how many of them it calls MPI (one of so many; 0: in none), and
# what the steps depend on: `scale`; `turns`, the scale and the number of ranks; or
# nothing, and these are its arguments.
table='
alleles    300   1  scale
basin      5300  10 scale
brokers    40    1  scale
climate    180   1  scale
imager     500   10 scale
ions       800   1  scale
jury       100   1  scale
lattice    130   1  scale
ledger     810   1  scale
nbody      24000 0  scale
orchard    60    1  scale
photons    36    1  scale
plasma     20000 1  scale
river      520   1  scale
strands    66    1  scale
swarm      1500  1  scale
tides      720   1  turns
traces     76    1  scale
cluster    440   1  scale
colouring  300   1  scale
conduct    1300  1  scale
courier    50    1  scale
membrane   110   1  turns
order      52    1  scale
phasefield 630   1  scale
queries    50    1  scale
survey     180   1  scale
tracks     60    20 scale
voxels     100   1  scale
columns    600   1  scale
dunes      280   1  scale
epidemic   1100  7  scale
glacier    700   1  scale
harbour    200   1  scale
optics     6000  1  scale
orbitals   360   1  scale
plume      110   1  scale
sections   480   1  scale
solvent    500   10 scale
spectral   280   1  scale
strata     180   1  scale
transpose  140   1  scale
upwind     3300  1  scale
waves      2000  1  scale
demo       900   1
mpi-skew   10    1  1
mpi-stages 50    1
'

# number STEPS EACH HOW: at this scale, rounded as they round it.
number() {
	local steps=$1

	case $3 in
	scale) steps=$(calculate "int($1 * $scale + 0.5)") ;;
	turns) steps=$(calculate "int($1 * $scale + 0.5) * $ranks") ;;
	esac
	echo $(($2 ? steps / $2 : 0))
}

measure() {
	local path=$causes/$1 arguments=$scale

	[ -x "$path" ] || { path=$programs/$1; arguments=$2; }
	[ -x "$path" ] || { echo "# $1 was not built"; return 1; }
	rm -rf run.copse
	# shellcheck disable=SC2086 # none is none
	mpirun -n "$ranks" "$copse" run -q -o run.copse "$path" $arguments \
		>out 2>err || { cat err; return 1; }
}

# "NUMBER CALL ← …"
found() {
	"$copse" report iterations --width 400 run.copse | sed -n \
		's/^\([0-9]*\) iterations of .*\(call of\|by\) \(.*\),.*/\1 \3/p'
}

machine
same=0 multiple=0 else=0
while read -r name steps each how; do
	[ -n "$name" ] || continue
	[ $# = 0 ] || [[ " $* " = *" $name "* ]] || continue
	measure "$name" "$how" </dev/null || continue
	steps=$(number "$steps" "$each" "$how")
	read -r count path < <(found) || count=0 path=
	printf '%-10s %6d %6d  %s\n' "$name" "$steps" "$count" "$path"
	if [ "$count" = "$steps" ] || [ $((count + steps / 8)) = 0 ]; then
		same=$((same + 1))
	elif [ "$steps" -gt 0 ] && [ $((count % steps)) = 0 ]; then
		multiple=$((multiple + 1))
	else
		else=$((else + 1))
	fi
done <<<"$table"
echo "same $same, multiple $multiple, else $else"
