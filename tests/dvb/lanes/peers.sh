# SPDX-License-Identifier: GPL-3.0-or-later
# Scanners of other projects find the services that lanes/scans.sh finds.
. /lanes/guest-lib.sh
listen
feed
param freq 474000000
finds() { # finds FILE
	[ "$(grep -oE "News ?[0-9]" $1 | tr -d ' ' | sort -u | tr '\n' ' ')" = \
		'News1 News2 News3 ' ]
}
if [ -x /usr/bin/dvbv5-scan ]; then
	printf '[C]\n\tDELIVERY_SYSTEM = DVBT\n\tFREQUENCY = 474000000\n%s\n' \
		'	BANDWIDTH_HZ = 8000000' >/tmp/c
	dvbv5-scan -a $A -o /tmp/dvbv5.conf /tmp/c >/tmp/dvbv5.log 2>&1
	check 'dvbv5-scan finds the same services' finds /tmp/dvbv5.conf
else
	skip 'dvbv5-scan finds the same services' dvbv5-scan
fi
if [ -x /usr/bin/w_scan ]; then
	echo 'T 474000000 8MHz AUTO AUTO AUTO AUTO AUTO NONE' >/tmp/t
	timeout 180 w_scan -f t -a /dev/dvb/adapter$A/frontend0 -I /tmp/t \
		>/tmp/w_scan.conf 2>/tmp/w_scan.log
	check 'w_scan finds the same services' finds /tmp/w_scan.conf
	finds /tmp/w_scan.conf || sed 's/^/# /' /tmp/w_scan.log
else
	skip 'w_scan finds the same services' w_scan
fi
finish
