#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# merge-mpi.sh - copse merge as an MPI job makes the same file as alone, byte by
# byte, whatever the number of processes and threads; and it ends, whatever
# happens to one of them, without half a database.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
ranks=160

may() {
	need mpirun
	[ -x "$builddir/copse-merge-openmpi" ] ||
		skip "copse-merge-openmpi was not built"
	[ -e job ] || [ "$1" = first ] || { echo "no job was made"; exit 1; }
}

# A real job, and its raw copies as long as it runs.
model() {
	mpirun -n 2 "$copse" run -q --freq 300 --checkpoint 1 -o model.copse \
		"$programs/mpi-crash" finish 0 2.5 >out 2>&1 &
	wait_for sh -c 'ls model.copse/rank-0-*.live model.copse/rank-1-*.live' ||
		{ cat out; return 1; }
	mkdir raw && cp model.copse/*.live raw || return
	wait $! || { cat out; return 1; }
	[ -s model.copse/rank-0.h5 ]
}

make_ranks() {
	"$builddir/tests/bench/make-ranks" "$@"
}

# With what a directory may hold besides: files that are damaged, or gone once
# they were listed, raw copies (of rank 0, which is here, and of rank 1, which
# is no made one), some of another job, and a
# copy that another process of a team reads.
made() {
	may first
	model || return
	"$copse" run -q -o other.copse "$programs/shares" 0.3 >out 2>&1 || return
	mkdir job.new other &&
		make_ranks model.copse/rank-0.h5 job.new $ranks values=24000 &&
		make_ranks other.copse/rank-0.h5 other 4 || return
	for i in 0 1 2 3; do
		mv other/rank-$i.h5 job.new/rank-5$i-1.h5 || return
	done
	cp job.new/rank-20.h5 job.new/rank-140-copy.h5 || return
	truncate -s 3000 job.new/rank-7.h5 && echo tea >job.new/rank-120.h5 &&
		ln -sf gone job.new/rank-121.h5 && cp raw/* job.new &&
		mv job.new job
}

alone() {
	may
	"$copse" merge -q -t 2 job -o alone.h5 2>alone.said || return
	cat alone.said
	grep -q 'rank-7.h5: truncated' alone.said &&
		grep -q 'rank-120.h5: not an HDF5 file' alone.said &&
		grep -q 'rank-121.h5: No such file' alone.said &&
		grep -q 'rank-50-1.h5: belongs to another run' alone.said &&
		grep -q 'rank-140-copy.h5: .* as in rank-20.h5' alone.said &&
		! grep -q 'live' alone.said
}

# together PROCESSES THREADS
together() {
	mpirun -n "$1" "$copse" merge -q -t "$2" job -o "by-$1-$2.h5" 2>said ||
		{ cat said; return 1; }
	cmp alone.said said && cmp alone.h5 "by-$1-$2.h5" || {
		echo "$1 processes, $2 threads"
		cat said
		return 1
	}
}

processes() {
	may
	for n in 1 2 3 4 7; do
		together $n 1 || return
	done
}

threads() {
	may
	for n in 1 2 3 4 7; do
		together $n 3 || return
	done
}

# More processes than files.
few_files() {
	may
	mkdir few && cp job/rank-[013].h5 few &&
		"$copse" merge -q few -o few.h5 2>said &&
		mpirun -n 5 "$copse" merge -q few -o fewer.h5 2>said &&
		cmp few.h5 fewer.h5
}

# Processes of one made GPU and of several, with work, memory, launches, samples
# of kernels and energy.
gpu_job() {
	made=$builddir/tests/gpu/made
	[ -e "$made" ] || skip "built without CUDA's headers"
	export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
	export LD_LIBRARY_PATH="$builddir/tests/gpu/nvml"
	unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH MADE_FAULT MADE_UUID
	unset COPSE_GPU_CAPTURE COPSE_GPU_POWER MADE_NVML MADE_POWER
	${CC:-cc} -c -o stalls.o "$srcdir/tests/gpu/stalls.s" 2>/dev/null ||
		: >stalls.o
	# shellcheck disable=SC2016 # words of the inner shell
	"$copse" run -q --force --gpu-power=on --gpu-sampling=on -o gpus sh -c '
		soon=$("$0-times" soon)
		for turn in 0 1 2; do
			MADE_UUID=1 "$0-times" shared $turn $soon &
			"$0-times" shared $turn $soon &
			MADE_UUID=$turn "$0" all &
		done
		"$0-energy" phases & "$0-energy" work 0.5 &
		MADE_UUID=7 "$0" stalls stalls.o &
		"$0" facts & "$0" leak & "$0" shapes &
		wait' "$made" >out 2>&1 || { cat out; return 1; }
}

# rows REPORT TABLE LEAST: so many at least.
rows() {
	"$copse" report "$1" gpus.h5 -n 0 -f csv --table "$2" >csv || return
	[ "$(wc -l <csv)" -gt "$3" ] || { echo "$1 $2:"; cat csv; return 1; }
}

gpus() {
	may
	gpu_job || return
	"$copse" merge -q gpus -o gpus.h5 && rows gpu-devices devices 3 &&
		rows gpu-kernels shapes 2 && rows gpu-memory devices 3 &&
		rows gpu-power energy 1 && rows gpu-power phases 2 || return
	for n in 2 3 5 9; do
		mpirun -n $n "$copse" merge -q -t 2 gpus \
			-o gpus-by-$n.h5 && cmp gpus.h5 gpus-by-$n.h5 || return
	done
}

mpich() {
	may
	need mpiexec.mpich
	[ -x "$builddir/copse-merge-mpich" ] ||
		skip "copse-merge-mpich was not built"
	mpiexec.mpich -n 3 "$copse" merge -q -t 1 job -o mpich.h5 2>said ||
		{ cat said; return 1; }
	cmp alone.h5 mpich.h5
}

beside() {
	may
	mkdir here && cp model.copse/rank-*.h5 here &&
		mpirun -n 2 "$copse" merge here >said 2>&1 || { cat said; return 1; }
	cat said
	[ "$(grep -c '^here/run.h5: 2 processes, ' said)" -eq 1 ] &&
		"$copse" report here >/dev/null
}

# fails WORDS COMMAND…: in time, with a status, and with these words once.
fails() {
	words=$1
	shift
	timeout -k 10 60 "$@" >said 2>&1
	status=$?
	cat said
	[ $status -ne 0 ] && [ $status -ne 124 ] &&
		[ "$(grep -c "$words" said)" -eq 1 ]
}

nothing_there() {
	may
	mkdir empty
	fails 'empty: holds no profile' mpirun -n 3 "$copse" merge empty &&
		fails 'nowhere: No such file' mpirun -n 3 "$copse" merge nowhere
}

all_bad() {
	may
	mkdir bad && for i in 0 1 2; do echo tea >bad/rank-$i.h5; done
	fails 'none of its profiles can be read' \
		mpirun -n 3 "$copse" merge bad && [ ! -e bad/run.h5 ]
}

# A script that each rank runs may do so.
each_its_own() {
	may
	for n in 0 1; do mkdir own-$n && cp job/rank-$n.h5 own-$n; done
	# shellcheck disable=SC2016 # a word of the inner shell
	fails 'have different options' mpirun -n 2 sh -c \
		'exec "$0" merge -q own-$OMPI_COMM_WORLD_RANK' "$copse" &&
		mpirun -n 2 sh -c 'exec "$0" merge -q --alone \
			own-$OMPI_COMM_WORLD_RANK' "$copse" 2>said &&
		[ -s own-0/run.h5 ] && [ -s own-1/run.h5 ]
}

# The root cannot write on.
full_disk() {
	may
	need unshare
	unshare --mount true 2>said || skip "no mounts: $(cat said)"
	mkdir full
	fails 'full/run.h5: cannot ' unshare --mount sh -c '
		mount -t tmpfs -o size=300k none full || exit 99
		mpirun -n 3 "$1" merge -q -t 2 job -o full/run.h5
		status=$?
		[ -z "$(ls -A full)" ] || echo "left:" full/*
		exit $status' sh "$copse" && ! grep -q left: said
}

# victim NUMBER: of the processes of the mpirun under that timeout.
victim() {
	for pid in $(pgrep -P "$(pgrep -P "$timeout")" -x copse-merge-ope); do
		tr '\0' '\n' <"/proc/$pid/environ" |
			grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$pid"
	done
}

# killed NUMBER SIGNAL WHEN…: it gets it as soon as that is true; false when the
# job had ended well by then.
killed() {
	number=$1 signal=$2
	shift 2
	rm -f dies.h5*
	timeout -k 10 60 mpirun -n 3 "$copse" merge -q -t 1 job -o dies.h5 \
		>said 2>&1 &
	timeout=$!
	pid=
	while kill -0 $timeout 2>/dev/null; do
		[ -n "$pid" ] || pid=$(victim "$number" 2>/dev/null)
		[ -n "$pid" ] && "$@" >/dev/null 2>&1 && break
		sleep 0.01
	done
	[ -z "$pid" ] || kill -s "$signal" "$pid"
	wait $timeout
	status=$?
	echo $status >status
	[ $status -ne 0 ]
}

# dies NUMBER SIGNAL WHEN…: until one is killed before the job has ended, since
# we may get no core in time.
dies() {
	wait_for killed "$@" && [ "$(cat status)" != 124 ]
}

# Of one that dies while it connects Open MPI's launcher may wait for good
# (PMIX ERROR: UNREACHABLE).
is_connected() {
	grep -q vader_segment "/proc/$pid/maps"
}

dies_reading() {
	may
	need pgrep
	dies 1 KILL is_connected && dies 0 KILL is_connected &&
		[ -z "$(ls dies.h5* 2>/dev/null)" ]
}

# The root is told to end, and takes with it what it has begun.
root_dies_while_writing() {
	may
	need pgrep
	dies 0 TERM sh -c 'ls dies.h5.part*' &&
		[ -z "$(ls dies.h5* 2>/dev/null)" ]
}

# Open MPI's launcher tells it a second later, when it may have all written.
dies_while_writing() {
	may
	need pgrep
	dies 2 KILL sh -c 'ls dies.h5.part*' || return
	[ ! -e dies.h5 ] || cmp alone.h5 dies.h5
}

# Between SIGTERM and SIGKILL the launcher leaves the root a second, unless it is
# told otherwise.
removes_its_half() {
	export OMPI_MCA_odls_base_sigkill_timeout=8
	dies_while_writing || return
	[ -z "$(ls dies.h5.part* 2>/dev/null)" ]
}

no_file_is_left() {
	[ -z "$(find . -name '*.part*' -o -name '.copse-merge*')" ]
}

point "a job is made after a real one" made
point "one process merges it" alone
point "1, 2, 3, 4 and 7 processes make the same file" processes
point "with threads as well" threads
point "more processes than files do no harm" few_files
point "what they have of GPUs is the same, too" gpus
point "MPICH's processes make it, too" mpich
point "beside the files, and said once" beside
point "nothing to merge is a clear end" nothing_there
point "files that all cannot be read are a clear end" all_bad
point "each its own directory is refused, but alone" each_its_own
point "a full disk is a clear end" full_disk
point "a process that dies early ends all" dies_reading
point "the root, told to end while it writes, leaves nothing" \
	root_dies_while_writing
point "one that dies while the root writes leaves no half" removes_its_half
point "nothing is left behind" no_file_is_left
points_done
