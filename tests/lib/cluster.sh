# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# cluster.sh - emulated hosts on one machine, and a real Slurm across them, for
# tests that source it, instead of tap.sh.
#
#   cluster_may             skip the point unless this machine lets it be done
#   cluster_up HOST…        each with a network, a name, a /dev/shm and a
#                           monotonic clock of its own; / is shared
#   cluster_slurm           slurmctld on the first host, slurmd on each; settings
#                           of $cluster_settings, lines, are added
#   on HOST COMMAND…        there, in the current directory
#   over_hosts ARGUMENT…    Open MPI's mpirun from the first host over all
#   host_dies HOST          with all that runs there, as without power
#
# It takes root.  Nothing of the machine itself changes: the test begins again
# in a process namespace, with which all that it started ends, and the network
# between the hosts lies in a namespace of its own.  Time across hosts means
# nothing on a few cores.

# Why there can be no hosts here; nothing when there can.
cluster_lacks() {
	for tool in unshare nsenter ip pgrep; do
		command -v "$tool" >/dev/null || { echo "no $tool here"; return; }
	done
	[ "$(id -u)" = 0 ] || { echo "only root can make hosts"; return; }
	unshare --net --uts --ipc --mount --pid --time --fork --mount-proc \
		sh -c 'mount -t tmpfs tmpfs /dev/shm' 2>&1 | tail -n 1
}

# Its first process waits and reaps, as init does.
if [ -z "${CLUSTER_LACKS+set}" ]; then
	CLUSTER_LACKS=$(cluster_lacks)
	export CLUSTER_LACKS
	# shellcheck disable=SC2016 # words of the inner shell
	[ -n "$CLUSTER_LACKS" ] ||
		exec unshare --mount --pid --mount-proc --kill-child --fork \
			sh -c 'sh "$@" & wait $!' sh "$0" "$@"
fi

# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

cluster=$scratch/cluster
cluster_hosts=

cluster_may() {
	[ -z "$CLUSTER_LACKS" ] || skip "$CLUSTER_LACKS"
}

on() {
	host=$1
	shift
	nsenter --target "$(cat "$cluster/$host.pid")" --net --uts --ipc \
		--mount --time --wd="$PWD" -- "$@"
}

# cluster_host HOST SECONDS: its first process, its clock that much ahead.
cluster_host() {
	# shellcheck disable=SC2016 # words of the inner shell
	unshare --net --uts --ipc --mount --time --monotonic "$2" \
		--boottime "$2" --fork sh -c '
		hostname "$1"
		mount -t tmpfs -o size=512m tmpfs /dev/shm
		mount --bind "$2/hosts" /etc/hosts
		ip link set lo up
		echo $$ >"$2/$1.pid"
		exec sleep infinity' sh "$1" "$cluster" \
		</dev/null >/dev/null 2>&1 &
	until [ -s "$cluster/$1.pid" ]; do sleep 0.02; done
}

# cluster_plug HOST ADDRESS: its end of the cable, and the switch's.
cluster_plug() {
	pid=$(cat "$cluster/$1.pid")
	nsenter --net="/proc/$(cat "$cluster/switch")/ns/net" sh -c "
		ip link add '$1' type veth peer name eth0 netns $pid
		ip link set '$1' master br0 up" &&
		on "$1" sh -c "ip addr add $2/24 dev eth0; ip link set eth0 up"
}

cluster_switch() {
	unshare --net sh -c 'ip link add br0 type bridge; ip link set br0 up
		echo $$ >"$1"; exec sleep infinity' sh "$cluster/switch" \
		</dev/null >/dev/null 2>&1 &
	until [ -s "$cluster/switch" ]; do sleep 0.02; done
}

cluster_up() {
	mkdir -p "$cluster"
	echo "127.0.0.1 localhost" >"$cluster/hosts"
	n=10
	for host; do
		echo "10.77.0.$n $host" >>"$cluster/hosts"
		echo "$host slots=2" >>"$cluster/hostfile"
		n=$((n + 1))
	done
	cluster_switch
	n=0
	for host; do
		# Clocks a day apart, and the first as it is.
		cluster_host "$host" $((n * 86400))
		cluster_plug "$host" "10.77.0.$((10 + n))" || return 1
		n=$((n + 1))
	done
	cluster_hosts=$*
	cluster_agent
}

# What mpirun starts its daemons with: a clean environment, as ssh gives.
cluster_agent() {
	cat >"$cluster/rsh" <<A
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\$1
shift
exec nsenter --target "\$(cat "$cluster/\$host.pid")" --net --uts --ipc \
	--mount --time --wd=/ -- env -i HOME="$HOME" PATH="$PATH" \
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 sh -c "\$*"
A
	chmod +x "$cluster/rsh"
}

# The second pair is read by mpirun from Open MPI 5 on.
over_hosts() {
	on "${cluster_hosts%% *}" env \
		OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent="$cluster/rsh" \
		PRTE_MCA_plm=ssh PRTE_MCA_plm_ssh_agent="$cluster/rsh" \
		mpirun --hostfile "$cluster/hostfile" "$@"
}

host_dies() {
	name=$(on "$1" readlink /proc/self/ns/uts)
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/ns/uts")" != "$name" ] ||
			kill -s KILL "${process#/proc/}"
	done
}

# Slurm

cluster_conf() {
	cat <<C
ClusterName=grove
SlurmctldHost=$1(10.77.0.10)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$cluster/munge.socket
StateSaveLocation=$cluster/state
SlurmctldPidFile=$cluster/slurmctld.is
SlurmdPidFile=$cluster/slurmd.%n.is
SlurmdSpoolDir=$cluster/spool/%n
TmpFS=$cluster/tmp/%n
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0,defer_batch=0
SwitchType=switch/none
MpiDefault=pmix
ReturnToService=2
SlurmdParameters=config_overrides
MailProg=/bin/true
KillWait=3
JobRequeue=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
	n=10
	for host; do
		echo "NodeName=$host NodeAddr=10.77.0.$n CPUs=16 RealMemory=1000"
		n=$((n + 1))
	done
}

cluster_munge() {
	(umask 077 && head -c 1024 /dev/urandom >"$cluster/munge.key")
	munged --force --key-file="$cluster/munge.key" \
		--socket="$cluster/munge.socket" \
		--pid-file="$cluster/munged.is" \
		--log-file="$cluster/munged.log" \
		--seed-file="$cluster/munge.seed" --num-threads=2
}

cluster_idle() {
	on "$1" sinfo --noheader --Node --format %T 2>/dev/null |
		grep -c '^idle$'
}

cluster_slurm() {
	# shellcheck disable=SC2086 # a list of words
	set -- $cluster_hosts
	chmod 755 "$scratch" "$cluster"
	mkdir -p "$cluster/state" "$cluster/tmp" "$cluster/spool"
	{ cluster_conf "$@"; echo "${cluster_settings-}"; } >"$cluster/slurm.conf"
	export SLURM_CONF="$cluster/slurm.conf"
	cluster_munge
	on "$1" slurmctld -c
	for host; do
		mkdir -p "$cluster/spool/$host" "$cluster/tmp/$host"
		on "$host" slurmd
	done
	for _ in $(seq 600); do
		[ "$(cluster_idle "$1")" = $# ] && return
		sleep 0.1
	done
	echo "the cluster does not come up:"
	on "$1" sinfo --Node
	tail -n 5 "$cluster"/*.log
	return 1
}
