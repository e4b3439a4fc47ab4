#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bootstrap.sh - what bootstrap and configure say where something is missing, whether
# the last words of its demo can be typed, which tests are tried again, and how one that
# hangs ends.  Commands that look at the system, or change it, are stand-ins.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
mkdir -p tree/build/tests/programs tree/tests bin
cp "$srcdir/bootstrap" tree
ln -s "$copse" tree/build/copse
# A demo of a second.
printf '#!/bin/sh\nexec "%s" 60\n' "$programs/demo" >tree/build/tests/programs/demo
chmod +x tree/build/tests/programs/demo
touch tree/build/Makefile
touch tree/configure
chmod +x tree/configure

# stand_in NAME LINE…: a command of that name.
stand_in() {
	name=$1
	shift
	{ echo '#!/bin/sh'; printf '%s\n' "$@"; } >"bin/$name"
	chmod +x "bin/$name"
}

# Everything is there but what the point takes away.
stand_in dpkg-query "echo \${STATE-installed}"
stand_in id "echo \${USER_ID-0}"
stand_in apt-get "[ \"\$1\" = -qq ] || echo \"apt-get \$*\" >>$scratch/installed"
stand_in make :

# What apt knows: all but $LACKS, and the names of which patterns choose.
stand_in apt-cache '[ "$1" = policy ] || exec printf "%s\n" golang-1.9-go \
		golang-1.19-go golang-1.20-doc libpython3.8 libpython3.11' \
	'for name do' \
	'	case " policy ${LACKS-} " in *" $name "*) continue ;; esac' \
	'	case $name in *\[*) continue ;; esac' \
	'	printf "%s:\n  Candidate: 1\n" "$name"' \
	'done'

# Neither make nor autoconf, as in a container of a distribution.
names_autoconf() {
	mkdir -p bare
	for tool in sh dirname mkdir; do
		ln -sf "$(command -v $tool)" bare
	done
	PATH=$scratch/bare tree/bootstrap 2>said && return 1
	cat said
	for word in autoreconf autoconf automake pkg-config; do
		grep -qw -e $word said || { echo "no word of $word"; return 1; }
	done
}

# What a user is told is what root's run would do.
says_what_it_does() {
	PATH=$scratch/bin:$PATH
	export STATE=absent
	USER_ID=1000 tree/bootstrap demo 2>said && return 1
	mkdir -p "$scratch/root"
	USER_ID=0 tree/bootstrap demo >out 2>&1 || { cat out; return 1; }
	told=$(sed 's/.*as root: //; s/ *$//' said)
	did=$(sed 's/ -qq / /; s/ *$//' installed)
	echo "told: $told"
	echo "did:  $did"
	[ -n "$did" ] && [ "$told" = "$did" ]
}

# Of several the newest, of none nothing, and a word about what there is not.
finds_by_pattern() {
	ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 ||
		skip "apt has no lists here"
	PATH=$scratch/bin:$PATH
	rm -f installed
	STATE=absent LACKS='esbuild otf2-tools' tree/bootstrap check >out 2>&1
	cat out installed
	tr ' ' '\n' <installed | grep -E '^(golang|libpython|esb|otf2)' |
		sort >did
	printf '%s\n' golang-1.19-go libpython3.11 | diff - did || return
	grep '^bootstrap: left out' out | sed 's/.* //' | sort >left
	printf '%s\n' esbuild 'libboost-context[0-9.]*' \
		'libmimalloc[0-9.]*' 'libpython3[0-9.]*-testsuite' \
		'libtcmalloc-minimal4[t64]*' \
		otf2-tools | diff - left
}

# A library in a place of its own is found, with its run path, and all that is
# missing is named at once.
names_all_that_is_missing() {
	mkdir -p configured prefix/include prefix/lib
	echo 'int deflate(void);' >prefix/include/zlib.h
	echo 'int deflate(void) { return 0; }' |
		${CC:-cc} -shared -o prefix/lib/libz.so -xc - || return
	cd configured || return
	"$srcdir/configure" --with-zlib="$scratch/prefix" --without-hdf5 \
		--without-elfutils >out 2>err && return 1
	cat err
	grep -c '^  [a-z0-9]*: missing ([^)]' err | grep -x 2 &&
		grep -qw hdf5 err && grep -qw elfutils err || return
	grep -E '^(ZLIB_LIBS|RUN_PATH)=' config.log
	grep -q "^ZLIB_LIBS=.*-L$scratch/prefix/lib .*-lz" config.log &&
		grep -q "^RUN_PATH=.*-rpath,$scratch/prefix/lib " config.log
}

can_be_typed() {
	need mpirun
	[ -x "$programs/demo" ] || skip "the demo was not built"
	PATH=$scratch/bin:$PATH tree/bootstrap demo >demo.out 2>&1 ||
		{ cat demo.out; return 1; }
	sed -n '/^To go on/,$s/^    //p' demo.out |
		sed "s|PROGRAM|$scratch/tree/build/tests/programs/demo|" >typed
	grep -q 'copse report waits' typed && grep -q mpirun typed || return 1
	cd / && sh -ex "$scratch/typed" >"$scratch/went" 2>&1 ||
		{ cat "$scratch/went"; return 1; }
}

# tries TEST FAIL…: how many tries ./bootstrap check makes with a test that fails
# in these; its status.  The first is of the quick tier, one more of the rest.
tries() {
	test=$1
	shift
	rm -rf tree/build/tests/run tree/build/tests/unit tried
	mkdir -p tree/build/tests/run tree/build/tests/unit tree/build/src
	stand_in make "case \"\$*\" in *check*) ;; *) exit 0 ;; esac" \
		"echo \"\$*\" >>$scratch/tried" \
		"try=\$(wc -l <$scratch/tried) word=PASS" \
		"case ' $* ' in *\" \$try \"*) word=FAIL ;; esac" \
		"echo \"try \$try\" >$scratch/tree/build/tests/$test.log" \
		"[ \$word = PASS ] || echo 'not ok 1 - it rains' \
			>>$scratch/tree/build/tests/$test.log" \
		"echo \":test-result: \$word\" \
			>$scratch/tree/build/tests/$test.trs" \
		"[ \$word = PASS ]"
	PATH=$scratch/bin:$PATH tree/bootstrap check >out 2>&1
	status=$?
	stand_in make :
	cat tried
	echo "$(wc -l <tried) tries: $status" | tee -a out
}

two_of_three() {
	tries run/x | grep '^2 tries: 0' || return
	tries run/x 2 >got
	cat got
	grep '^4 tries: 0' got || return
	[ "$(grep -c 'TESTS=tests/run/x.sh' got)" = 2 ] || return
	grep '^try 2' tree/build/tried-again/x.log || return
	cat out tree/tests/flaky.tbl
	grep '^tried again: x: it rains' out &&
		grep '^1 passed, 0 failed, 0 skipped' out &&
		[ "$(cut -f 2,3 tree/tests/flaky.tbl)" = "x	it rains" ] || return
	rm tree/tests/flaky.tbl
	tries run/x 2 4 | grep '^4 tries: [1-9]' || return
	tries run/x 2 3 4 | grep '^3 tries: [1-9]' || return
	[ ! -s tree/tests/flaky.tbl ] || return
	tries unit/unit 2 | grep '^2 tries: [1-9]'
}

# The truth sooner: what fails in the quick tier is tried again there, and no
# other is run after it.
quick_first() {
	tries run/x | grep -c 'check-quick\|check-rest' | grep '^2$' || return
	tries run/x 1 >got
	cat got
	grep '^4 tries: 0' got && sed -n 4p got | grep check-rest || return
	rm tree/tests/flaky.tbl
	tries run/x 1 2 >got
	cat got
	grep '^2 tries: [1-9]' got && ! grep check-rest got || return
	tries unit/unit 1 | grep '^1 tries: [1-9]' || return
	! tries run/x | grep check-storms || return
	(export STORMS=yes; tries run/x) | grep check-storms
}

# Of two logs, the longer first.
says_the_slowest() {
	rm -rf tree/build/tests/run tree/build/tests/unit
	stand_in make 'mkdir -p build/tests/run && cd build/tests/run || exit' \
		'echo "# took 3 s, 2.5 s of CPU time" >short.log' \
		'echo "# took 31 s, 1.0 s of CPU time" >long.log' \
		'echo ":test-result: PASS" >long.trs'
	PATH=$scratch/bin:$PATH tree/bootstrap check >out 2>&1
	stand_in make :
	cat out
	grep '^slowest' out >got
	diff - got <<-'END'
		slowest: long 31 s, 1.0 s of CPU time
		slowest: short 3 s, 2.5 s of CPU time
	END
}

# The process that left its parent holds what the test prints to.
hangs() {
	need ps
	PATIENCE_S=1 timeout 60 sh "$srcdir/tests/lib/watched.sh" sh -c '
		(setsid sleep 600.5 &)
		sleep 600.25
		true' 2>&1 | tee got
	[ "$(grep -c '^#.* sleep 600' got)" -ge 2 ]
}

as_it_is() {
	sh "$srcdir/tests/lib/watched.sh" sh -c 'exit 3' >said
	[ $? = 3 ] || return
	cat said
	grep -xE '# took [0-9]+ s, [0-9]+\.[0-9] s of CPU time' said
}

point "without autoconf it names the packages" names_autoconf
point "a user is told what root's run would do" says_what_it_does
point "names that differ from release to release" finds_by_pattern
point "what configure misses, and where" names_all_that_is_missing
point "the demo's last words can be typed" can_be_typed
point "a test that failed has to pass twice more" two_of_three
point "the quick tier is first" quick_first
point "it says what took longest" says_the_slowest
point "a test that hangs is shown, and ends" hangs
point "a test that ends has its own exit status, and says its time" as_it_is
points_done
