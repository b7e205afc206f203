#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make check-ktls: builds a virtual machine with the module tls and runs the
# tests of TLS of the kernel in it.  Status 77: skipped, because packages cannot
# be had.
#   VM_DIR   folder of the machine, kept for the next run (BUILD/ktls-vm)
#   VIEWERS  of the comparison of processor time (20)
#   VM_ARGS  for vmrun.sh, such as "-a kvm"
set -eu
here=$srcdir/tests/ktls
dvb=$srcdir/tests/dvb
dir=${VM_DIR:-$builddir/ktls-vm}
mkdir -p "$dir/share" "$dir/bin"
bash "$dvb/prep.sh" "$dir" "$dvb" || {
	status=$?
	[ $status = 77 ] && echo 'check-ktls: SKIPPED: no packages'
	exit $status
}
[ -s "$dir/share/mux.ts" ] ||
	builddir=$builddir "$NODE" "$dvb/mux-file.mjs" "$dir/share/mux.ts" 20 2
[ -s "$dir/share/key.pem" ] ||
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
		-nodes -days 3650 -subj /CN=headend.example \
		-keyout "$dir/share/key.pem" -out "$dir/share/chain.pem" \
		2>/dev/null
echo "VIEWERS=${VIEWERS:-20}" >"$dir/share/settings"
set -- -k "$dir" -d tls -d gcm -d ctr -d ghash_generic -s "$dir/share" \
	-c 2 -t 300 -b "$(command -v curl)" ${VM_ARGS:-}
for program in sluice sluice-worker sluice-worker-tls tests/helpers/ts-judge; do
	cp "$builddir/$program" "$dir/bin/"
	strip -g "$dir/bin/${program##*/}"
	set -- "$@" -b "$dir/bin/${program##*/}"
done
exec bash "$dvb/vmrun.sh" "$@" "$here/guest-ktls.sh"
