#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sources.sh - --sources on: whoever made a profile chose which files it names,
# and maybe what is there; a page has lines of source alone.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
export PYTHONPATH="$srcdir/tests/lib" PYTHONDONTWRITEBYTECODE=1
unset COPSE_BUDGET
here=$PWD
cd "$scratch" || exit 99
tree=$scratch/tree
memory=/dev/shm/copse-test-$$.c
trap 'rm -rf "$scratch" "$memory"' EXIT

# lines NAME FILE: twenty lines of text.
lines() {
	for line in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo "$1 $line"
	done >"$2"
}

# A program with a hot fifth line in each of these files, and a secret.
measure() {
	mkdir -p tree/build tree/real tree/lent theirs
	lines SECRET theirs/secret
	lines SECRET theirs/own.c
	for name in plain.c link.c sub/in.c real/own.c build/../up.c fifo.c dir.c dev.c \
	    lent/hard.c big.c binary.c short.c swapped.c none.c notes.txt; do
		echo "$tree/$name"
	done >names
	printf '%s\n' "$memory" /proc/self/cwd/tree/plain.c \
		"$tree/../../../../../../../proc/self/root$tree/real/own.c" >>names
	awk '{
		print "#line 5 \"" $0 "\"\n__attribute__((noinline)) static void f" NR \
			"(void) { for (long i = 0; i < 20000000; i++) here += i; }"
		calls = calls "f" NR "();"
	}
	BEGIN { print "static volatile double here;" }
	END { print "int main(void) { " calls " return 0; }" }' names >many.c
	${CC:-cc} -g -O1 -o many many.c &&
		"$copse" run -q --page=off -o many.copse ./many &&
		"$copse" merge many.copse >/dev/null &&
		"$copse" report hotspots --by-line -n 0 many.copse >hot &&
		grep -q 'plain.c:5' hot
}

plant() {
	for name in plain.c real/own.c up.c swapped.c lent/hard.c; do
		lines "text of $name" "$tree/$name"
	done
	ln -sf "$scratch/theirs/secret" "$tree/link.c"
	ln -sfn "$scratch/theirs" "$tree/sub"
	lines SECRET theirs/in.c
	mkfifo "$tree/fifo.c"
	mkdir "$tree/dir.c"
	mknod "$tree/dev.c" c 1 5
	truncate -s 100G "$tree/big.c"
	{ lines SECRET /dev/stdout; printf '\0'; } >"$tree/binary.c"
	echo SECRET >"$tree/short.c"
	lines SECRET "$memory"
	lines SECRET "$tree/notes.txt"
}

# page OPTION…: page.html, and what was said in `said`.
page() {
	timeout 60 "$copse" report -f html --sources on -o page.html "$@" 2>said ||
		{ echo "status $?"; cat said; return 1; }
	cat said
	python3 - <<-'EOF'
	import json
	from page import decode
	page, _ = decode("page.html")
	assert "SECRET" not in json.dumps(page)
	with open("shown", "w") as to:
	    for f in page["sources"]:
	        assert f["lines"], f
	        print(f["file"], file=to)
	with open("why", "w") as to:
	    to.write((page["sourcesWhy"] or "").replace("; ", "\n") + "\n")
	EOF
}

# What is source is shown, and all else is named, in the page and on stderr.
kept_out() {
	need python3
	plant || return 1
	page many.copse || return 1
	printf '%s\n' plain.c real/own.c build/../up.c lent/hard.c swapped.c |
		sed "s|^|$tree/|" | sort >want
	sort shown | diff want - || return 1
	while read -r name why; do
		grep "/$name: .*$why" why && grep "/$name stays out: .*$why" said ||
			{ echo "no word of $name"; return 1; }
	done <<-'END'
	link.c it is a link
	sub/in.c tree/sub is a link
	fifo.c it is no regular file
	dir.c it is no regular file
	big.c it is larger than 16 MiB
	binary.c it is no text
	short.c it has 1 lines, and line 5 took time
	none.c No such file
	notes.txt it has not the name of source
	plain.c /proc/self is a link
	END
	[ ! -c "$tree/dev.c" ] || grep 'dev.c: it is no regular file' why
	grep "$memory: it is $memory, which is on no disk" why
}

# Between two looks the file becomes a link, as often as that can be done.
swapped() {
	need python3
	python3 - "$tree/swapped.c" "$scratch/theirs/secret" <<-'EOF' &
	import os, sys
	name, secret = sys.argv[1:]
	os.rename(name, name + ".source")
	while True:
	    os.symlink(secret, name + ".link")
	    os.rename(name + ".link", name)
	    os.link(name + ".source", name + ".file")
	    os.rename(name + ".file", name)
	EOF
	swapper=$!
	sleep 1
	status=0
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		page many.copse >out 2>&1 || status=1
		grep swapped.c shown why
	done >seen
	kill $swapper
	wait $swapper 2>/dev/null
	mv "$tree/swapped.c.source" "$tree/swapped.c"
	rm -f "$tree"/swapped.c.*
	cat out
	sort seen | uniq -c
	# Both have been met, or nothing was tried.
	grep shown seen && grep why seen && return $status
}

# A folder's name may be a link where its user goes by it.
linked_root() {
	need python3
	mv tree elsewhere && ln -s elsewhere tree && cp -r many.copse copied.copse ||
		return 1
	run=$PWD/copied.copse
	page "$run" || return 1
	! grep . shown || return 1
	grep 'plain.c: .*/tree is a link, which is followed only for who' why ||
		return 1
	(cd tree && page "$run") && grep "$tree/plain.c" elsewhere/shown &&
		! grep sub/in.c elsewhere/shown || return 1
	HOME=$tree page "$run" && grep "$tree/plain.c" shown || return 1
	rm tree && mv elsewhere tree
}

# as_nobody COMMAND…
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# Links that root put where nobody else may are the system's.
system_link() {
	need python3
	for_others
	mv tree elsewhere && ln -s elsewhere tree || return 1
	chmod a+rx elsewhere many.copse && chmod 0 elsewhere/up.c
	mkdir -m 777 open
	(cd open && as_nobody timeout 60 "$copse" report -f html --sources on \
		-o page.html ../many.copse) >said 2>&1 || { cat said; return 1; }
	mv open/page.html . && cat said
	chmod 644 elsewhere/up.c
	rm tree && mv elsewhere tree
	! grep "/plain.c stays out" said | grep -v /proc || return 1
	grep "/link.c stays out: it is a link" said &&
		grep "up.c stays out: Permission denied" said
}

# Somebody puts another's file there under the name of source.
lent() {
	need python3 setpriv
	[ "$(id -u)" = 0 ] || skip "only root can be somebody else"
	ln -f theirs/secret "$tree/lent/hard.c" || return 1
	chown 65534 "$tree/lent"
	page many.copse || return 1
	grep 'lent/hard.c: it is a hard link' why || return 1
	chown 0 "$tree/lent" && chmod 1777 "$tree/lent"
	page many.copse && grep 'lent/hard.c: it is a hard link' why || return 1
	# What a package manager links is source all the same.
	rm "$tree/lent/hard.c" && chmod 755 "$tree/lent"
	lines text "$tree/lent/hard.c" && ln "$tree/lent/hard.c" packaged.c
	page many.copse && grep lent/hard.c shown
}

# Before it is passed on.
listed() {
	need script
	script -qec "'$copse' report -f html --sources on -o page.html many.copse" \
		/dev/null >listed </dev/null || return 1
	cat listed
	grep "with lines of $tree/plain.c" listed &&
		grep "with lines of $tree/up.c" listed &&
		! grep "with lines of.*link.c" listed
}

point "a profile that names many files" measure
point "lines of source alone, and the rest is named" kept_out
point "a file that becomes a link between two looks" swapped
point "a tree behind a link, for who is in it" linked_root
point "a link of the system's" system_link
point "a hard link to another's file" lent
point "on a terminal its files are listed" listed
cd "$here" || exit 99
points_done
