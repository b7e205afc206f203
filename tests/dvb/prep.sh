#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# prep.sh DIR [SRC]: everything that vmrun.sh needs, from Debian packages only.
#   DIR  is made and filled: boot/ and lib/modules/ (a part of the newest kernel
#        of the release, not installed), busybox, fakedvb-ko/fakedvb.ko
#   SRC  the folder with fakedvb/; that of this script if not given
# Packages that are downloaded and unpacked, never installed: the kernel, its
# headers unless the same ones are installed, and busybox-static, which Debian
# does not install beside busybox.
# With DVB_INSTALL=1 it installs what is missing (root): qemu-system-x86, kmod,
# cpio, xz-utils, gcc, make; dvb-tools and w-scan to compare with.  May be
# called again: what is there is kept, the module is built anew.  Exit 77 when
# the packages cannot be had: the last line says why the test is skipped.
set -euo pipefail
SRC=$(cd "${2:-$(dirname "$0")}/fakedvb" && pwd)
mkdir -p "${1:?usage: prep.sh DIR [SRC]}"
cd "$1"
skip() { echo "prep.sh: $*" >&2; exit 77; }
# where a system keeps none, each call of apt would index all packages anew
APT=(-o "Dir::Cache::pkgcache=$PWD/pkgcache"
	-o "Dir::Cache::srcpkgcache=$PWD/srcpkgcache")
trap 'rm -f pkgcache srcpkgcache' EXIT

command -v apt-get >/dev/null || skip "no apt-get: this needs Debian's packages"

# needed PACKAGE PATTERN: the first package of that name that it depends on; apt
# ends with 100 where it knows no such package
needed() {
	{ apt-cache "${APT[@]}" depends "$1" 2>/dev/null || true; } |
		awk -v p="Depends: $2" '$0 ~ p && !k { k = $2 } END { print k }'
}

# unpack DIR PACKAGE [PATH...]: these paths of a package, or all; false if it
# cannot be downloaded
unpack() {
	local to=$1 package=$2
	shift 2
	rm -rf deb
	mkdir -p deb "$to"
	(cd deb && apt-get download -qq "${APT[@]}" -o Acquire::Retries=1 \
		-o Acquire::http::Timeout=20 "$package") >>apt.log 2>&1 ||
		return 1
	dpkg-deb --fsys-tarfile deb/*.deb |
		tar -x -C "$to" ${1:+--wildcards} "$@"
	rm -rf deb
}

install_tools() {
	local need='' peers='' c
	for c in qemu-system-x86_64 kmod cpio unxz gcc make; do
		command -v $c >/dev/null || need+=" $c"
	done
	for c in dvbv5-zap w_scan; do
		command -v $c >/dev/null || peers=1
	done
	if [ "${DVB_INSTALL:-0}" != 1 ]; then
		[ -z "$need" ] || skip "not installed:$need (make check-dvb)"
	elif [ -n "$need$peers" ]; then
		[ "$(id -u)" = 0 ] ||
			skip "not installed:$need, and only root can install"
		DEBIAN_FRONTEND=noninteractive apt-get install \
			-o DPkg::Lock::Timeout=300 -y -qq \
			--no-install-recommends --no-upgrade --no-remove \
			qemu-system-x86 kmod cpio xz-utils gcc make dvb-tools \
			w-scan >apt.log 2>&1 </dev/null ||
			skip "apt-get install failed, see $PWD/apt.log"
	fi
}

# A static one runs without libraries, which are those of the host.
take_busybox() {
	local own
	[ ! -x busybox ] || return 0
	own=$(command -v busybox || true)
	if [ -z "$own" ] || ldd "$own" >/dev/null 2>&1; then
		unpack new-busybox busybox-static ./bin/busybox ||
			skip "busybox-static cannot be downloaded"
		own=new-busybox/bin/busybox
	fi
	cp "$own" busybox.new
	mv busybox.new busybox
	rm -rf new-busybox
}

# The kernel, the modules that the guest needs, and its headers, or false.
take_kernel() {
	local package
	rm -rf new
	unpack new "linux-image-$V" './boot/vmlinuz*' \
		'./lib/modules/*/modules.builtin*' \
		'./lib/modules/*/modules.order' \
		'./lib/modules/*/drivers/media/dvb-core/*' \
		'./lib/modules/*/drivers/media/mc/*' \
		'./lib/modules/*/net/9p/*' './lib/modules/*/net/tls/*' \
		'./lib/modules/*/kernel/crypto/*' './lib/modules/*/fs/9p/*' \
		'./lib/modules/*/fs/netfs/*' './lib/modules/*/fs/fscache/*' \
		'./lib/modules/*/drivers/virtio/*' || return 1
	if [ -e "/usr/src/linux-headers-$V/Makefile" ]; then
		ln -s "/usr/src/linux-headers-$V" new/headers
	else
		package=linux-headers-$V
		for package in "$package" \
			"$(needed "$package" 'linux-headers-.*-common')" \
			"$(needed "$package" linux-kbuild-)"; do
			unpack new "$package" || return 1
		done
		# it names the common ones by their installed path
		sed -i "s,^include /,include $PWD/," \
			"new/usr/src/linux-headers-$V/Makefile"
		ln -s "usr/src/linux-headers-$V" new/headers
	fi
	rm -rf boot lib usr headers
	for package in boot usr headers; do
		[ ! -e "new/$package" ] || mv "new/$package" "$package"
	done
	# lib is there when all is
	mv new/lib lib
	rm -rf new
}

install_tools
take_busybox
K=$(needed linux-image-amd64 'linux-image-[0-9]')
V=${K#linux-image-}
is_there() { [ -e "lib/modules/$V" ] && [ -e headers/Makefile ]; }
if [ -z "$V" ] || { ! is_there && ! take_kernel; }; then
	# an older kernel of this folder is as good
	[ -e headers/Makefile ] || skip "the kernel ${V:-of Debian} cannot be" \
		"downloaded (apt-get update?)"
	V=$(basename "$(echo lib/modules/*)")
fi

# The headers follow the kernel, so the module is built every time (3 s).
rm -rf fakedvb fakedvb-ko
cp -r "$SRC" fakedvb
mkdir fakedvb-ko
make -s -C headers M="$PWD/fakedvb" modules
mv fakedvb/fakedvb.ko fakedvb-ko/
echo "prep.sh: kernel $V, $PWD/fakedvb-ko/fakedvb.ko"
