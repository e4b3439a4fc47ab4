#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# recover.sh - what killed runs leave in shared memory is listed, collected and
# removed, all of it or by age; what runs is not touched.

# All is looked for: a shared memory of our own, where nobody else's runs are.
if [ -z "$COPSE_TEST_OWN_SHM" ]; then
	own='mount -t tmpfs -o mode=1777 none /dev/shm && exec "$@"'
	user=
	[ "$(id -u)" = 0 ] || user=-r
	if ! unshare $user -m sh -c "$own" - true 2>/dev/null; then
		echo "1..0 # SKIP no mounts of our own here"
		exit 0
	fi
	COPSE_TEST_OWN_SHM=1 exec unshare $user -m sh -c "$own" - "$0" "$@"
fi
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
cd "$scratch" || exit 99
shm=/dev/shm/copse-$(id -u)

cat >endless <<'S'
#!/bin/sh
echo $$ >"$1"
while :; do :; done
S
chmod +x endless

# begins NAME: it runs for NAME.copse, and was sampled; then $run and $pid.
begins() {
	"$copse" run -q -o "$1.copse" ./endless "$1.pid" &
	run=$!
	wait_for test -s "$1.pid" || return
	pid=$(cat "$1.pid")
	wait_for has_worked "$pid" 5
}

# ends: as it should.
ends() {
	kill "$pid"
	wait "$run"
}

# Sets $dir to what is left of that.
killed() {
	begins "$1" && kill -9 "$run" || return
	wait "$run" 2>/dev/null
	wait_for sh -c "! kill -0 $pid" || return
	dir=$(echo "$shm/$run"-*)
	[ -e "$dir/job" ]
}

# aged AGE: it was left so long ago.
aged() {
	find "$dir" -exec touch -d "$1 ago" {} +
}

# fresh NAME: no left-overs, an empty working directory.
fresh() {
	rm -rf "$shm" && mkdir "$1" && cd "$1" && cp ../endless .
}

# ageless FILE: without the age and size of what runs, which grow meanwhile.
ageless() {
	sed 's/^runs  *[0-9]* s  *[0-9.]* MiB/runs/' "$1" | grep -v ' left, '
}

# refuses SAID ARGUMENTS…
refuses() {
	said=$1
	shift
	"$copse" recover "$@" 2>err
	[ $? = 2 ] && grep -e "$said" err
}

none() {
	fresh "$1" && "$copse" recover >got && cat got &&
		grep '^nothing of a killed run is left' got
}

listed() {
	fresh "$1" && killed old || return
	aged '3 days'
	old=$dir
	begins new || return
	"$copse" recover >got
	"$copse" recover --list --all >again
	"$copse" recover --list old.copse >one
	"$copse" recover --older 1d >two
	ends
	cat got
	[ "$(grep -c MiB got)" = 3 ] && [ "$(ageless got)" = "$(ageless again)" ] &&
		grep "^left  *3 d  *[0-9.]* MiB  $old\$" got &&
		grep "^runs .* s  *[0-9.]* MiB  $shm/$run-" got &&
		grep "rank 0 of $PWD/old.copse: ./endless old.pid" got &&
		grep '^1 still running' got || return
	# As large as it is said to be.
	said=$(sed -n 's/^left.* \([0-9.]*\) MiB.*/\1/p' got)
	kib=$(du -sk "$old" | cut -f 1)
	awk "BEGIN { exit !($said > 0 && $said * 1024 - $kib < 8 &&
		$kib - $said * 1024 < 8) }" || { du -sk "$old"; return 1; }
	for file in one two; do
		grep "$old" $file && ! grep "$shm/$run-" $file || return
	done
	[ ! -e old.copse/rank-0.h5 ] && [ -e "$old/job" ]
}

collected() {
	fresh "$1" && killed a && killed b && begins c || return
	"$copse" recover --all >got
	status=$?
	cat got
	ls "$shm"
	[ "$(ls "$shm" | wc -l)" = 1 ] && ls "$shm/$run"-*/job || status=
	ends
	[ "$status" = 0 ] && [ "$(grep -c ^got got)" = 2 ] &&
		grep '^1 still running' got &&
		for name in a b c; do
			"$copse" info $name.copse/rank-0.h5 >info || return
		done
}

by_age() {
	fresh "$1" && killed a && aged '8 days' && old=$dir &&
		killed b && aged '6 days' && new=$dir && begins c || return
	dir=$(echo "$shm/$run"-*)
	aged '9 days'
	"$copse" recover --remove --older 7d >got
	status=$?
	cat got
	[ -e "$dir/job" ] || status=
	ends
	[ "$status" = 0 ] && [ ! -e "$old" ] && [ -e "$new/job" ] &&
		[ "$(grep -c ^removed got)" = 1 ] &&
		[ ! -e a.copse/rank-0.h5 ] && [ -e c.copse/rank-0.h5 ] || return
	"$copse" recover --all --older 145h && [ -e "$new/job" ] &&
		"$copse" recover --all --older 143h && [ ! -e "$new" ] &&
		[ -e b.copse/rank-0.h5 ]
}

# What is no longer wanted, of one directory.
by_name() {
	fresh "$1" && killed a && gone=$dir && killed b || return
	"$copse" recover --remove a.copse && [ ! -e "$gone" ] &&
		[ -e "$dir/job" ] && [ ! -e a.copse/rank-0.h5 ] || return
	"$copse" recover --remove --all && [ ! -e "$dir" ]
}

# Its `copse run` is gone, and it goes on: that is no left-over.
outlives() {
	fresh "$1" || return
	"$copse" run -q -o o.copse sh -c './endless o.pid; :' &
	run=$!
	wait_for test -s o.pid || return
	pid=$(cat o.pid)
	wait_for has_worked "$pid" 5 || return
	kill -9 $run
	wait $run 2>/dev/null
	dir=$(echo "$shm/$run"-*)
	aged '9 days'
	"$copse" recover >got
	"$copse" recover --remove --all >removed
	"$copse" recover --remove --older 1d >>removed
	there=$(ls "$dir")
	kill -9 "$pid"
	wait_for sh -c "! kill -0 $pid" || return
	cat got removed
	grep "^runs .*, process $pid " got && ! grep ^removed removed &&
		echo "$there" | grep "^$pid\..*live" || return
	"$copse" recover --all && ls o.copse && [ -e "o.copse/rank-0-$pid.h5" ] &&
		[ ! -e "$dir" ]
}

# Nobody knows whose it is: it stays until somebody wants it away.
nameless() {
	fresh "$1" && killed a && rm "$dir/job" || return
	"$copse" recover | grep "$dir" || return
	"$copse" recover --all >got 2>err
	status=$?
	cat got err
	[ $status = 1 ] && grep "^failed *$dir" got && grep -e --remove err &&
		[ -e "$dir" ] || return
	"$copse" recover --remove --older 1h && [ -e "$dir" ] &&
		"$copse" recover --remove --older 0s && [ ! -e "$dir" ]
}

# Of a profile that cannot be written nothing is lost.
unwritable() {
	fresh "$1" && mkdir sub && killed sub/a && mv sub away &&
		: >sub || return
	"$copse" recover --all >got 2>err
	status=$?
	cat got err
	[ $status = 1 ] && grep "^failed .*sub/a" got &&
		grep -e --remove err && ls "$dir/$pid".*.live || return
	rm sub && mv away sub && "$copse" recover --all && [ ! -e "$dir" ] &&
		ls sub/*.copse/rank-0.h5
}

# Another user's is not ours, for root either.
only_own() {
	fresh "$1" && killed a && other=12345 || return
	mv "$shm" /dev/shm/copse-$other && mkdir "$shm" &&
		chown -R $other /dev/shm/copse-$other ||
		skip "no other user here"
	"$copse" recover | grep '^nothing' &&
		"$copse" recover --remove --all &&
		"$copse" recover --all || return
	ls /dev/shm/copse-$other/*/job
}

bad_usage() {
	fresh "$1" && killed a || return
	refuses 'of what' --remove && refuses 'both' --all a.copse &&
		refuses 'both' --list --remove --all &&
		refuses 'as in 7d' --remove --older 7 &&
		refuses 'as in 7d' --remove --older d &&
		refuses 'as in 7d' --remove --older 7days &&
		refuses 'as in 7d' --remove --older -1d &&
		refuses 'as in 7d' --remove --older nand || return
	[ -e "$dir/job" ]
}

point "nothing is left" none a
point "what is left is listed, with its age and size" listed b
point "--all: profiles of all, but of what runs" collected c
point "--remove --older: by age, but not what runs" by_age d
point "--remove of one directory's" by_name e
point "a process that outlives its copse run is not touched" outlives f
point "without a note" nameless g
point "what cannot be written stays" unwritable h
point "only one's own" only_own i
point "bad usage removes nothing" bad_usage j
points_done
