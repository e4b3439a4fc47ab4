#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# kernel.sh - run a command below the kernel of another Debian release, in an
# emulated machine: by hand, in the build folder, not by `make check`.
#
#   tests/system/kernel.sh SUITE [COMMAND…]
#
# SUITE is bullseye (Linux 5.10), bookworm, …  The machine's files are those of
# this one, or of the folder $ROOT; what is written there is lost.  COMMAND runs
# in the same folder, as root with two cores; without one, the tests that know
# what a kernel can do differently.  The exit status is the command's.
# It needs qemu-system-x86 and apt; nothing of this machine changes but
# kernels/SUITE, where the kernel is kept.
suite=${1:?which release of Debian?}
shift
[ $# -gt 0 ] || set -- sh -c '
	tests/unit/unit && ./copse check &&
	for t in system/check run/permission run/limits run/signals \
		run/memory; do
		echo "# $t"
		"$0/tests/$t.sh" || exit
	done' "$(cd "$(dirname "$0")/../.." && pwd)"
ROOT=${ROOT:-/}
dir=$PWD/kernels/$suite
build=$PWD

fetch() {
	mkdir -p "$dir/lists/partial" "$dir/archives/partial" || return
	echo "deb [trusted=yes] http://deb.debian.org/debian $suite main" \
		>"$dir/sources.list"
	set -- -q -o Dir::State::Lists="$dir/lists" -o Dir::Cache="$dir" \
		-o Dir::State::status=/dev/null -o APT::Sandbox::User=root \
		-o Dir::Etc::SourceList="$dir/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null
	apt-get "$@" update || return
	image=$(apt-cache "$@" depends linux-image-amd64 |
		awk '$1 == "Depends:" { print $2; exit }')
	(cd "$dir" && apt-get "$@" download "$image" busybox-static) || return
	for package in "$dir"/*.deb; do
		dpkg -x "$package" "$dir/files" || return
	done
	rm "$dir"/*.deb
}

# What the root file system needs, in the order in which they need each other.
modules='virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev
	virtio_pci netfs fscache 9pnet 9pnet_virtio 9p overlay'

# The first process: it has nothing but the modules and busybox.
init() {
	cat <<-'S'
	#!/busybox sh
	PATH=/
	/busybox --install -s /
	mkdir -p proc dev low up root
	mount -t proc proc proc
	mount -t devtmpfs dev dev
	for m in *.ko; do insmod $m; done
	mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=524288 \
		root low || poweroff -f
	mount -t tmpfs tmpfs up
	mkdir up/files up/work
	mount -t overlay -o lowerdir=low,upperdir=up/files,workdir=up/work \
		overlay root || poweroff -f
	cd root
	mount -t proc proc proc
	mount -t sysfs sys sys
	mount -t cgroup2 cgroup sys/fs/cgroup
	echo +memory >sys/fs/cgroup/cgroup.subtree_control
	mount -t devtmpfs dev dev
	mkdir -p dev/shm dev/pts
	mount -t tmpfs tmpfs dev/shm
	mount -t devpts devpts dev/pts
	mount -t tmpfs tmpfs tmp
	mount -t tmpfs tmpfs run
	ifconfig lo 127.0.0.1 up
	hostname emulated
	stty -F /dev/ttyS1 raw -echo
	chroot . /bin/sh -c "$(cat /words)" </dev/null >/dev/ttyS1 2>&1
	echo "kernel.sh: status $?" >/dev/ttyS1
	poweroff -f
	S
}

# as_line WORD…: as a shell reads it.
as_line() {
	echo "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	echo "export PATH HOME=/root && cd '$build' && exec \\"
	for word; do
		printf "'%s' " "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
	done
}

ram_disk() {
	rm -rf "$dir/disk" && mkdir "$dir/disk" && cd "$dir/disk" || return
	find "$dir/files" -path '*/bin/busybox' -exec cp {} . \; &&
		[ -x busybox ] || return
	for name in $modules; do
		count=$((${count:-10} + 1))
		find "$dir/files" -name "$name.ko*" -exec xz -dcf {} + \
			>"$count-$name.ko"
		[ -s "$count-$name.ko" ] || rm "$count-$name.ko"
	done
	init >init && chmod +x init
	as_line "$@" >words
	find . | ./busybox cpio -o -H newc 2>/dev/null >"$dir/disk.cpio"
}

[ -e "$dir/files" ] || fetch >&2 || exit 99
(ram_disk "$@") || exit 99
qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m "${MIB:-3072}" \
	-kernel "$dir"/files/boot/vmlinuz-* -initrd "$dir/disk.cpio" \
	-append "console=ttyS0 panic=-1" -no-reboot -nic none -display none \
	-serial "file:$dir/console" -serial stdio -virtfs \
	"local,path=$ROOT,mount_tag=root,security_model=none,readonly=on,multidevs=remap" \
	</dev/null | (
	while IFS= read -r line; do
		case $line in
		"kernel.sh: status "*) exit "${line##* }" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done
	echo "no end of it: see $dir/console"
	exit 99
)
