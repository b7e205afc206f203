#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make check-dvb: builds a virtual machine with fakedvb.ko and runs the tests of
# tuners in it.  Status 77: skipped, because packages cannot be had.
#   DVB_DIR  folder of the machine, kept for the next run (BUILD/dvb-vm)
set -eu
here=$srcdir/tests/dvb
dir=${DVB_DIR:-$builddir/dvb-vm}
mkdir -p "$dir/share" "$dir/bin"
bash "$here/prep.sh" "$dir" "$here" || {
	status=$?
	[ $status = 77 ] && echo 'check-dvb: SKIPPED: no packages'
	exit $status
}
builddir=$builddir "$NODE" "$here/mux-file.mjs" "$dir/share/mux.ts" 20
set -- -k "$dir" -m "$dir/fakedvb-ko" -s "$dir/share" -c 2 -t 900
for program in sluice sluice-worker sluice-worker-net tests/dvb/dvbif \
		tests/dvb/fakecam tests/dvb/tsfeed; do
	cp "$builddir/$program" "$dir/bin/"
	strip -g "$dir/bin/${program##*/}"
	set -- "$@" -b "$dir/bin/${program##*/}"
done
# to compare with
for program in dvbv5-scan dvbv5-zap w_scan; do
	program=$(command -v $program) && set -- "$@" -b "$program"
done
rm -f "$dir/share/zap.ts" "$dir/share/sluice.ts"
bash "$here/vmrun.sh" "$@" "$here/guest-tuner.sh" || exit $?
[ ! -e "$dir/share/zap.ts" ] || exec "$NODE" "$here/same-bytes.mjs" \
	"$dir/share/mux.ts" "$dir/share/zap.ts" "$dir/share/sluice.ts"
