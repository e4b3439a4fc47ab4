#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# names.sh [MIB [ADDRESSES]] - finding the names of a huge program: generated
# C++ of about MIB of debug information (1024), ADDRESSES (20000) spread over
# all of it.  The floor is reading the sections of debug information once; the
# peers are addr2line and eu-addr2line, which get a tenth of the addresses and
# two minutes.  Rows are: what, elapsed
# seconds, CPU seconds, peak MiB.
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
size=${1:-1024}
count=${2:-20000}
CXX=${CXX:-c++}
names_of=$builddir/tests/names-of
[ -x "$names_of" ] || { echo "make $names_of first" >&2; exit 2; }
cd "$scratch" || exit

# A unit of 1500 functions, each with members that are inlined into it.
generate() {
	awk 'BEGIN {
		print "namespace sim { extern volatile double sink;"
		for (i = 0; i < 1500; i++) {
			printf "struct Cell%d { double a[%d]; int n; Cell%d *next;\n", i, i % 7 + 3, i
			printf "inline __attribute__((always_inline)) double scale(double x) const { double s = 0; for (int i = 0; i < n; i++) s += a[i %% %d] * x; return s; }\n", i % 7 + 3
			printf "inline __attribute__((always_inline)) double step(double x) { double y = scale(x) + scale(x * 0.5); if (y > 1) y = next ? next->scale(y) : 0; return y; }\n};\n"
			printf "__attribute__((noinline)) double compute%d(Cell%d *c, int m) {\n double sum = 0;\n for (int i = 0; i < m; i++)\n  sum += c->step(i) + c[i].step(sum);\n sink = sum;\n return sum;\n}\n", i, i
		}
		print "}"
		print "extern \"C\" double entry() { double sum = 0;"
		for (i = 0; i < 1500; i++)
			printf " { static sim::Cell%d c[2]; sum += sim::compute%d(c, 1); }\n", i, i
		print " return sum; }\nnamespace sim { volatile double sink; }"
	}'
}

# As many copies of the unit as it takes, each with symbols of its own.
make_program() {
	generate >unit.cc
	"$CXX" -O2 -g -ffunction-sections -c -o unit.o unit.cc || exit
	debug=$(size -A unit.o | awk '/^.debug/ { n += $2 } END { print n }')
	copies=$((size * 1048576 / debug + 1))
	for ((i = 0; i < copies; i++)); do
		objcopy --prefix-symbols="p${i}_" unit.o "unit$i.o" || exit
		echo "double p${i}_entry(void);"
	done >declared
	{
		cat declared
		echo 'int main(void) { double sum = 0;'
		for ((i = 0; i < copies; i++)); do echo "sum += p${i}_entry();"; done
		echo 'return sum > 1; }'
	} >main.c
	"$CC" -O2 -g -Wl,--build-id -o huge main.c unit[0-9]*.o || exit
	rm unit[0-9]*.o
}

# A place in the middle of every so many functions.
choose() { # count, file
	nm -S --defined-only huge | awk '/compute/ { print $1, $2 }' >all
	awk -v want="$1" -v have="$(wc -l <all)" '
		function hex(s,  i, n) {
			for (i = 1; i <= length(s); i++)
				n = n * 16 + index("123456789abcdef", substr(s, i, 1))
			return n
		}
		int(NR * want / have) != int((NR - 1) * want / have) {
			printf "%x\n", hex($1) + int(hex($2) / 2)
		}' all >"$2"
}

# Each function has one address.
code_of() {
	awk -v share="$count" '
		function hex(s,  i, n) {
			for (i = 1; i <= length(s); i++)
				n = n * 16 + index("123456789abcdef", substr(s, i, 1))
			return n
		}
		{ sum += hex($2) }
		END { printf "%.1f\n", sum * (share < NR ? share / NR : 1) / 1048576 }' all
}

# row WHAT COMMAND…: its seconds and its memory.
row() {
	local what=$1 rc
	shift
	command time -f '%e %U %S %M' -o figures timeout 120 "$@" >said 2>&1
	rc=$?
	[ $rc = 0 ] || [ $rc = 1 ] || what="$what (ended after 120 s)"
	tail -n 1 figures | awk -v what="$what" \
		'{ printf "%-44s %8.2f %8.2f %8.0f\n", what, $1, $2 + $3, $4 / 1024 }'
}

sections() {
	readelf -SW huge | sed 's/^ *\[ *[0-9]*\] *//' |
		awk '$1 ~ /^[.]debug_/ { print $4, $5 }' |
		while read -r offset bytes; do
			dd if=huge of=/dev/null bs=1M status=none \
				iflag=skip_bytes,count_bytes \
				skip=$((16#$offset)) count=$((16#$bytes))
		done
}
floor() { row "floor: debug sections read once" bash -c "$(declare -f sections); sections"; }
copse_row() { row "$1" bash -c "\"$names_of\" huge $id <addresses"; }

have readelf && have command || exit
command -v time >/dev/null || { echo "# no time(1) here"; exit 1; }
make_program
id=$(readelf -n huge | awk '/Build ID/ { print $3 }')
choose "$count" addresses
choose $((count / 10)) tenth
echo "# huge: $(du -m huge | cut -f1) MiB, $copies units, $(wc -l <addresses) addresses,"
echo "# in functions of $(code_of) MiB of machine code: what loops take is for those"
floor
COPSE_CACHE=off COPSE_LOOPS=off copse_row "copse, no cache, no loops"
COPSE_CACHE=off copse_row "copse, no cache"
export COPSE_CACHE=$scratch/cache
copse_row "copse, cache empty"
copse_row "copse, cache full"
cp said names
row "eu-addr2line, a tenth of the addresses" bash -c 'eu-addr2line -e huge -f -i -C <tenth'
row "addr2line, a tenth of the addresses" bash -c 'addr2line -e huge -f -i -C <tenth'
echo "# $(cut -f2 names | sort | uniq -c | sort -rn | head -n 1 | sed 's/^ *//') $(grep -c inlined names) inlined, $(grep -c nameless names) nameless"
