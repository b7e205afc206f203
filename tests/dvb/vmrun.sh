#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# vmrun.sh: runs a script in a throw-away virtual machine with a real Linux DVB
# stack and exits with the script's status.
#
#   vmrun.sh -k DIR [-m KO_DIR]... [-b BINARY]... [-f SRC:DEST]... [-s SHARE]
#            [-d MODULE]... [-t SECONDS] [-c CPUS] [-M MIB]
#            [-a tcg|kvm] [-i] [-l SERIAL_LOG] SCRIPT
#
#   -k  what prep.sh made, else $VM_KERNEL
#   -m  *.ko of this folder go into the guest; the script says modprobe
#   -b  a program for /usr/bin, with the shared libraries that ldd names
#   -f  a file or folder of the host, and where the guest finds it
#   -s  a folder of the host, read and written by the guest as /host (9p)
#   -d  a further module of the kernel (with what it depends on)
#   -t  120: then the status is 124
#   -a  tcg.  kvm only where /proc/cpuinfo of the host has vmx or svm
#   -i  the guest's clock counts its instructions: a busy host does not make it
#       late, and a wait in which it has no work takes no time.  One processor;
#       -t is in time of the host
#
# The script runs as root, PID 1's child, in a busybox sh, with /proc, /sys,
# /dev, /tmp and a loopback.
# Status: the script's own (above 126: 126); 124 time is up;
# 125 the guest ended without a result (panic, power off, qemu could not start).
set -euo pipefail
KR=${VM_KERNEL:-} EXTRA=() BINS=() FILES=() SHARE='' T=120
ACC=tcg CPUS=1 MEM=512 LOG='' COUNT=''
MODS='dvb-core'
usage() { sed -n '/^#   vmrun/,/SCRIPT$/s/^# *//p' "$0" >&2; exit 2; }
while getopts k:m:b:f:s:d:t:a:c:M:l:i o; do case $o in
	k) KR=$OPTARG ;; m) EXTRA+=("$OPTARG") ;; b) BINS+=("$OPTARG") ;;
	f) FILES+=("$OPTARG") ;; s) SHARE=$OPTARG ;; d) MODS+=" $OPTARG" ;;
	t) T=$OPTARG ;; a) ACC=$OPTARG ;; c) CPUS=$OPTARG ;; M) MEM=$OPTARG ;;
	l) LOG=$OPTARG ;; i) COUNT=1 ;; *) usage ;;
esac; done
shift $((OPTIND - 1))
[ $# = 1 ] && [ -n "$KR" ] || usage
SCRIPT=$1
BUSYBOX=$KR/busybox
W=$(mktemp -d "${TMPDIR:-/tmp}/vmrun.XXXXXX") R=$W/root QPID=''
trap '[ -z "$QPID" ] || kill $QPID 2>/dev/null; rm -rf "$W"' EXIT
KVER=$(basename "$(echo "$KR"/lib/modules/*)")
VML=$KR/boot/vmlinux-$KVER

# An uncompressed kernel boots through PVH: with TCG 2.3 s instead of 6 s.
if [ ! -s "$VML" ]; then
	z=$KR/boot/vmlinuz-$KVER
	at=$(LC_ALL=C grep -aboP '\xFD7zXZ\x00' "$z" | head -1 | cut -d: -f1)
	# what follows the compressed part makes unxz complain: not a fault
	tail -c +$((at + 1)) "$z" | unxz >"$VML.$$" 2>/dev/null || true
	mv "$VML.$$" "$VML"
fi

mkdir -p "$R"/{bin,sbin,dev,proc,sys,tmp,run,etc,host,usr/bin,root,var/tmp} \
	"$R/lib/modules/$KVER/extra"
cp "$BUSYBOX" "$R/bin/busybox"
# the kernel calls it by this path
ln -s /bin/busybox "$R/sbin/modprobe"
[ -z "$SHARE" ] || MODS+=' virtio_pci 9pnet_virtio 9p'

# copymod NAME: a module of the kernel and what it depends on; one that is built
# in has no file
copymod() {
	local f d
	f=$(find "$KR/lib/modules/$KVER" -name "$1.ko" -o -name "${1//_/-}.ko" \
		-o -name "${1//-/_}.ko" | head -1)
	[ -n "$f" ] || return 0
	[ ! -e "$R/lib/modules/$KVER/$(basename "$f")" ] || return 0
	cp "$f" "$R/lib/modules/$KVER/"
	for d in $(modinfo -F depends "$f" | tr , ' '); do copymod "$d"; done
}
for m in $MODS; do copymod "$m"; done
for d in ${EXTRA[@]+"${EXTRA[@]}"}; do
	for f in "$d"/*.ko; do
		cp "$f" "$R/lib/modules/$KVER/extra/"
		for x in $(modinfo -F depends "$f" | tr , ' '); do
			copymod "$x"
		done
	done
done
# without signatures, which the kernel would verify
find "$R/lib/modules" -name '*.ko' -exec strip -g {} +
cp "$KR/lib/modules/$KVER"/modules.{builtin,order} \
	"$R/lib/modules/$KVER/" 2>/dev/null || true
depmod -b "$R" "$KVER" 2>/dev/null

copylib() {
	# a static program has none
	{ ldd "$1" 2>/dev/null || true; } | { grep -oE '/[^ ]+' || true; } |
		sort -u | while read -r l; do
		[ -e "$R$l" ] || install -D "$(readlink -f "$l")" "$R$l"
	done
}
for b in ${BINS[@]+"${BINS[@]}"}; do
	install -m755 "$b" "$R/usr/bin/"
	copylib "$b"
done
for s in ${FILES[@]+"${FILES[@]}"}; do
	mkdir -p "$R$(dirname "${s#*:}")"
	cp -a "${s%%:*}" "$R${s#*:}"
done
install -m755 "$SCRIPT" "$R/test.sh"
printf 'root:x:0:0:root:/root:/bin/sh\n' >"$R/etc/passwd"
printf 'root:x:0:\nvideo:x:44:\n' >"$R/etc/group"
printf '127.0.0.1 localhost\n' >"$R/etc/hosts"
cat >"$R/init" <<'I'
#!/bin/busybox sh
export PATH=/usr/bin:/bin:/sbin HOME=/root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mkdir -p /dev/pts /dev/shm
mount -t devpts p /dev/pts
mount -t tmpfs s /dev/shm
ip link set lo up
grep -q hostshare /proc/cmdline && modprobe virtio_pci &&
	modprobe 9pnet_virtio && modprobe 9p && mount -t 9p \
	-o trans=virtio,version=9p2000.L,msize=262144 hostshare /host
echo "VM-BOOT uptime $(cut -d' ' -f1 /proc/uptime)"
sh /test.sh; rc=$?
[ $rc -gt 126 ] && rc=126
echo "VM-TEST-EXIT $rc uptime $(cut -d' ' -f1 /proc/uptime)"; sync
# isa-debug-exit
printf "\\$(printf %03o $rc)" |
	dd of=/dev/port bs=1 seek=244 count=1 2>/dev/null
poweroff -f
I
chmod 755 "$R/init"
(cd "$R" && find . -print0 | cpio -0 -o -H newc -R 0:0 --quiet) >"$W/initrd"

QEMU=(qemu-system-x86_64 -smp "$CPUS" -m "$MEM" -nodefaults
	-no-user-config -display none
	-no-reboot -kernel "$VML" -initrd "$W/initrd"
	-device isa-debug-exit,iobase=0xf4,iosize=1)
if [ -n "$COUNT" ]; then
	# an emulated processor is the faster the less it can: `rep movsb' for
	# every copy, five levels of pages and wide registers cost much
	QEMU+=(-accel tcg -cpu qemu64,+rdrand,+fsgsbase
		-icount shift=2,sleep=off -rtc clock=vm)
elif [ "$ACC" = tcg ]; then
	QEMU+=(-accel tcg,thread=multi -cpu max)
else
	QEMU+=(-accel "$ACC")
fi
AP='console=ttyS0 quiet panic=-1 oops=panic random.trust_cpu=on tsc=reliable'
AP+=' mitigations=off cryptomgr.notests nowatchdog rodata=off lsm=landlock'
# a page is cleared by those who need it so, and none of 2 MiB for a stack
AP+=' init_on_alloc=0 transparent_hugepage=never'
# on a busy host the interrupts of the timer come too late for its check
AP+=' no_timer_check'
if [ -n "$SHARE" ]; then
	fs=local,path=$SHARE,mount_tag=hostshare,security_model=none,id=h
	QEMU+=(-virtfs "$fs")
	AP+=' hostshare'
fi
SERIAL=${LOG:-$W/serial}
set +e
timeout --foreground "$T" "${QEMU[@]}" -append "$AP" \
	-serial "file:$SERIAL" </dev/null &
QPID=$!
wait $QPID
q=$?
QPID=''
[ -n "$LOG" ] || tr -d '\r' <"$SERIAL"
if [ $q -eq 124 ]; then
	echo "vmrun: timeout after $T s" >&2
	exit 124
fi
# qemu exits with 2 * status + 1, but also with 1 when it cannot start: only
# what the guest said itself counts, and both must agree.
rc=$(tr -d '\r' <"$SERIAL" 2>/dev/null |
	sed -n 's/^VM-TEST-EXIT \([0-9]*\) .*/\1/p' | tail -1)
if [ -z "$rc" ] || [ $q -ne $((2 * rc + 1)) ]; then
	echo "vmrun: guest ended without a result (qemu exit $q)" >&2
	exit 125
fi
exit "$rc"
