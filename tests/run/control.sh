#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# control.sh - what is paused, not yet begun or left out is in no profile, and
# everything else is.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
control=$programs/control
cd "$scratch" || exit 99

# seconds FUNCTION DIR: inclusive CPU time in all processes.
seconds() {
	"$copse" report hotspots -n 0 "$2" -f csv >"$2.csv" || return 1
	awk -F , -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] == name { sum += $at["exclusive"] }
		END { print sum + 0 }' "$2.csv"
}

# truth_of NAME FILE
truth_of() {
	awk -v name="$1" '$1 == "truth" && $2 == name { print $3 }' "$2"
}

# agrees NAME: NAME.out says what NAME.copse has to hold.
agrees() {
	cat "$1.out"
	near "$(seconds measured "$1.copse")" "$(truth_of measured "$1.out")" \
		"$tolerance" && near "$(seconds skipped "$1.copse")" 0 0.02
}

# mode MODE OPTION…: under copse, with those options, and its clock, however
# often others want the core.
mode() {
	: "${tolerance:=0.04}"
	what=$1
	shift
	"$copse" run -q --budget 0 -o "$what.copse" "$@" "$control" "$what" \
		>"$what.out" || return 1
	agrees "$what"
}

# with_clock CLOCK MODE: what the kernel does not allow falls back, and holds.
# A timer ticks when the scheduler does: the time since its last tick is lost at
# a pause and at the end, on a loaded machine up to a turn of the others.
with_clock() {
	tolerance=0.12
	COPSE_CLOCK=$1
	export COPSE_CLOCK
	mkdir "$1" && cd "$1" && mode "$2"
}

# The seconds in `Measuring was paused for 300 ms of 1.2 s`.
paused_seconds() {
	"$copse" report "$1" | sed -n 's/.*paused for \([0-9.]*\) \(m*s\) .*/\1 \2/p' |
		awk '{ print $2 == "ms" ? $1 / 1000 : $1 }'
}

# Elapsed time: a loaded machine makes the pause longer than its work.
says_how_long() {
	mode once || return 1
	paused=$(paused_seconds once.copse)
	awk -v p="$paused" 'BEGIN { exit !(p >= 0.25) }' ||
		{ echo "paused for '$paused' seconds"; return 1; }
	"$copse" run -q -o work.copse "$control" work >/dev/null || return 1
	! "$copse" report work.copse | grep 'was paused'
}

# CPU time, as the system counted it, is that of the measured part.
cpu_is_of_the_rest() {
	mode never || return 1
	[ -n "$(paused_seconds never.copse)" ] || return 1
	"$copse" report summary never.copse -f json >never.json || return 1
	need python3
	cpu=$(python3 -c 'import json
print(json.load(open("never.json"))["tables"]["run"][0]["cpu"])')
	near "$cpu" "$(truth_of measured never.out)" 0.1
}

never_begun() {
	"$copse" run -o never-begun.copse --from-start=off "$control" work \
		2>err >/dev/null || return 1
	cat err
	[ ! -e never-begun.copse ] && grep -q 'from-start=off' err
}

# wall_of MODE: the call paths of time that passed.
wall_of() {
	"$copse" run -q -o "$1.copse" -e cpu -e wall "$control" "$1" \
		>/dev/null &&
		"$copse" report tree --metric wall.time "$1.copse" -f csv
}

waiting() {
	wall_of slept | grep -q asleep ||
		skip "waiting cannot be sampled here (copse check)"
	wall_of sleep >waiting.csv || return 1
	cat waiting.csv
	! grep -q asleep waiting.csv && grep -q measured waiting.csv
}

# mpi_world OPTION…: calls of MPI_Barrier that were counted, by rank.
mpi_world() {
	[ -x "$programs/pcontrol" ] || skip "no MPI compiler"
	need mpirun
	rm -rf pcontrol.copse
	mpirun -n 2 "$copse" run -q -o pcontrol.copse "$@" "$programs/pcontrol" ||
		return 1
	[ -e pcontrol.copse/rank-0.h5 ] && [ -e pcontrol.copse/rank-1.h5 ] ||
		return 1
	"$copse" report mpi-calls -n 0 pcontrol.copse -f csv >calls.csv
	cat calls.csv
}

# counted CALLS: of MPI_Barrier, on both ranks together.
counted() {
	awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		/MPI_Barrier/ { sum += $at["calls"] }
		END { print sum + 0 }' calls.csv >is
	[ "$(cat is)" = "$1" ] || { echo "$(cat is) barriers, not $1"; return 1; }
}

pcontrol() {
	mpi_world && counted $((2 * 1113))
}

# A millisecond for what passes between two readings of a clock.
within_truths() {
	awk 'NR == FNR { is[$1] += $2; next }
		$1 == "between" { print $0 ":", is[$2]; n++ }
		$1 == "between" && (is[$2] < $3 - 0.001 ||
				    is[$2] > $4 + 0.001) { bad = 1 }
		END { exit !n || bad }' is out
}

# spanned RANKS [killed]: pauses inside of calls and of requests' lives.
spanned() {
	[ -x "$programs/mpi-paused" ] || skip "no MPI compiler"
	need mpirun python3
	ranks=$1
	shift
	rm -rf spans.copse
	mpirun -n "$ranks" "$copse" run -q -o spans.copse \
		"$programs/mpi-paused" "$@" >out 2>err
	[ $? != 77 ] || skip "no MPI_THREAD_MULTIPLE"
}

spans() {
	spanned 1 "$@"
	"$copse" report mpi-calls -n 0 spans.copse -f json >spans.json &&
		python3 - spans.json >is <<'P'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
for row in tables["functions"]:
    print(row["function"], row["seconds"])
for row in tables.get("requests", []):
    print("requests", row["open"])
P
	within_truths && return
	cat is err
	"$copse" report spans.copse
	return 1
}

# It waited no longer than it was there.
wait_spans_pause() {
	spanned 2
	"$copse" report waits -n 0 spans.copse -f json >spans.json &&
		python3 - spans.json >is <<'P'
import json, sys
for row in json.load(open(sys.argv[1]))["tables"]["waits"]:
    if row["victim"].startswith("MPI_Recv"):
        print("MPI_Recv", row["seconds"])
P
	within_truths
}

pcontrol_from_start() {
	mpi_world --from-start=off || { err=$?; return $err; }
	! grep MPI_Init calls.csv && counted $((2 * 1111))
}

ranks_that_never_begin() {
	[ -x "$programs/mpi-skew" ] || skip "no MPI compiler"
	mpirun -n 2 "$copse" run -q -o idle.copse --from-start=off \
		"$programs/mpi-skew" 0.2 >/dev/null || return 1
	[ -e idle.copse/rank-0.h5 ] && [ -e idle.copse/rank-1.h5 ] || return 1
	"$copse" report idle.copse >idle.txt || return 1
	cat idle.txt
	grep -q '^2 ranks' idle.txt && grep -q 'was paused' idle.txt &&
		! grep -q MPI_Barrier idle.txt
}

from_python() {
	need python3
	cat >paused.py <<'P'
import ctypes
from time import process_time
copse = ctypes.CDLL(None)
def work(seconds):
    end = process_time() + seconds
    while process_time() < end:
        pass
copse.copse_pause()
begin = process_time()
work(0.3)
end = process_time()
copse.copse_resume()
work(0.3)
print("truth measured", process_time() - (end - begin))
P
	# Shells that look for it, as pyenv's, take CPU time of their own.
	"$copse" run -q -o python.copse \
		"$(python3 -c 'import sys; print(sys.executable)')" paused.py \
		>python.out || return 1
	"$copse" report summary python.copse -f json >python.json || return 1
	near "$(python3 -c 'import json
print(json.load(open("python.json"))["tables"]["run"][0]["cpu"])')" \
		"$(truth_of measured python.out)" 0.1
}

from_fortran() {
	need gfortran
	cat >paused.f90 <<'F'
program paused
  interface
    subroutine copse_pause() bind(c)
    end subroutine
    subroutine copse_resume() bind(c)
    end subroutine
  end interface
  call copse_pause()
  call copse_resume()
end program
F
	gfortran -o paused paused.f90 -L"$builddir" -l:libcopse.so &&
		LD_LIBRARY_PATH=$builddir ./paused
}

# By the Fortran binding, which never calls MPI_Pcontrol.
fortran_pcontrol() {
	[ -x "$programs/pcontrol" ] || skip "no MPI compiler"
	need mpif90
	cat >fortran.f90 <<'F'
program fortran
  use mpi
  integer :: error
  call MPI_Init(error)
  call measured()
  call MPI_Pcontrol(0)
  call skipped()
  call MPI_Pcontrol(1)
  call measured()
  call MPI_Finalize(error)
end program

subroutine measured()
  call work()
end subroutine

subroutine skipped()
  call work()
end subroutine

subroutine work()
  real(8) :: start, now
  call cpu_time(start)
  now = start
  do while (now - start < 0.2d0)
    call cpu_time(now)
  end do
end subroutine
F
	mpif90 -O0 -g -o fortran fortran.f90 || return 1
	mpirun -n 1 "$copse" run -q -o fortran.copse ./fortran >fortran.out ||
		return 1
	"$copse" report tree fortran.copse -f csv >fortran.csv || return 1
	cat fortran.csv
	grep -q measured fortran.csv && ! grep -q skipped fortran.csv
}

for name in ocean atmos; do
	cp "$control" $name
done
cat >script <<'S'
#!/bin/sh
i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done
S
chmod +x script
ln -s ocean sea

# files DIR OPTION…: measure two programs below a shell; those of them that
# left a profile, as the shell itself may.
files() {
	dir=$1
	shift
	"$copse" run -q -o "$dir" "$@" \
		sh -c './ocean work 0.1 >out1 & ./atmos work 0.1 >out2; wait' ||
		return 1
	for file in "$dir"/rank-*.h5; do
		[ -e "$file" ] || continue
		"$copse" info "$file" |
			sed -n 's/^ *command *\.\/\(ocean\|atmos\) .*/\1/p'
	done | sort >is
	cat is
}

included() {
	files included --include=oce\* && [ "$(cat is)" = ocean ]
}

excluded() {
	files excluded '--exclude=nobody,oce?n' && [ "$(cat is)" = atmos ]
}

both() {
	files both '--include=ocean,atmos' --exclude=atmos &&
		[ "$(cat is)" = ocean ]
}

neither() {
	files neither --exclude='*' && [ ! -s is ] && [ ! -e neither ]
}

# By what it was called, or by its file.
by_either_name() {
	"$copse" run -q -o link1.copse --include=sea ./sea work 0.1 >/dev/null &&
		"$copse" run -q -o link2.copse --include=ocean ./sea work 0.1 \
			>/dev/null &&
		"$copse" run -q -o link3.copse --include=script ./script &&
		[ -e link1.copse/rank-0.h5 ] && [ -e link2.copse/rank-0.h5 ] &&
		[ -e link3.copse/rank-0.h5 ]
}

says_left_out() {
	"$copse" run --exclude=ocean ./ocean work 2>err >/dev/null || return 1
	cat err
	grep -q 'leave the program out' err
}

ranks_left_out() {
	[ -x "$programs/mpi-skew" ] || skip "no MPI compiler"
	need mpirun
	cp "$programs/mpi-skew" wanted
	cp "$programs/mpi-skew" other
	# mpirun of Open MPI 5.0.7 crashes where ranks have several programs.
	# shellcheck disable=SC2016 # the rank is its own
	mpirun -n 3 sh -c 'program=other
		[ "$OMPI_COMM_WORLD_RANK" != 0 ] || program=wanted
		exec "$0" run -q -o ranks.copse --include=wanted ./$program 0.1' \
		"$copse" >out || { cat out; return 1; }
	ls -A ranks.copse
	[ -e ranks.copse/rank-0.h5 ] && [ ! -e ranks.copse/rank-1.h5 ] &&
		[ ! -e ranks.copse/rank-2.h5 ] || return 1
	"$copse" report ranks.copse >ranks.txt || return 1
	cat ranks.txt
	grep -q 'ranks 1-2: not measured, as --include and --exclude say' \
		ranks.txt
}

point "a pause and its end" mode once
point "… by the mixed clock" with_clock mixed once
point "… by the timer clock" with_clock timer once
point "a pause that never ends" mode never
point "resuming what was not paused" mode unpaired
point "pauses nest" mode nested
point "one thread pauses all" mode other-thread
point "a thread that is made meanwhile" mode new-thread
point "a process that is forked meanwhile" mode fork
point "sleep is not counted, either" waiting
point "the report says for how long" says_how_long
point "CPU time is that of the measured part" cpu_is_of_the_rest
point "--from-start=off" mode late --from-start=off
point "--from-start=off, and a pause" mode late-nested --from-start=off
point "--from-start=off, and nothing more" never_begun
point "from python" from_python
point "from Fortran" from_fortran
point "MPI_Pcontrol" pcontrol
point "a pause within a call, and a request's life" spans
# Such a call is known by samples in it: it lasts until there must be some.
point "a pause within a call that never ends" spans killed
point "a pause within a wait" wait_spans_pause
point "MPI_Pcontrol from Fortran" fortran_pcontrol
point "MPI_Pcontrol ends --from-start=off" pcontrol_from_start
point "ranks that never begin leave their files" ranks_that_never_begin
point "--include" included
point "--exclude" excluded
point "--exclude goes before --include" both
point "nothing is left to measure" neither
point "a program has two names" by_either_name
point "what is left out is said" says_left_out
point "ranks that are left out are named" ranks_left_out
points_done
