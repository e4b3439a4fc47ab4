#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# other-users.sh - two users on one host: what one puts in the other's way changes no
# file of the other, holds no program up, and switches nothing off.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
cd "$scratch" || exit 99

# Numbers that nobody has: what stands in /dev/shm is theirs alone.
victim=$((200000 + $$ % 100000))
other=$((victim + 100000))

# as NUMBER COMMAND…: as that user, in a folder that both may write to.
as() {
	user=$1
	shift
	setpriv --reuid="$user" --regid="$user" --clear-groups \
		env HOME="$PWD/home-$user" TMPDIR="$PWD/none" "$@"
}

# clean_shared: what the two have there.
clean_shared() {
	for user in $victim $other; do
		find /dev/shm -maxdepth 1 -name 'copse-*' -user "$user" \
			-exec rm -rf {} +
	done
}

# two_users NAME: skip, or a folder for both, where $other is at home as well.
two_users() {
	[ "$(id -u)" = 0 ] || skip "only root may be two users"
	need setpriv timeout
	chmod 711 "$scratch"
	clean_shared
	mkdir "$1" && cd "$1" && chmod 777 . || return
	for user in $victim $other; do
		install -d -m 700 -o "$user" -g "$user" "home-$user"
	done
	as $victim test -x "$copse" -a -r "$builddir/libcopse.so" ||
		skip "other users cannot reach $builddir"
	cat >busy <<-'S'
		#!/bin/sh
		i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done
	S
	cat >endless <<-'S'
		#!/bin/sh
		echo $PPID >parent
		echo $$ >pid
		while :; do :; done
	S
	chmod 755 busy endless
	echo secret >thesis && chown $victim thesis && chmod 600 thesis
}

# left_alone: the victim's file.
left_alone() {
	[ "$(cat thesis)" = secret ] || { echo "thesis was written to"; return 1; }
}

# has DIR FILE…: exactly these, apart from hidden ones.
has() {
	dir=$1
	shift
	printf '%s\n' "$@" | sort >want
	ls "$dir" | diff want -
}

# begins OPTIONS…: endless as the victim, in a directory that all may write to.
begins() {
	as $victim sh -c 'umask 0; exec "$@"' - \
		"$copse" run -q "$@" ./endless 2>err &
	run=$!
	wait_for test -s pid && wait_for has_worked "$(cat pid)" 5
}

# ends: and what it says.
ends() {
	as $victim kill "$(cat pid)"
	wait $run
	cat err
}

# Somebody's directory of the name, empty, and open to all.
foreign() {
	two_users "$1" && as $other mkdir -m 777 busy.copse || return
	as $victim "$copse" run -q ./busy || return
	[ -z "$(ls -A busy.copse)" ] && has busy.2.copse rank-0.h5
}

# A link in the way of the raw copy, and of the profile, which a child of the
# parent writes, whose number is not known yet.
links() {
	two_users "$1" && begins --checkpoint 1 -o app.copse || return
	live=app.copse/rank-0-$(cat pid)-0.live
	first=$(cat parent)
	as $other ln -s "$PWD/thesis" "$live.part" || return
	for number in $(seq "$first" $((first + 300))); do
		ln -s "$PWD/thesis" "app.copse/rank-0.h5.part$number" || return
	done
	chown -h $other app.copse/rank-0.h5.part*
	wait_for test -e "$live"
	ends
	rm -f app.copse/rank-0.h5.part*
	left_alone && has app.copse rank-0.h5
}

# The file of marks is exchanged for a link.
marks() {
	two_users "$1" || return
	OMPI_COMM_WORLD_RANK=7 OMPI_COMM_WORLD_SIZE=300 PMIX_NAMESPACE=many \
		begins -o app.copse || return
	name=$(basename app.copse/.host-*)
	as $other rm "app.copse/$name" &&
		as $other ln -s "$PWD/thesis" "app.copse/$name" || return
	ends
	left_alone && [ -e app.copse/rank-7.h5 ]
}

# The directory is exchanged for a link to another one of the victim's.
exchanged() {
	two_users "$1" && as $victim mkdir mine &&
		as $victim sh -c 'echo precious >mine/rank-0.h5' &&
		begins -o app.copse || return
	as $other mv app.copse moved && as $other ln -s mine app.copse || return
	ends
	[ "$(cat mine/rank-0.h5)" = precious ] && has moved rank-0.h5
}

# What would be waited for, or do something, when it is opened.
no_file() {
	two_users "$1" && as $victim mkdir -m 777 busy.copse busy.2.copse &&
		as $other mkfifo busy.copse/.job &&
		as $other ln -s /dev/zero busy.2.copse/.job || return
	as $victim timeout 60 "$copse" run -q ./busy ||
		{ echo "status $?"; return 1; }
	has busy.3.copse rank-0.h5
}

# … and in a directory of profiles.  Who writes to a FIFO goes on when somebody
# opens its other end.
no_profile() {
	two_users "$1" && as $victim "$copse" run -q ./busy || return
	for name in rank-1.h5 node-a.h5 rank-2.live run.h5; do
		rm -f busy.copse/$name
		mkfifo busy.copse/$name
		sh -c ': >busy.copse/$1; touch opened-$1' - $name &
	done
	as $victim timeout 60 "$copse" report busy.copse >out ||
		{ echo "status $?"; return 1; }
	as $victim timeout 60 "$copse" info busy.copse
	cat out
	! ls opened-* && grep -q 'not a regular file' out
	status=$?
	for name in rank-1.h5 node-a.h5 rank-2.live run.h5; do
		timeout 5 cat busy.copse/$name
	done
	wait
	return $status
}

# A colleague's profile, which cannot be entered.
closed() {
	two_users "$1" && as $other mkdir -m 700 busy.copse || return
	as $victim "$copse" run -q ./busy || { echo "status $?"; return 1; }
	has busy.2.copse rank-0.h5
}

# nowhere NAME: a folder where nobody may write, and an answer of the program.
nowhere() {
	two_users "$1" && mkdir closed && cd closed || return
	cat >answer <<-'S'
		#!/bin/sh
		. ../busy
		echo answer
		exit 3
	S
	chmod 755 answer
}

# answers HOME SAID OPTIONS…: it runs as without copse, and this is said.
answers() {
	home=$1
	said=$2
	shift 2
	as $victim env HOME="$home" TMPDIR="$home" "$copse" run --no-report "$@" ./answer \
		>"$scratch/out" 2>"$scratch/err"
	status=$?
	cat "$scratch/err"
	[ $status = 3 ] && [ "$(cat "$scratch/out")" = answer ] &&
		grep -qF -- "$said" "$scratch/err"
}

elsewhere() {
	nowhere "$1" || return
	home=$scratch/$1/home-$victim
	answers "$home" "the profiles go to $home/answer.copse instead" &&
		has "$home/answer.copse" rank-0.h5 || return
	answers "$home" "cannot create /no/where/a.copse" -o /no/where/a.copse &&
		has "$home/a.copse" rank-0.h5 || return
	# Not over what is there: nobody has asked for that there.
	answers "$home" "$home/a.2.copse" --force -o /no/where/a.copse &&
		has "$home/a.2.copse" rank-0.h5
}

unmeasured() {
	nowhere "$1" && answers /no/home 'runs unmeasured: cannot create'
}

# in_shared: the victim's folders there.
in_shared() {
	find /dev/shm -maxdepth 1 -name "copse-$victim*" -user $victim
}

# Who has the name in shared memory has nothing else.
shared() {
	two_users "$1" &&
		as $other mkdir -m 777 /dev/shm/copse-$victim || return
	as $victim "$copse" run ./busy 2>err || { cat err; return 1; }
	cat err
	! grep unmeasured err &&
		has busy.copse rank-0.h5 report.html run.h5 || return
	[ "$(in_shared | wc -l)" = 1 ] || { in_shared; return 1; }
	as $victim "$copse" check >said
	grep "$(in_shared)" said || { cat said; return 1; }
	begins -o app.copse || return
	kill -9 "$(cat parent)"
	wait $run
	wait_for sh -c '! kill -0 $(cat pid)' || return
	as $victim "$copse" check | grep '1 of killed runs' &&
		as $victim "$copse" recover app.copse &&
		has app.copse rank-0.h5 && [ -z "$(ls -A /dev/shm/copse-$victim)" ]
}

# Of many at once each is measured, and one is not held up by others.
shared_at_once() {
	two_users "$1" &&
		as $other mkdir /dev/shm/copse-$victim || return
	for n in 1 2 3 4; do
		as $victim "$copse" run -q -o $n.copse ./busy &
	done
	wait
	has 1.copse rank-0.h5 && has 2.copse rank-0.h5 &&
		has 3.copse rank-0.h5 && has 4.copse rank-0.h5
}

# rootless NUMBER COMMAND…: as user 0 of a container of that user's.
rootless() {
	user=$1
	shift
	as "$user" unshare -Ur "$@"
}

# All are user 0 there, and have /dev/shm in common.
containers() {
	two_users "$1" && need unshare || return
	rootless $victim true 2>/dev/null || skip "no user namespaces here"
	[ -d /dev/shm/copse-0 ] || mkdir -m 700 /dev/shm/copse-0
	for user in $other $victim; do
		rootless $user "$copse" run -o "$PWD/home-$user/c" ./busy \
			2>err || { cat err; return 1; }
		cat err
		! grep unmeasured err &&
			has "home-$user/c" rank-0.h5 report.html run.h5 ||
			return
	done
	find /dev/shm -maxdepth 1 -name 'copse-0.*' -user $victim | grep . ||
		return
	rootless $victim sh -c 'echo 0 >parent; exec "$@"' - \
		"$copse" run -q -o "$PWD/home-$victim/k" ./endless &
	wait_for test -s pid && wait_for has_worked "$(cat pid)" 5 || return
	kill -9 "$(cat parent)"
	wait_for sh -c '! kill -0 $(cat pid)' || return
	rootless $victim "$copse" recover --all &&
		has "home-$victim/k" rank-0.h5
}

trap 'clean_shared; rm -rf "$scratch"' EXIT

point "somebody's empty directory is not taken" foreign a
point "links in the way of files that are being made" links b
point "a link in the place of a file that is added to" marks c
point "the directory itself is exchanged" exchanged d
point "a FIFO and a device for the name of the job" no_file e
point "FIFOs for profiles" no_profile f
point "a directory that cannot be entered" closed g
point "the profile goes where it can, which is said" elsewhere h
point "it can go nowhere: the program runs" unmeasured i
point "the name in shared memory is another's" shared j
point "the same with many at once" shared_at_once k
point "rootless containers of two users" containers l
points_done
