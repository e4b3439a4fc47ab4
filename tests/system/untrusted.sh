#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# untrusted.sh - what comes from others commands nothing: variables for a program
# with more rights than its caller, names in profiles that a terminal would
# obey, files that profiles name.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset COPSE_BUDGET
libraries=$builddir
cd "$scratch" || exit 99

as_nobody() {
	setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"
}

# What the adapter for GPUs would do is done when it is loaded by the driver.
build_privileged() {
	cat >privileged.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

int main(void)
{
	int (*inject)(void) = dlsym(RTLD_DEFAULT, "InitializeInjection");

	if (inject)
		inject();
	while (clock() < CLOCKS_PER_SEC / 5)
		;
	return 0;
}
C
	set -- "$libraries"/libcopse.so "$libraries"/libcopse-mpi-*.so
	for adapter in openmp locks; do
		[ ! -e "$libraries/libcopse-$adapter.so" ] ||
			set -- "$@" "$libraries/libcopse-$adapter.so"
	done
	[ -e "$libraries/libcopse-cuda.so" ] &&
		set -- "$@" "$libraries/libcopse-cuda.so"
	"${CC:-cc}" -o privileged privileged.c -Wl,--no-as-needed "$@" \
		-Wl,-rpath,"$libraries"
}

# A library that says who loaded it.
build_intruder() {
	cat >intruder.c <<'C'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void say(void)
{
	close(open(getenv("INTRUDER_SAYS"), O_CREAT | O_WRONLY, 0644));
}
C
	"${CC:-cc}" -shared -fPIC -o intruder.so intruder.c
}

# made MODE: what the caller's variables make it write, when it has that mode.
made() {
	rm -rf theirs
	install -d -m 777 theirs
	chmod "$1" privileged
	as_nobody env COPSE_LIVE="$scratch/theirs" COPSE_EVENTS=cpu \
		COPSE_CUPTI="$scratch/intruder.so" \
		INTRUDER_SAYS="$scratch/theirs/loaded" ./privileged ||
		return
	ls -A theirs
}

obeys_nobody() {
	need setpriv "${CC:-cc}"
	[ "$(id -u)" = 0 ] || skip "only root makes set-user-id programs"
	chmod 711 "$scratch"
	as_nobody test -r "$libraries/libcopse.so" ||
		skip "others cannot reach $builddir"
	build_privileged && build_intruder || return
	made 0755 >same
	grep -q live same || { echo "not measured at all"; return 1; }
	made 4755 >rights
	[ "$(as_nobody stat -c %u privileged)" = 0 ] || return
	findmnt -no OPTIONS -T privileged | grep -q nosuid &&
		skip "no set-user-id programs on $scratch"
	cat rights
	[ ! -s rights ]
}

# is_calm FILE: no control characters but ends of lines, nothing of C1.
is_calm() {
	[ -s "$1" ] || { echo "$1 is empty"; return 1; }
	if LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$1" ||
	    ! iconv -f UTF-8 -t UTF-8 "$1" >/dev/null; then
		cat -v "$1"
		return 1
	fi
}

# Clears the screen, by an escape, by C1 in UTF-8 and as a byte, and a line that
# looks like ours.
hostile=$(printf 'evil\033[2J\302\2332J\2332J\ncopse merge: all is well')

measure_hostile() {
	[ -d hostile.copse ] && return
	mkdir -p "$hostile"
	cp "$programs/steady" "$hostile/steady" || return
	env SLURM_JOB_ID="$hostile" SLURM_JOB_NAME="$hostile" \
		"$copse" run -q -o hostile.copse "$hostile/steady" 0.2 >/dev/null || return
	rm -r "$hostile"
}

info_is_calm() {
	measure_hostile || return
	"$copse" info hostile.copse >info && is_calm info || return
	grep 'evil.*all is well' info >/dev/null &&
		! grep '^copse merge' info
}

merge_is_calm() {
	measure_hostile || return
	"$copse" merge hostile.copse >said 2>&1 || return
	grep 'evil.*cannot be opened' said && is_calm said &&
		! grep '^copse merge: all is well' said
}

failures_are_calm() {
	measure_hostile || return
	"$copse" info "$hostile/none" >said 2>&1
	"$copse" report "$hostile/none" >>said 2>&1
	"$copse" "$hostile" >>said 2>&1
	is_calm said && [ "$(wc -l <said)" = 4 ]
}

# on_terminal WORD…: what copse writes to one.
on_terminal() {
	need script
	script -qec "'$copse' $*" /dev/null | tr -d '\r'
}

terminal_is_calm() {
	measure_hostile || return
	for what in "report hotspots -f csv" "report hotspots -f json" \
	    "report tree -f folded" "export nodes" "export ranks" \
	    "report hotspots --color=never" info; do
		on_terminal "$what hostile.copse" >said || return
		is_calm said || { echo "$what"; return 1; }
	done
	# Ours are still there.
	on_terminal "report --color=always hostile.copse" >said
	grep -q "$(printf '\033')" said
}

# Into a file every byte goes as it is; JSON has a way to write all of them.
files_are_whole() {
	measure_hostile || return
	"$copse" export ranks hostile.copse >said || return
	grep -q "$(printf '\302\2332J')" said || { cat -v said; return 1; }
	"$copse" report -f json hostile.copse >said && is_calm said &&
		grep -q 'evil.*\\u009b' said
}

# A pipe among rules or groups would be waited for.
pipes_among_texts() {
	measure_hostile || return
	mkdir -p texts && mkfifo texts/pipe.rule texts/pipe.ev || return
	export COPSE_RULES="$PWD/texts" COPSE_GROUPS="$PWD/texts"
	timeout 20 "$copse" report diagnose hostile.copse/ >said 2>&1 &&
		grep 'rule pipe is no regular file' said || return
	for group in pipe texts/pipe.ev; do
		timeout 20 "$copse" run -g $group true >said 2>&1
		[ $? = 2 ] && grep "group $group is no regular file" said ||
			{ cat said; return 1; }
	done
	timeout 20 "$copse" help >said 2>&1
	status=$?
	timeout 20 "$copse" run --help >>said 2>&1 && [ $status = 0 ]
}

# A profile whose columns want a filter that HDF5 has not, and would load.
no_plugin() {
	need "${CC:-cc}"
	python=/usr/bin/python3
	$python -c 'import h5py' 2>/dev/null || skip "no h5py here"
	measure_hostile && build_intruder && mkdir -p plugins filtered &&
		cp intruder.so plugins/libx.so && cp hostile.copse/rank-0.h5 filtered || return
	$python - <<-'EOF' || return
	import h5py
	with h5py.File("filtered/rank-0.h5", "r+") as file:
	    names = []
	    file.visititems(lambda name, of: names.append(name)
	        if isinstance(of, h5py.Dataset) and of.size else None)
	    for name in names:
	        data, of = file[name][...], file[name].id.get_type()
	        del file[name]
	        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
	        how.set_chunk(data.shape)
	        how.set_filter(32000, h5py.h5z.FLAG_OPTIONAL, (1,))
	        h5py.h5d.create(file.id, name.encode(), of,
	            h5py.h5s.create_simple(data.shape), how).write_direct_chunk(
	                (0,) * data.ndim, data.tobytes(), 0)
	EOF
	for word in info merge report; do
		HDF5_PLUGIN_PATH=$PWD/plugins INTRUDER_SAYS=$PWD/loaded \
			"$copse" $word filtered >said 2>&1
		cat said
		grep -i 'filter' said && [ ! -e loaded ] ||
			{ echo "$word loaded it"; return 1; }
	done
}

# merges PROGRAM PIPE: with a pipe of that name in its way.
merges() {
	rm -rf "$1.copse" "$2"
	"$copse" run -q --page=off -o "$1.copse" "./$1" && mkfifo "$2" || return
	timeout 30 "$copse" merge "$1.copse" >said 2>&1
	status=$?
	rm "$2"
	[ $status = 0 ] && "$copse" report hotspots "$1.copse/" | grep hot ||
		{ echo "$1, $2: status $status"; cat said; return 1; }
}

# elfutils opens what a file names as its debug information, and what is called
# like it; for the kernel's library in the working directory.
pipes_for_debug_files() {
	need objcopy "${CC:-cc}"
	mkdir -p debug/.debug debug/.dwz debug/objects && cd debug || return
	cat >hot.c <<-'C'
	#include <time.h>
	static volatile long x;
	__attribute__((noinline)) static void hot(void)
	{
		for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;)
			for (int i = 0; i < 1000; i++)
				x += i;
	}
	int main(void)
	{
		hot();
		return 0;
	}
	C
	"${CC:-cc}" -g -O1 hot.c -o linked &&
		objcopy --only-keep-debug linked linked.debug &&
		objcopy --strip-debug --add-gnu-debuglink=linked.debug linked ||
		return
	for pipe in linked.debug .debug/linked.debug .debug/linked \
	    "[vdso].debug" ".debug/[vdso]"; do
		merges linked "$pipe" || return
	done
	for version in 4 5; do
		(cd objects && "${CC:-cc}" -g -gdwarf-$version -gsplit-dwarf -O1 \
			-c ../hot.c -o hot.o) &&
			"${CC:-cc}" objects/hot.o -o split || return
		for pipe in split.dwp objects/hot.dwo hot.dwo; do
			merges split $pipe || return
		done
	done
	need dwz
	"${CC:-cc}" -g -O1 hot.c -o first && "${CC:-cc}" -g -O2 hot.c -o second &&
		dwz -m common.debug -r first second || return
	mv common.debug common
	for pipe in common.debug .dwz/common.debug; do
		merges first $pipe || return
	done
}

point "set-user-id programs obey no variable of ours" obeys_nobody
point "info shows no control characters" info_is_calm
point "merge's warnings have none" merge_is_calm
point "messages about names have none" failures_are_calm
point "formats for programs have none on a terminal" terminal_is_calm
point "formats for programs are whole in a file" files_are_whole
point "a pipe among rules or groups of events" pipes_among_texts
point "a profile makes HDF5 load no library" no_plugin
point "pipes where debug information is looked for" pipes_for_debug_files
points_done
