#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gather.sh - the ranks of a host put their profiles into one file; every
# command takes it like the files of ranks, and whoever is killed, nothing that
# was measured is lost.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
cd "$scratch" || exit 99
node=node-$(uname -n).h5
ranks=16

python=
for try in python3 /usr/bin/python3; do
	"$try" -c 'import h5py' 2>/dev/null && python=$try && break
done

# rank N JOB COMMAND…: as a launcher would start one of all ranks.
rank() {
	number=$1
	job=$2
	shift 2
	OMPI_COMM_WORLD_RANK=$number OMPI_COMM_WORLD_SIZE=$ranks \
		PMIX_NAMESPACE=$job OMPI_MCA_orte_hnp_uri=$job exec "$@"
}

job_of() {
	need mpirun
	[ -x "$programs/mpi-crash" ] || skip "mpi-crash was not built"
	mpirun -n $ranks "$copse" run -q "$@"
}

files() { # of a directory, but marks
	ls "$1"
}

members() {
	"$copse" info "$1" | grep -c ':rank-[0-9]*\.h5$'
}

processes() {
	"$copse" merge "$1" 2>&1 | tee said |
		sed -n 's/.*run.h5: \([0-9]*\) process.*/\1/p'
}

# nothing_left OUTPUT: of that job; mpirun may have killed parents of others.
nothing_left() {
	! grep -ls "$PWD/$1" /dev/shm/copse-"$(id -u)"/*/job
}

one_file() {
	job_of --gather on -o one.copse "$programs/mpi-crash" finish 0 0.05 ||
		return
	[ "$(files one.copse)" = "$node" ] || { files one.copse; return 1; }
	[ "$(members one.copse)" -eq $ranks ] &&
		[ "$(members "one.copse/$node")" -eq $ranks ] && nothing_left one.copse
}

# Only where files came from is another thing.
as_files() {
	[ -n "$python" ] || skip "no h5py here"
	[ -e one.copse ] || return
	mkdir taken && "$python" - "one.copse/$node" taken <<'P' || return
import io, struct, sys, h5py
data = open(sys.argv[1], "rb").read()
at, count = 4096 + 64, 0
while at + 64 <= len(data):
    magic, size, name = struct.unpack("<8sQ48s", data[at:at + 64])
    assert magic == b"copseRNK", at
    image = data[at + 64:at + 64 + size]
    assert len(h5py.File(io.BytesIO(image))["nodes/parent"]) > 1
    open(sys.argv[2] + "/" + name.rstrip(b"\0").decode(), "wb").write(image)
    at = (at + 64 + size + 63) // 64 * 64
    count += 1
print(count, "profiles")
P
	for what in one.copse taken; do
		for report in ranks hotspots waits mpi-calls matrix; do
			"$copse" report $report -f csv $what 2>&1 || return
		done >$what.csv
		"$copse" export values $what >>$what.csv || return
	done
	[ "$(wc -l <taken.csv)" -gt $ranks ] && cmp one.copse.csv taken.csv
}

# merge as well, by threads.
merged_alike() {
	[ -e one.copse ] || return
	"$copse" merge -q -t 1 one.copse -o one.h5 &&
		"$copse" merge -q -t 3 one.copse -o three.h5 &&
		cmp one.h5 three.h5
}

# one_rank FILE: of a report, what the directory's says of that rank.
one_rank() {
	"$copse" report ranks -n 0 -f csv --table ranks one.copse >all.csv &&
		"$copse" report ranks -n 0 -f csv --table ranks "$1" >one.csv ||
		return
	rank=${1##*rank-}
	grep "^${rank%.h5}," all.csv >want
	sed 1d one.csv | cut -d, -f1-4 >is
	cut -d, -f1-4 want | diff - is
}

by_itself() {
	[ -e one.copse ] || return
	"$copse" report ranks -f csv one.copse >every &&
		"$copse" report ranks -f csv "one.copse/$node" | diff every - ||
		return
	[ -e taken ] || skip "no h5py here"
	one_rank taken/rank-11.h5 && one_rank taken/rank-3.h5 || return
	"$copse" report taken/rank-11.h5 >said 2>&1
	grep -q "^summary.* rank 11 of $ranks\$" said && ! grep -q 'no profile' said ||
		{ cat said; return 1; }
	"$copse" report diff taken/rank-0.h5 taken/rank-11.h5 >said 2>&1 ||
		{ cat said; return 1; }
	# A database may have any name.
	"$copse" merge -q one.copse -o node-all.h5 &&
		"$copse" report ranks -f csv node-all.h5 | diff every - || return
	printf 'no profile' >rank-0.h5
	! "$copse" report rank-0.h5 >said 2>&1 && grep -q 'rank-0.h5: ' said
}

# A file that lacks its list, as HDF5 alone reads it.
without_lists() {
	[ -n "$python" ] || skip "no h5py here"
	[ -e taken ] || return
	mkdir bare && "$python" - "one.copse/$node" "bare/$node" <<'P' || return
import struct, sys
data = open(sys.argv[1], "rb").read()
to, at = bytearray(data[:4096 + 64]), 4096 + 64
while at + 64 <= len(data):
    magic, size, name = struct.unpack("<8sQ48s", data[at:at + 64])
    image = data[at + 64:at + 64 + size]
    image = image[:struct.unpack("<Q", image[28:36])[0]]
    to += struct.pack("<8sQ48s", magic, len(image), name) + image
    to += b"\0" * (-len(to) % 64)
    at = (at + 64 + size + 63) // 64 * 64
open(sys.argv[2], "wb").write(to)
P
	"$copse" merge -q bare -o bare.h5 || return
	"$copse" report ranks -f csv bare.h5 >bare.csv &&
		"$copse" report ranks -f csv one.h5 | cmp - bare.csv
}

by_choice() {
	job_of -o few.copse "$programs/mpi-crash" finish 0 0.02 || return
	[ "$(files few.copse | grep -c '^rank-[0-9]*\.h5$')" -eq $ranks ] &&
		[ ! -e "few.copse/$node" ] || { files few.copse; return 1; }
	"$copse" run --gather maybe true 2>said
	[ $? -eq 2 ] && grep -q 'on, off or auto' said || return
	# What a job of 300 ranks does, one of them: the others are not needed.
	OMPI_COMM_WORLD_RANK=7 OMPI_COMM_WORLD_SIZE=300 PMIX_NAMESPACE=many \
		"$copse" run -q -o many.copse "$programs/shares" 0.1 >said || return
	[ "$(files many.copse)" = "$node" ] || { files many.copse; return 1; }
	OMPI_COMM_WORLD_RANK=7 OMPI_COMM_WORLD_SIZE=300 PMIX_NAMESPACE=many-2 \
		"$copse" run -q --gather off -o not.copse "$programs/shares" 0.1 \
		>said || return
	[ "$(files not.copse)" = rank-7.h5 ]
}

# mpirun kills all the others, with their parents.
a_rank_dies() {
	job_of --gather on -o dies.copse "$programs/mpi-crash" kill9 3 0.1 2>out
	status=$?
	files dies.copse
	[ $status -ne 0 ] && [ "$(processes dies.copse)" = $ranks ]
}

# Computes for long enough to be sampled, then until NAME.go is there.
cat >until-go <<'S'
#!/bin/sh
i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done
echo >"$1.ready-$OMPI_COMM_WORLD_RANK"
until [ -e "$1.go" ]; do :; done
S
chmod +x until-go

# start_ranks NAME: NAME.copse of ranks that no launcher ends; all have samples.
start_ranks() {
	for n in $(seq 0 $((ranks - 1))); do
		( rank "$n" "$1" "$copse" run -q --gather on -o "$1.copse" \
			./until-go "$1" >/dev/null ) &
		eval "pid_$n=$!"
	done
	for n in $(seq 0 $((ranks - 1))); do
		wait_for test -e "$1.ready-$n" || return
	done
}

# One loses its `copse run`.
a_parent_dies() {
	start_ranks parent || return
	# shellcheck disable=SC2154 # start_ranks sets it
	kill -s KILL "$pid_5"
	touch parent.go
	wait
	[ "$(files parent.copse)" = "$node" ] &&
		[ "$(members parent.copse)" -eq $((ranks - 1)) ] || {
		files parent.copse
		return 1
	}
	"$copse" recover parent.copse || return
	[ -e parent.copse/rank-5.h5 ] &&
		[ "$(processes parent.copse)" = $ranks ] &&
		nothing_left parent.copse
}

# Killed while they are about to add, and while others do, over and over: each
# is in the file, or still to be had.
gatherers_die() {
	start_ranks storm || return
	touch storm.go
	wait_for test -s "storm.copse/$node" || return
	for n in 1 4 7 10 13; do
		eval "kill -s KILL \$pid_$n" 2>/dev/null
		sleep 0.03
	done
	wait
	"$copse" recover storm.copse
	files storm.copse
	[ "$(processes storm.copse)" -ge $ranks ] && nothing_left storm.copse
}

# Somebody else has the lock, for longer than we wait.
stuck() {
	need flock
	OMPI_COMM_WORLD_RANK=0 "$copse" run -q --gather on -o stuck.copse \
		./until-go stuck &
	run=$!
	wait_for sh -c 'ls stuck.copse/.host-*' || return
	flock -o "/dev/shm/copse-$(id -u)" sh -c 'touch held; exec sleep 30' &
	holder=$!
	wait_for test -e held && wait_for test -e stuck.ready-0 &&
		touch stuck.go
	wait $run
	is=$?
	kill $holder
	[ $is = 0 ] || return
	files stuck.copse
	[ "$(files stuck.copse)" = rank-0.h5 ]
}

# Where one profile has room and the next has not: it stays in shared memory.
full_disk() {
	need unshare
	unshare --mount true 2>said || skip "no mounts: $(cat said)"
	mkdir full
	# shellcheck disable=SC2016 # words of the inner shell
	unshare --mount sh -c '
		mount -t tmpfs -o size=48k none full || exit 99
		for n in 0 1; do
			OMPI_COMM_WORLD_RANK=$n OMPI_COMM_WORLD_SIZE=2 \
				PMIX_NAMESPACE=full "$1" run -q --gather on \
				-o full/full.copse "$2" 0.1 >/dev/null
		done
		ls -s full/full.copse
		mount -o remount,size=4m full
		"$1" recover full/full.copse
		"$1" merge full/full.copse' sh "$copse" "$programs/shares" \
		>said 2>&1
	cat said
	grep -q 'could not be written: .*No space left' said &&
		grep -q 'run.h5: 2 processes' said && nothing_left full
}

# The file of another host with the same name.
same_name() {
	[ -e one.copse ] || return
	for n in 0 1; do
		( rank $n namesake "$copse" run -q --gather on -o namesake.copse \
			"$programs/shares" 0.1 >/dev/null )
		[ $n -eq 1 ] || printf 'another one' | dd conv=notrunc bs=1 \
			seek=$((4096 + 16)) of="namesake.copse/$node" 2>/dev/null
	done
	[ "$(files namesake.copse | tr '\n' ' ')" = \
		"${node%.h5}-2.h5 $node " ] || { files namesake.copse; return 1; }
	[ "$(processes namesake.copse)" = 2 ]
}

cut_off() {
	[ -e one.copse ] || return
	mkdir cut && cp "one.copse/$node" cut && truncate -s -300 "cut/$node" ||
		return
	[ "$(processes cut)" = $((ranks - 1)) ] || { cat said; return 1; }
	cat said
	grep -q "$node:end: a profile was begun" said && grep -q 'rank [0-9]*: no profile here' said
}

point "16 ranks, one file" one_file
point "its profiles are those that would have been files" as_files
point "threads and processes make one database of it" merged_alike
point "profiles in it are read without their lists, too" without_lists
point "a file by itself is what it has of the run" by_itself
point "on for many ranks, and when it is asked for" by_choice
point "a rank that dies takes no other's profile with it" a_rank_dies
point "nor does a copse run that is killed" a_parent_dies
point "nor do those that are killed at the end" gatherers_die
point "without its turn, a rank writes its own file" stuck
point "what a full disk does not take can be recovered" full_disk
point "hosts of one name do not share a file" same_name
point "an end that is cut off is named" cut_off
points_done
