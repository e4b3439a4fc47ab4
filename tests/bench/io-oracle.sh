#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# io-oracle.sh [NAME…] - what copse run --io=on says that programs read and wrote,
# beside what strace saw: for each program the bytes of both, in how many of all
# files they are the same, and in how many the calls are as well.  Calls of C's
# streams are the program's own here, and the C library's there.  Below stand the
# files that differ.  What the dynamic loader reads is strace's alone.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
cd "$scratch" || exit 99

calls=read,write,pread64,pwrite64,readv,writev,preadv,pwritev,preadv2,pwritev2
calls=$calls,sendfile,copy_file_range,splice

# file, reads, bytes read, writes, bytes written; by strace's files of processes.
by_strace() {
	cat trace.* | LC_ALL=C awk '
	function path(text,   p) {
		if (!match(text, /<[^>]*>/))
			return ""
		p = substr(text, RSTART + 1, RLENGTH - 2)
		sub(/ \(deleted\)$/, "", p)
		return p ~ /^\// && p !~ /^\/(proc|sys|dev)\// ? p : ""
	}
	function count(p, n, writes) {
		if (p == "")
			return
		seen[p] = 1
		calls[p, writes]++
		bytes[p, writes] += n
	}
	/ = [0-9]+$/ && match($0, /^[a-z0-9_]+\(/) {
		name = substr($0, 1, RLENGTH - 1)
		rest = substr($0, RLENGTH + 1)
		n = $NF
		first = rest
		sub(/,.*/, "", first)
		if (name ~ /^(sendfile|splice|copy_file_range)$/) {
			split(rest, of, ", ")
			from = name == "sendfile" ? of[2] : of[1]
			to = name == "sendfile" ? of[1] : of[3]
			count(path(from), n, 0)
			count(path(to), n, 1)
		} else {
			count(path(first), n, name ~ /write/)
		}
	}
	END {
		for (p in seen)
			print p "\t" calls[p, 0] + 0 "\t" bytes[p, 0] + 0 "\t" \
				calls[p, 1] + 0 "\t" bytes[p, 1] + 0
	}'
}

by_copse() {
	"$copse" report io -n 0 -f csv --table files run.copse |
		awk -v columns='file reads read writes written kind' \
			-f "$srcdir/tests/lib/csv.awk" |
		awk -F '\t' -v OFS='\t' '$6 == "file" && $2 + $4 {
			print $1, $2 + 0, $3 + 0, $4 + 0, $5 + 0 }'
}

# Names that are new in each run are one; what the command says is no file of it.
same_names() {
	sed -E 's/said\.(strace|copse)/said/; s/pid\.[0-9]+/pid/
		s,/(sort|sed|cc|gfortrantmp)[A-Za-z0-9]{6}(\.[a-z]+)?\t,/\1\t,' |
		awk -F '\t' -v OFS='\t' '{
			for (i = 2; i <= 5; i++)
				sum[$1, i] += $i
			seen[$1] = 1
		}
		END {
			for (p in seen)
				print p, sum[p, 2], sum[p, 3], sum[p, 4], sum[p, 5]
		}'
}

compared() {
	LC_ALL=C awk -F '\t' -v name="$1" '
	NR == FNR { oracle[$1] = $0; next }
	{ files[$1] = $0 }
	END {
		for (p in oracle)
			if (!(p in files) && p !~ /^\/(usr|lib|lib64|etc)\//)
				files[p] = p "\t0\t0\t0\t0"
		for (p in files) {
			split(files[p], is, "\t")
			split(oracle[p], must, "\t")
			all++
			read += is[3]; written += is[5]
			read_must += must[3]; written_must += must[5]
			same = is[3] == must[3] && is[5] == must[5]
			right += same
			calls += same && is[2] == must[2] && is[4] == must[4]
			if (!same)
				print "\t" files[p] " | " must[2] + 0, \
					must[3] + 0, must[4] + 0, must[5] + 0
		}
		printf "%s: read %d, strace %d; written %d, strace %d; " \
			"bytes of %d and calls of %d of %d files\n", name, read, \
			read_must, written, written_must, right, calls, all
	}' oracle files | sort
}

# Each begins with the same files.
prepare() {
	rm -rf work
	mkdir work
	cp -a common/. work/
}

try() {
	local name=$1

	shift
	case " $only " in *" $name "* | "  ") ;; *) return ;; esac
	command -v "${1##*=}" >/dev/null || { echo "$name: no $1"; return; }
	prepare
	(cd work && strace -qq -ff -y -e trace="$calls" -e signal=none \
		-o ../trace "$@" >../said.strace 2>&1 </dev/null)
	by_strace | same_names >oracle
	prepare
	rm -rf run.copse trace.*
	(cd work && "$copse" run -q --no-report --io=on -o ../run.copse "$@" \
		>../said.copse 2>&1 </dev/null)
	by_copse | same_names >files
	compared "$name"
}

make_common() {
	mkdir -p common/tree
	for i in $(seq 200); do
		head -c $((i * 997)) /dev/zero | tr '\0' "$((i % 10))" \
			>"common/tree/file-$i"
	done
	seq 400000 >common/numbers
	cat >common/in.melt <<-'END'
		units		lj
		atom_style	atomic
		lattice		fcc 0.8442
		region		box block 0 12 0 12 0 12
		create_box	1 box
		create_atoms	1 box
		mass		1 1.0
		velocity	all create 1.44 87287 loop geom
		pair_style	lj/cut 2.5
		pair_coeff	1 1 1.0 1.0 2.5
		fix		1 all nve
		dump		1 all atom 5 melt.dump
		restart		20 melt.restart
		run		60
	END
	cat >common/loader.py <<-'END'
		import multiprocessing, os, pickle
		def load(i):
		    with open("tree/file-%d" % (i + 1), "rb") as f:
		        return len(f.read())
		def save(n):
		    with open("sizes", "wb") as f:
		        pickle.dump(n, f)
		    with open("lines", "w") as f:
		        for i in n:
		            print(i, file=f)
		if __name__ == "__main__":
		    with multiprocessing.get_context("fork").Pool(4) as pool:
		        save(pool.map(load, range(200)))
	END
	cat >common/rows.sql <<-'END'
		create table t (a integer primary key, b text);
		with recursive n(i) as (select 1 union all select i + 1 from n
			where i < 50000) insert into t select i, 'row ' || i from n;
		create index u on t (b);
		select count(*) from t where b like 'row 1%';
		delete from t where a % 3 = 0;
		vacuum;
	END
	/usr/bin/python3 - 2>/dev/null <<-'END' || rm -f common/a.h5
		import h5py, numpy
		with h5py.File("common/a.h5", "w") as f:
		    f.create_dataset("x", data=numpy.arange(1000000), chunks=(1000,))
	END
}

# shellcheck disable=SC2016,SC1091 # text of that script
make_silicon() {
	sed -n '/^cat >"$scratch\/ld1.in"/,/^EOM/p; /^cat >"$scratch\/pw.in"/,/^EOM/p' \
		"$srcdir/tests/real/qe.sh" >silicon.sh
	. ./silicon.sh
	ld1.x <ld1.in >ld1.out && mv ld1.in pw.in Si.UPF common/
}

only=$*
need strace >/dev/null
make_common
make_silicon 2>/dev/null
fio=(fio --name=f --size=8m --output=/dev/null)
for engine in sync psync vsync pvsync; do
	for how in write read randwrite randread randrw; do
		try "fio-$engine-$how" "${fio[@]}" --ioengine=$engine --rw=$how \
			--bs=4k --numjobs=2 --fsync=512
	done
done
try tar-create tar cf tree.tar tree
try tar-gzip tar czf tree.tgz tree
try cp cp -r tree copy
try dd dd if=numbers of=numbers.2 bs=10000
try sort sort -S 1M -rn -o sorted numbers
try gzip gzip -k numbers
try sed sed -i s/1/2/ numbers
try sqlite3 sqlite3 rows.db '.read rows.sql'
try h5repack h5repack -f GZIP=1 a.h5 b.h5
try h5dump h5dump -o a.txt a.h5
try h5copy h5copy -i a.h5 -o c.h5 -s x -d y
try python-fork /usr/bin/python3 loader.py
try perl perl -ne 'print if /7/' numbers
# shellcheck disable=SC2016 # awk's
try awk awk '{ s += $1 } END { print s > "sum" }' numbers
try lammps lmp -log melt.log -in in.melt
try pw.x pw.x -in pw.in
try git git -c init.defaultBranch=x init -q tree
