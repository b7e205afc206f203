#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# prep.sh DIR [SRC]: everything that vmrun.sh needs, from Debian packages only.
#   DIR  is made and filled: boot/, lib/modules/ (a part of the newest kernel of
#        the release, not installed), fakedvb-ko/fakedvb.ko
#   SRC  folder of fakedvb.c; the folder of this script if not given
# With DVB_INSTALL=1 it installs what is missing (root): qemu-system-x86,
# busybox-static, kmod, cpio, xz-utils, gcc, make and the headers of that
# kernel; dvb-tools and w-scan to compare with.  May be called again: what is
# there is kept, the module is built anew.  Exit 77 when the packages cannot be
# had: the last line says why the test is skipped.
set -euo pipefail
SRC=$(cd "${2:-$(dirname "$0")}" && pwd)
mkdir -p "${1:?usage: prep.sh DIR [SRC]}"
cd "$1"
skip() { echo "prep.sh: $*" >&2; exit 77; }

command -v apt-get >/dev/null || skip "no apt-get: this needs Debian's packages"
# it ends with 100 where it knows no such package
K=$({ apt-cache depends linux-image-amd64 2>/dev/null || true; } |
	awk '/Depends: linux-image-[0-9]/ && !k { k = $2 } END { print k }')
[ -n "$K" ] || skip "apt knows no linux-image-amd64 (apt-get update?)"
V=${K#linux-image-}

need=
[ -d "/usr/src/linux-headers-$V" ] || need=" linux-headers-$V"
for c in qemu-system-x86_64 busybox kmod cpio unxz gcc make; do
	command -v $c >/dev/null || need+=" $c"
done
peers=
for c in dvbv5-zap w_scan; do
	command -v $c >/dev/null || peers=1
done
if [ "${DVB_INSTALL:-0}" != 1 ]; then
	[ -z "$need" ] || skip "not installed:$need (make check-dvb)"
elif [ -n "$need$peers" ]; then
	[ "$(id -u)" = 0 ] ||
		skip "not installed:$need, and only root can install packages"
	DEBIAN_FRONTEND=noninteractive apt-get install \
		-o DPkg::Lock::Timeout=300 -y -qq --no-install-recommends \
		--no-upgrade --no-remove qemu-system-x86 \
		"linux-headers-$V" kmod cpio \
		busybox-static xz-utils gcc make dvb-tools w-scan \
		>apt.log 2>&1 </dev/null ||
		skip "apt-get install failed, see $PWD/apt.log"
fi

# Another kernel than last time: begin again.
if [ ! -e "lib/modules/$V" ]; then
	rm -rf boot lib new ./linux-image-*.deb
	mkdir new
	apt-get download -qq -o Acquire::Retries=1 \
		-o Acquire::http::Timeout=20 "$K" >apt.log 2>&1 ||
		skip "$K cannot be downloaded"
	dpkg-deb --fsys-tarfile "$K"*.deb | tar -x -C new --wildcards \
		'./boot/vmlinuz*' './lib/modules/*/modules.builtin*' \
		'./lib/modules/*/modules.order' \
		'./lib/modules/*/drivers/media/dvb-core/*' \
		'./lib/modules/*/drivers/media/mc/*' \
		'./lib/modules/*/ethernet/intel/e1000/*' \
		'./lib/modules/*/net/9p/*' \
		'./lib/modules/*/net/tls/*' './lib/modules/*/kernel/crypto/*' \
		'./lib/modules/*/fs/9p/*' './lib/modules/*/fs/netfs/*' \
		'./lib/modules/*/fs/fscache/*' \
		'./lib/modules/*/drivers/virtio/*'
	# lib is there when all is
	mv new/boot boot
	mv new/lib lib
	rm -rf new ./linux-image-*.deb
fi

# The headers follow the kernel, so the module is built every time (2 s).
rm -rf fakedvb fakedvb-ko
mkdir fakedvb fakedvb-ko
cp "$SRC/fakedvb.c" fakedvb/
echo 'obj-m := fakedvb.o' >fakedvb/Makefile
make -s -C "/usr/src/linux-headers-$V" M="$PWD/fakedvb" modules
mv fakedvb/fakedvb.ko fakedvb-ko/
echo "prep.sh: kernel $V, $PWD/fakedvb-ko/fakedvb.ko"
