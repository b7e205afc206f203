# SPDX-License-Identifier: GPL-3.0-or-later
# guest-tuner.sh: runs in the guest (vmrun.sh), as root.  Tuners of the service
# on the kernel's DVB API: what the driver receives, what streams receive, and
# what happens when the hardware fails.
#
# The files of the share are written when little runs: the clock of the guest,
# which counts its instructions, does not stand still while the host works.
#
# Each file of /lanes runs beside the others with an adapter of its own.  It
# sources guest-lib.sh, which has the functions of a lane.  Its results are in
# /host/NAME.lane as soon as it ends: a machine that is ended keeps those of the
# lanes that did.  One that takes LANE_S seconds of the guest, which wait for
# nothing else, is ended.
# Needs: fakedvb.ko, sluice, sluice-worker, sluice-worker-net, tsfeed, fakecam,
# dvbif, dvbwait, flock, a share, and /tests with mux.ts (programs 1 to 3),
# plp.ts (the same in T2-MI), and lanes: their names.  dvbv5-scan, dvbv5-zap and
# w_scan are compared if they are there.
LANE_S=600

modprobe fakedvb adapters=10 ci=1 || exit 1
mkdir -p /etc/sluice /srv /tmp/lanes
# a recording pauses where less is free
mount -t tmpfs -o size=600m tmpfs /srv
echo '{"settings": {}}' >/etc/sluice/sluice.json
chmod 600 /etc/sluice/sluice.json
SLUICE_WORKER=/usr/bin/sluice-worker sluice -c /etc/sluice/sluice.json -p 8000 \
	--no-web-auth --allow-path /srv --user root >/tmp/log 2>&1 & master=$!
dvbwait 60 '"version"' /control/ '{"cmd":"version"}' >/dev/null

run_lane() { # run_lane NAME NUMBER
	A=$2 ID=$1 timeout $LANE_S sh /lanes/$1.sh >/tmp/lanes/$1 2>&1
	case $? in
	143) echo "not ok - the lane timed out after $LANE_S s" ;;
	# a lane that broke off has no end
	*) tail -n 1 /tmp/lanes/$1 | grep -q '^# end' ||
		echo 'not ok - the lane ends' ;;
	esac >>/tmp/lanes/$1
	cp /tmp/lanes/$1 /host/$1.part
	mv /host/$1.part /host/$1.lane
}

number=0
pids=
for lane in $(cat /tests/lanes); do
	# it holds up the others
	[ $lane != stuck ] || wait $pids
	run_lane $lane $number &
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
	echo "# $(sed -n 's/^cpu  *\([0-9]*\) [0-9]* \([0-9]*\) .*/\1 \2/p' \
		/proc/stat) user and system, 1/100 s"
} >>/tmp/lanes/end
killall tsfeed
cp /tmp/log /host/sluice.log
for file in /tmp/zap.ts /srv/all.ts; do
	[ ! -e $file ] || cp $file /host/
done
cp /tmp/lanes/end /host/end.lane
