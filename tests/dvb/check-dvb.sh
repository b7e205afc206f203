#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tuners on the DVB API of a real kernel: builds a virtual machine with
# fakedvb.ko and runs the tests in it.  TAP.
#   DVB_DIR      folder of the machine, kept for the next run (BUILD/dvb-vm)
#   DVB_INSTALL  1: installs packages that are missing (root); else the test is
#                skipped
#   DVB_LIMIT    seconds after which the machine is ended (1800)
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@"
set -euo pipefail
here=$srcdir/tests/dvb
dir=${DVB_DIR:-$builddir/dvb-vm}
mkdir -p "$dir/share" "$dir/bin"
status=0
reason=$(bash "$here/prep.sh" "$dir" "$here" 2>&1) || status=$?
if [ $status = 77 ]; then
	echo "1..0 # SKIP ${reason##*prep.sh: }"
	exit 0
fi
echo "$reason" | sed 's/^/# /'
[ $status = 0 ] || exit 99

rm -f "$dir"/share/*
builddir=$builddir "$NODE" "$here/mux-file.mjs" "$dir/share/mux.ts" 20 \
	"$dir/share/plp.ts"
set -- -k "$dir" -m "$dir/fakedvb-ko" -s "$dir/share" -f "$here/lanes:/lanes" \
	-i -t ${DVB_LIMIT:-1800}
for program in sluice sluice-worker sluice-worker-net tests/dvb/dvbif \
		tests/dvb/dvbwait tests/dvb/fakecam tests/dvb/tsfeed; do
	cp "$builddir/$program" "$dir/bin/"
	strip -g "$dir/bin/${program##*/}"
	set -- "$@" -b "$dir/bin/${program##*/}"
done
# to compare with
for program in dvbv5-scan dvbv5-zap w_scan; do
	program=$(command -v $program) && set -- "$@" -b "$program"
done
bash "$here/vmrun.sh" "$@" "$here/guest-tuner.sh" >"$dir/guest.log" ||
	status=$?
# the plan follows all cases
sed '/^1\.\./d' "$dir/guest.log"
n=$(grep -cE '^(not )?ok ' "$dir/guest.log") || true
if [ $status = 124 ]; then
	echo "1..0 # SKIP the machine got too little of the processor"
	exit 0
fi
grep -q '^1\.\.' "$dir/guest.log" || {
	echo "Bail out! the machine ended with $status before its tests"
	exit 99
}
if [ -e "$dir/share/zap.ts" ]; then
	same=$("$NODE" "$here/same-bytes.mjs" "$n" "$dir/share/mux.ts" \
		"$dir/share/zap.ts" "$dir/share/sluice.ts") || status=1
	echo "$same"
	n=$((n + $(echo "$same" | grep -cE '^(not )?ok ')))
fi
echo "1..$n"
exit $status
