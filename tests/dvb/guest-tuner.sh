# SPDX-License-Identifier: GPL-3.0-or-later
# guest-tuner.sh: runs in the guest (vmrun.sh), as root.  Tuners of the service
# on the kernel's DVB API: what the driver receives, what streams receive, and
# what happens when the hardware fails.  TAP on standard output.
#
# Each file of /lanes runs beside the others with an adapter of its own.  It
# sources guest-lib.sh, which has the functions of a lane.
# Needs: fakedvb.ko, sluice, sluice-worker, sluice-worker-net, tsfeed, fakecam,
# dvbif, dvbwait, and a share with mux.ts (programs 1 to 3) and plp.ts (the same
# in T2-MI).  dvbv5-scan, dvbv5-zap and w_scan are compared if they are there.
LANES='tuning faults scans peers record hotplug slots cam'

modprobe fakedvb adapters=8 ci=1 || exit 1
cp /host/mux.ts /host/plp.ts /tmp
mkdir -p /etc/sluice /srv /tmp/lanes
# a recording pauses where less is free
mount -t tmpfs -o size=600m tmpfs /srv
echo '{"settings": {}}' >/etc/sluice/sluice.json
chmod 600 /etc/sluice/sluice.json
SLUICE_WORKER=/usr/bin/sluice-worker sluice -c /etc/sluice/sluice.json -p 8000 \
	--no-web-auth --allow-path /srv --user root >/tmp/log 2>&1 & master=$!
dvbwait 60 '"version"' /control/ '{"cmd":"version"}' >/dev/null

number=0
pids=
for lane in $LANES; do
	A=$number ID=$lane sh /lanes/$lane.sh >/tmp/lanes/$lane 2>&1 &
	pids="$pids $!"
	number=$((number + 1))
done
wait $pids

. /lanes/guest-lib.sh >/tmp/lanes/end
{
	kill $master
	wait $master
	check 'no process was forbidden a system call' \
		sh -c '! grep forbidden /tmp/log'
	check 'the kernel reports no fault' \
		sh -c "! dmesg | grep -qE 'BUG|WARNING|Oops|Call Trace'"
	echo '# end'
} >>/tmp/lanes/end
cp /tmp/log /host/sluice.log
for lane in $LANES end; do
	# a lane that broke off has no end
	tail -n 1 /tmp/lanes/$lane | grep -q '^# end' ||
		echo 'not ok - the lane ends' >>/tmp/lanes/$lane
	sed -E "s/^((not )?ok) - /\1 - $lane: /" /tmp/lanes/$lane
done >/tmp/tap
awk '/^(not )?ok / { sub(/ok/, "ok " ++n) } { print }
	END { print "1.." n }' /tmp/tap
! grep -q '^not ok' /tmp/tap
exit $?
