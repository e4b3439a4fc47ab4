#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# merge-scale.sh - a job of 200 made ranks, some of them damaged: its database is
# the same, bit by bit, whatever the number of threads and the way that rank
# files are read.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
ranks=200

# Eight bytes of the file, as a number: where HDF5's part of it ends.
hdf5_end() {
	od -A n -t u8 -j 28 -N 8 "$1" | tr -d ' '
}

made() {
	"$copse" run -q -o model.copse "$programs/shares" 0.5 >out 2>&1 ||
		{ cat out; return 1; }
	mkdir job && "$builddir/tests/bench/make-ranks" model.copse/rank-0.h5 \
		job $ranks values=4000 || return
	[ "$(find job -name 'rank-*.h5' | wc -l)" -eq $ranks ] || return
	truncate -s 3000 job/rank-7.h5 && echo tea >job/rank-120.h5
}

threads() {
	for n in 1 2 3 8; do
		"$copse" merge -q -t $n job -o threads-$n.h5 2>said-$n || return
		cat said-$n
		grep -q 'rank-7.h5: truncated' said-$n || return
		grep -q 'rank-120.h5: not an HDF5 file' said-$n || return
		cmp said-1 said-$n || return
		cmp threads-1.h5 threads-$n.h5 || return
	done
}

# As by another program that knows HDF5, or by an older copse.
without_lists() {
	cp -r job plain
	for file in plain/rank-*.h5; do
		case $file in
		*/rank-7.h5 | */rank-120.h5) continue ;;
		esac
		end=$(hdf5_end "$file")
		[ "$end" -lt "$(stat -c %s "$file")" ] ||
			{ echo "$file has no list"; return 1; }
		truncate -s "$end" "$file"
	done
	"$copse" merge -q -t 3 plain -o plain.h5 2>said || { cat said; return 1; }
	cmp threads-1.h5 plain.h5
}

# What HDF5 knows of a rank file does not end where the list begins.
others_read_it() {
	need h5dump
	h5dump -d /nodes/parent job/rank-3.h5 | grep -q 'DATASPACE  SIMPLE'
}

# What reports read of a database is what they find in the rank files, where it
# has the sums of paths and where they must be added up.
reported() {
	"$copse" report threads-1.h5 -f csv >report.csv || return
	[ -s report.csv ] || return
	h5dump -H threads-1.h5 | grep -q '"by_rank"' || return
	for what in imbalance ranks hotspots "imbalance -n 0 -f csv"; do
		# shellcheck disable=SC2086 # words
		"$copse" report $what threads-1.h5 >by-file || return
		"$copse" report $what without.h5 >by-values || return
		cmp by-file by-values || return
	done
}

# A database as the first version wrote it.
without_sums() {
	need h5dump
	for try in python3 /usr/bin/python3; do
		"$try" -c 'import h5py' 2>/dev/null && python=$try && break
	done
	[ -n "${python-}" ] || skip "no h5py here"
	cp threads-1.h5 without.h5
	"$python" - <<-EOF
	import h5py
	f = h5py.File("without.h5", "r+")
	del f["paths"], f["nodes/path"]
	for m in f["metrics"].values():
	    for name in ("by_rank", "first_by_rank", "paths", "rows",
	                 "stats/squares", "stats/least", "stats/most"):
	        if name in m:
	            del m[name]
	EOF
	"$copse" export values --rank 150 threads-1.h5 >of-rank &&
		"$copse" export values --rank 150 without.h5 >looked-for &&
		cmp of-rank looked-for
}

# A limit for files stands for it.
full_disk() {
	trap '' XFSZ
	ulimit -f 100 # blocks of 512 bytes or of 1024
	"$copse" merge -q -t 2 job -o full.h5 2>said
	status=$?
	cat said
	[ $status -eq 1 ] && grep -q 'full.h5: cannot be written' said &&
		[ ! -e full.h5 ]
}

# False: it had ended before it was told to.
told_while_writing() {
	"$copse" merge -q -t 1 job -o ended.h5 2>said &
	pid=$!
	while kill -0 $pid 2>said; do
		ls ended.h5.part* >said 2>&1 && kill -TERM $pid && break
	done
	wait $pid
	[ $? -eq 143 ]
}

ended() {
	wait_for told_while_writing && [ -z "$(ls ended.h5.part*)" ]
}

no_file_is_left() {
	[ -z "$(find . -name '*.part*' -o -name '.copse-merge*')" ]
}

# On a terminal what is done, how much of it, and how long yet; a pipe has nothing.
bar_on_a_terminal() {
	need script
	mkdir long && "$builddir/tests/bench/make-ranks" model.copse/rank-0.h5 \
		long 3000 values=4000 || return
	TERM=xterm script -qec "$copse merge -q -t 1 long" typed >/dev/null || return
	tr '\r' '\n' <typed | grep '\[#.*\]' >bars
	head -n 30 bars
	grep -Eq '^reading profiles +\[#+ *\] [0-9]+/3000' bars ||
		return
	"$copse" merge -q long 2>piped || return
	[ ! -s piped ] || { cat piped; return 1; }
}

point "ranks are made after a real one" made
point "1, 2, 3 and 8 threads make the same database" threads
point "rank files without a list make the same database" without_lists
point "other programs read rank files with a list" others_read_it
point "a database without sums and a second order" without_sums
point "reports say the same of both" reported
point "a full disk is a clear end" full_disk
point "told to end while it writes, it leaves no half" ended
point "a terminal is shown how far it is" bar_on_a_terminal
point "nothing is left behind" no_file_is_left
points_done
