# SPDX-License-Identifier: GPL-3.0-or-later
# Scans of a transponder, of a network and of a grid.  The tuner has lock at one
# frequency alone.
. /lanes/guest-lib.sh
listen
feed
param freq 474000000
scan() { # scan REQUEST: its id in $id, its replies in /tmp/scan
	: >/tmp/scan
	forget
	id=$(api '{"cmd": "scan-init", "scan": '"$1"'}' | tr -d ' \n' |
		sed 's/.*"id":"\([0-9a-f]*\)".*/\1/')
}
scanned() { # scanned PATTERN: in any reply so far
	api '{"cmd": "scan-check", "id": "'$id'"}' | tr -d ' \n' >>/tmp/scan
	grep -qE "$1" /tmp/scan
}
kill_scan() { send '{"cmd": "scan-kill", "id": "'$id'"}'; }
tuned() { # tuned HZ...: each, and no other
	[ "$(grep -oE 'tune delsys=3 freq=[0-9]+' /tmp/events$A |
		sed 's/.*=//' | sort -u | tr '\n' ' ')" = "$* " ]
}
refused() {
	api '{"cmd": "scan-init", "scan": {"adapter": {"type": "T",
		"adapter": '$A', "frequency": 474}}}' 2>&1 | grep 409
}
T='"adapter": {"type": "T", "adapter": '$A

scan "{$T"', "frequency": 474}}'
retry 'a scan of a transponder has lock, signal and services' 20 scanned \
	'"lock":true,"complete":true,.*"name":"News1".*"signal":83'
kill_scan
scan '{"search": "network", '"$T"', "frequency": 474}}'
retry 'a scan of a network ends' 60 scanned '"done":2,"total":2,"ended":true'
check 'the transponders of the NIT were tuned' tuned 474000000 490000000
check 'its services are those of the multiplex' sh -c \
	'[ "$(grep -oE "News[0-9]" /tmp/scan | sort -u | tr "\n" " ")" = \
		"News1 News2 News3 " ]'
retry 'the tuner is free after it' 10 is_free
kill_scan
scan '{"search": "blind", "grid": {"from": 466, "to": 482}, '"$T"'}}'
retry 'a blind scan ends' 60 scanned '"done":3,"total":3,"ended":true'
check 'and reports the frequency with lock only' sh -c \
	'grep -q "\"frequency\":474" /tmp/scan &&
	! grep -qE "\"number\":2|\"frequency\":4(66|82)" /tmp/scan'
kill_scan
retry 'the tuner is free again' 10 is_free

tune '"type": "T", "frequency": 474'
await 'lock' 20 has '"lock":true'
scan '"dvb://'$ID'"'
retry 'a scan of a running adapter has its services' 20 scanned \
	'"lock":true,.*"name":"News3","provider":"Provider","service_type":1'
kill_scan
check 'a scan does not take the tuner of an adapter' refused
finish
