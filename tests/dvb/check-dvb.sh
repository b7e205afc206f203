#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tuners on the DVB API of a real kernel: builds a virtual machine with
# fakedvb.ko and runs the tests in it.  TAP.
#   DVB_DIR      folder of the machine, kept for the next run (BUILD/dvb-vm)
#   DVB_INSTALL  1: installs packages that are missing (root); else the test is
#                skipped
#   DVB_LIMIT    seconds after which the machine is ended (1800)
#   DVB_LANES    names of lanes, at most 10; all if it is not given
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@"
set -euo pipefail
here=$srcdir/tests/dvb
dir=${DVB_DIR:-$builddir/dvb-vm}
lanes=${DVB_LANES:-tuning faults scans peers record hotplug slots driver cam
	stuck}
mkdir -p "$dir/share" "$dir/bin" "$dir/tests"
status=0
reason=$(bash "$here/prep.sh" "$dir" "$here" 2>&1) || status=$?
if [ $status = 77 ]; then
	echo "1..0 # SKIP ${reason##*prep.sh: }"
	exit 0
fi
echo "$reason" | sed 's/^/# /'
[ $status = 0 ] || exit 99

rm -f "$dir"/share/* "$dir"/tests/*
echo "$lanes" >"$dir/tests/lanes"
builddir=$builddir "$NODE" "$here/mux-file.mjs" "$dir/tests/mux.ts" 20 1 \
	"$dir/tests/plp.ts"
set -- -k "$dir" -m "$dir/fakedvb-ko" -s "$dir/share" -f "$here/lanes:/lanes" \
	-f "$dir/tests:/tests" -i -t ${DVB_LIMIT:-1800}
for program in sluice sluice-worker sluice-worker-net tests/dvb/dvbif \
		tests/dvb/dvbwait tests/dvb/fakecam tests/dvb/tsfeed; do
	cp "$builddir/$program" "$dir/bin/"
	strip -g "$dir/bin/${program##*/}"
	set -- "$@" -b "$dir/bin/${program##*/}"
done
# the last three to compare with
for program in flock dvbv5-scan dvbv5-zap w_scan; do
	program=$(command -v $program) && set -- "$@" -b "$program"
done
bash "$here/vmrun.sh" "$@" "$here/guest-tuner.sh" >"$dir/guest.log" 2>&1 ||
	status=$?

# results NAME: of a lane; without them why there are none
results() {
	if [ -e "$dir/share/$1.lane" ]; then
		sed -E "s/^((not )?ok) - /\1 - $1: /" "$dir/share/$1.lane"
	elif [ $status = 124 ]; then
		echo "ok - $1: its cases # SKIP the machine got too little of" \
			"the processor"
	else
		echo "not ok - $1: the machine ended with $status before it"
		tail -n 20 "$dir/guest.log" | sed 's/^/# /'
	fi
}

for lane in $lanes end; do
	results "$lane"
done >"$dir/results"
# recording FILE: judges what the lane `record' has recorded there; without it
# why it is not judged.  The machine copies the files before its end.
recording() {
	local what="ok - $1 has the bytes that were sent # SKIP"
	if [ ! -e "$dir/share/end.lane" ]; then
		echo "$what the machine ended before it copied the file"
	elif [ "$1" = zap.ts ] && ! command -v dvbv5-zap >/dev/null; then
		echo "$what dvbv5-zap is not installed"
	else
		"$NODE" "$here/same-bytes.mjs" "$dir/tests/mux.ts" \
			"$dir/share/$1"
	fi
}

case " $(echo $lanes) " in
*' record '*)
	for file in zap.ts all.ts; do
		recording $file
	done >>"$dir/results"
	;;
esac
awk '/^(not )?ok / { sub(/ok/, "ok " ++n) } { print }
	END { print "1.." n + 0 }' "$dir/results"
! grep -q '^not ok' "$dir/results"
