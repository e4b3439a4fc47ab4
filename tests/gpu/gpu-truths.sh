#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-truths.sh - what needs no GPU of the tests that do: the comparison of
# programs with reports finds what is wrong, shown on reports that were made up;
# cases, programs and truths know each other; programs skip where there is no GPU.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/gpu/truths.sh
. "$srcdir/tests/gpu/truths.sh"
built=$builddir/tests/gpu
cd "$scratch" || exit 99

cat >made-up.tbl <<'M'
# TABLE  MEASURE   REPORT         NAME            PATH      COLUMN    COMBINE  OFF
kernel   launches  kernels -n 0   kernel          path      launches  sum      0
kernel   time      kernels -n 0   kernel          path      time      sum      2%
kernel   least     kernels -n 0   kernel          path      least     min      0
captured  launches  ?kernels -n 0  kernel          captured  launches  sum      0
kinds    bytes     copies         kind/memory     -         bytes     sum      0
faults   count     copies         kind            -         count     sum      least
M
truth_table=$scratch/made-up.tbl

cat >said <<'M'
a line of the program's
truth kernel spin step launches 3
truth kernel spin * launches 7
truth kernel other step launches 0
measured kernel spin step time 0.100
truth kernel spin step least 4
truth captured spin capture launches 3
truth kinds HtoD/pinned * bytes 5000000000
truth faults HtoD * count 2
measured own step * us 17
M
# Launches of ranks add up, and what is least is the least of them.
cat >>said <<'M'
truth kernel spin rank launches 0
truth kernel spin rank launches 4
M

cat >kernels.csv <<'M'
kernel,path,launches,time,least
"spin(unsigned long long, float*)","main;step;cudaLaunchKernel",1,0.04,9
spin,main;step;deeper,2,0.061,4
spin,main;stepper;rank,4,0.5,1
M
cat >copies.csv <<'M'
kind,memory,bytes,count
HtoD,pinned,4000000000,1
HtoD,pinned,1000000000,5
HtoD,pageable,77,1
M

report_to() {
	cp "$2.csv" "$1"
}

holds() {
	rm -rf reports
	truths_hold said reports
}

# wrong WHERE FROM TO: after that change it does not hold any more.
wrong() {
	cp said.right said
	cp kernels.right kernels.csv
	cp copies.right copies.csv
	sed "s|$2|$3|" "$1" >changed
	! cmp -s changed "$1" || { echo "nothing was changed"; return 1; }
	mv changed "$1"
	! holds
}

point "what is true holds" holds
for file in said kernels.csv copies.csv; do
	cp $file "${file%.csv}.right"
done
point "one launch less" wrong kernels.csv 'deeper,2' 'deeper,1'
point "one launch too many" wrong kernels.csv 'rank,4' 'rank,5'
point "another kernel's launches" wrong kernels.csv '"spin(' '"spinner('
point "another function's launches" wrong kernels.csv 'step;deep' 'steps;deep'
point "a launch that was not" wrong kernels.csv \
	'^spin,main;stepper' 'other,main;step'
point "time that is off by 3 %" wrong kernels.csv 0.061 0.063
point "a wrong least" wrong kernels.csv 'deeper,2,0.061,4' 'deeper,2,0.061,3'
point "a byte less" wrong copies.csv 1000000000 999999999
point "too few faults" wrong said 'count 2' 'count 8'
point "a column that is not there" wrong kernels.csv 'path,launches' 'path,calls'
point "a report without rows" wrong copies.csv '^HtoD' DtoH
point "a truth that no table knows" wrong said 'kernel other step launches 0' \
	'kernel spin step launched 3'
point "no truths at all" wrong said '^[a-z]* ' '# '

# Each truth that a program may say has its row.
truths_have_rows() {
	truth_table=$srcdir/tests/gpu/truths.tbl
	cat "$srcdir"/tests/gpu/*.[ch] "$srcdir"/tests/gpu/*.cu | tr '\n' ' ' | tr -s ' \t' ' ' |
		grep -oE '(truth|measured)\("[a-z]*", [^,;]*, [^,;]*, "[a-z]*"' |
		sed 's/.*("\([a-z]*\)".*"\([a-z]*\)"$/\1\t\2/' |
		grep -v '^own' | sort -u >spoken
	[ "$(wc -l <spoken)" -gt 15 ] || { cat spoken; return 1; }
	truth_rows | cut -f 1,2 | sort >rows
	comm -23 spoken rows >missing
	cat missing
	[ ! -s missing ]
}

rows_are_whole() {
	truth_table=$srcdir/tests/gpu/truths.tbl
	truth_rows | awk -F '\t' 'NF != 8 || $7 !~ /^(sum|min|max)$/ ||
		$8 !~ /^([0-9]+%?|least)$/ { print; bad = 1 } END { exit bad }'
}

cases_are_whole() {
	grep -v -e '^#' -e '^ *$' "$srcdir/tests/gpu/cases.tbl" |
		awk -F '  +' 'NF != 5 || $2 !~ /^(all|none)$/ || seen[$1]++ {
			print; bad = 1 } END { exit bad }'
}

cases_are_programs() {
	grep -v '^#' "$srcdir/tests/gpu/cases.tbl" |
		grep -oE '(@|S)/[a-z.-]*' | sed 's/[.]so$//' | sort -u >used
	while read -r word; do
		name=${word#?/}
		for file in "$name" "$name.cu" "$name.c" "${name%-static}.cu"; do
			[ ! -f "$srcdir/tests/gpu/$file" ] || continue 2
		done
		echo "$word is no program"
		return 1
	done <used
	for file in "$srcdir"/tests/gpu/*.cu "$srcdir"/tests/gpu/*.c; do
		name=$(basename "${file%.*}")
		case $name in
		made* | capture | stencil-kernels) continue ;; # parts of others
		esac
		grep -qx "@/$name" used ||
			{ echo "no case runs $name"; return 1; }
	done
}

point "every truth has its row" truths_have_rows
point "every row is whole" rows_are_whole
point "every case is whole" cases_are_whole
point "cases and programs know each other" cases_are_programs

# skips PROGRAM: says why, and nothing else.
skips() {
	"$@" >out 2>err
	is=$?
	cat out err
	[ $is = 77 ] && [ ! -s out ] && grep -qE '^skip: .*(GPU|PyTorch)' err
}

programs_skip() {
	[ -x "$built/paths" ] || skip "no CUDA compiler here"
	[ ! -e /dev/nvidiactl ] || skip "there is a GPU here"
	find "$built" -maxdepth 1 -type f -perm -u+x ! -name mpi-spin \
		! -name stencil ! -name 'made*' ! -name '*.so' >all
	[ "$(wc -l <all)" -ge 4 ] || { cat all; return 1; }
	while read -r program; do
		skips "$program" "$srcdir/tests/gpu/spin.ptx" ||
			{ echo "$program"; return 1; }
	done <all
	need python3
	skips python3 "$srcdir/tests/gpu/python.py" "$srcdir/tests/gpu/spin.ptx"
}

point "programs skip without a GPU" programs_skip

# The whole check, with a program and a copse that are no more than scripts.
mkdir -p fake
cat >fake/paths <<'M'
#!/bin/sh
echo "a line"
echo "truth api cudaLaunchKernel * calls 5"
exit ${FAKE_STATUS:-0}
M
cat >fake/copse <<'M'
#!/bin/sh
# run: the program, with one thing wrong if FAKE says so; report: made up.
case $1 in
run)	while [ "$1" != -o ]; do shift; done
	[ "$FAKE" = profile ] || mkdir -p "$2"
	shift 2
	[ "$FAKE" != output ] || echo "a line of copse's"
	[ "$FAKE" != status ] || export FAKE_STATUS=3
	exec "$@" ;;
report)	case $* in
	*records*) echo what,attributed; echo all,${FAKE_ATTRIBUTED:-0.9995} ;;
	*gpu-api*) echo function,calls; echo cudaLaunchKernel,${FAKE_CALLS:-5} ;;
	*) exit 1 ;;
	esac ;;
esac
M
chmod +x fake/*

# checked RIGHT WRONG [VARIABLE=VALUE]: so many points of the case are.
checked() {
	right=$1
	bad=$2
	shift 2
	env "$@" COPSE="$scratch/fake/copse" GPU_PROGRAMS="$scratch/fake" \
		sh "$srcdir/tests/gpu/check-gpu.sh" paths >points 2>&1
	cat points
	[ "$(grep '^ok.*paths' points | grep -vc SKIP)" = "$right" ] &&
		[ "$(grep -c '^not ok.*paths' points)" = "$bad" ]
}

point "the check passes what is right" checked 2 0 FAKE=
point "the check sees other output" checked 1 1 FAKE=output
point "the check sees another status" checked 1 1 FAKE=status
point "the check sees a wrong number" checked 1 1 FAKE_CALLS=4
point "the check sees lost records" checked 1 1 FAKE_ATTRIBUTED=0.99
point "the check sees that there is no profile" checked 1 1 FAKE=profile
point "the check skips without a GPU" checked 0 0 FAKE_STATUS=77
points_done
