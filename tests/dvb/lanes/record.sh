# SPDX-License-Identifier: GPL-3.0-or-later
# dvbv5-zap and a stream record the multiplex, one after the other;
# same-bytes.mjs compares both.
. /lanes/guest-lib.sh
listen
feed
param freq 474000000
if [ -x /usr/bin/dvbv5-zap ]; then
	printf '[M]\n\tSERVICE_ID = 1\n\tDELIVERY_SYSTEM = DVBT\n%s\n%s\n' \
		'	FREQUENCY = 474000000' \
		'	BANDWIDTH_HZ = 8000000' >/tmp/m
	timeout 60 dvbv5-zap -a $A -c /tmp/m -P -t 6 -o /tmp/zap.ts M \
		>/tmp/zap.log 2>&1
	check 'dvbv5-zap records the multiplex' test -s /tmp/zap.ts
else
	skip 'dvbv5-zap records the multiplex' dvbv5-zap
fi
retry 'the tuner is free' 10 is_free
send '{"cmd": "set-stream", "stream": {"id": "all", "name": "all",
	"type": "spts", "enable": true, "input": ["dvb://'$ID'"],
	"output": ["file:///srv/all.ts"]}}'
tune '"type": "T", "frequency": 474'
await 'the whole multiplex is on air' 30 plays all
recorded() { [ "$(stat -c %s /srv/all.ts)" -gt 500000 ]; }
retry 'and recorded' 60 recorded
remove_stream all
send '{"cmd": "set-adapter", "id": "'$ID'", "adapter": {"remove": true}}'
retry 'an adapter that is removed releases the tuner' 10 is_free
finish
