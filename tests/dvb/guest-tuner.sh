# SPDX-License-Identifier: GPL-3.0-or-later
# guest-tuner.sh: runs in the guest (vmrun.sh), as root.  Tuners of the service
# on the kernel's DVB API: what the driver is told, what streams receive, and
# what happens when the hardware fails.
# Needs: fakedvb.ko, sluice, sluice-worker, sluice-worker-net, tsfeed, fakecam,
# dvbif, and a share with mux.ts (programs 1 to 3).  dvbv5-scan, dvbv5-zap and
# w_scan are compared if they are there.  TAP on standard output.
n=0
bad=0
P=/sys/module/fakedvb/parameters
API=http://127.0.0.1:8000
ok() { # ok WHAT STATUS
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; return; fi
	echo "not ok $n - $1"
	bad=1
	tail -n 5 /tmp/log | sed 's/^/# /'
	tail -n 5 /tmp/events0 | cut -c1-240 | sed 's/^/# /'
}
absent() { # absent WHAT PROGRAM
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2 is not installed"
}
check() { # check WHAT COMMAND...
	what=$1
	shift
	"$@" >/tmp/check 2>&1
	ok "$what" $?
}
await() { # await WHAT SECONDS COMMAND...: until the command succeeds
	what=$1
	left=$(($2 * 5))
	shift 2
	until "$@" >/tmp/check 2>&1; do
		left=$((left - 1))
		if [ $left = 0 ]; then ok "$what" 1; return; fi
		sleep 0.2
	done
	ok "$what" 0
}
api() { wget -q -O - --post-data "$1" $API/control/; }
status() { wget -q -O - "$API/api/adapter-status/$1?t=0"; }
has() { status "$1" | tr -d ' \n' | grep -qE "$2"; }
told() { grep -qE "$1" /tmp/events0; }
plays() { # plays STREAM...
	for stream; do
		wget -q -O - "$API/api/stream-status/$stream?t=0" |
			tr -d ' \n' | grep -q '"onair":true' || return 1
	done
}
param() { echo "$2" >$P/$1; }
tune() { # tune KEYS: of adapter a
	: >/tmp/events0
	api '{"cmd": "set-adapter", "id": "a", "adapter": {"id": "a",
		"enable": true, "adapter": 0, "device": 0, '"$1"'}}' >/tmp/reply
}
tunes() { # tunes WHAT KEYS PATTERN: of the line of the driver
	tune "$2"
	await "$1" 20 told "tune $3"
}

modprobe fakedvb adapters=2 ci=1 annexc=${ANNEXC:-0} || exit 1
cat /dev/fakedvb0 >>/tmp/events0 & events=$!
cat /dev/fakedvb1 >>/tmp/events1 &
tsfeed /host/mux.ts /dev/fakedvb0 2000 1000 >/tmp/feed0 2>&1 &
tsfeed /host/mux.ts /dev/fakedvb1 2000 1000 >/tmp/feed1 2>&1 &
mkdir -p /etc/sluice /srv
# a recording pauses where less is free
mount -t tmpfs -o size=600m tmpfs /srv
cat >/etc/sluice/sluice.json <<'J'
{"settings": {}, "dvb_tune": [], "make_stream": [
 {"id": "p1", "name": "p1", "type": "spts", "enable": true,
  "input": ["dvb://a#pnr=1"], "output": ["udp://127.0.0.1:6001"]},
 {"id": "p2", "name": "p2", "type": "spts", "enable": true,
  "input": ["dvb://a#pnr=2"], "output": ["udp://127.0.0.1:6002"]},
 {"id": "q3", "name": "q3", "type": "spts", "enable": true,
  "input": ["dvb://b#pnr=3"], "output": ["udp://127.0.0.1:6003"]}]}
J
SLUICE_WORKER=/usr/bin/sluice-worker sluice -c /etc/sluice/sluice.json -p 8000 \
	--no-web-auth --allow-path /srv --user root >/tmp/log 2>&1 & master=$!
until api '{"cmd": "version"}' >/dev/null 2>&1; do sleep 0.2; done

S2='"type": "S2", "frequency": 11362, "symbolrate": 22000'
tune "$S2"', "polarization": "H", "diseqc": 1, "fec": "2/3"'
await 'S2: the tuner has lock' 20 has a '"lock":true'
check 'S2: the driver is told the tuning' told \
	"$(echo 'tune delsys=6 freq=1612000 .*mod=9 sr=22000000 fec=2' \
		'.*stream=4294967295 .*volt=1 tone=1')"
check 'S2: DiSEqC selects the switch' told 'diseqc t=[0-9]* e0 10 38 f2'
await 'two streams are on air' 30 plays p1 p2
await 'S2: signal and noise in decibel' 5 has a \
	'"signal":83,"signal_db":-4500,"snr":67,"snr_db":1350'

# scans; the second tuner has lock at one frequency alone
scan() { # scan REQUEST: its id in $id, its replies in /tmp/scan
	: >/tmp/scan
	: >/tmp/events1
	id=$(api '{"cmd": "scan-init", "scan": '"$1"'}' | tr -d ' \n' |
		sed 's/.*"id":"\([0-9a-f]*\)".*/\1/')
}
scanned() { # scanned PATTERN: in any reply so far
	api '{"cmd": "scan-check", "id": "'$id'"}' | tr -d ' \n' >>/tmp/scan
	grep -qE "$1" /tmp/scan
}
kill_scan() { api '{"cmd": "scan-kill", "id": "'$id'"}' >/tmp/reply; }
tuned() { # tuned HZ...: each, and no other
	[ "$(grep -oE 'tune delsys=3 freq=[0-9]+' /tmp/events1 |
		sed 's/.*=//' | sort -u | tr '\n' ' ')" = "$* " ]
}
refused() {
	api '{"cmd": "scan-init", "scan": {"adapter": {"type": "T",
		"adapter": 0, "frequency": 474}}}' 2>&1 | grep 409
}
names() { # names FILE: one a line
	grep -oE "News ?[0-9]" "$1" | tr -d ' ' | sort -u
}
T1='"adapter": {"type": "T", "adapter": 1'
param freq 0,474000000,0,0,0,0,0,0
scan '"dvb://a"'
await 'a scan of a running adapter has its services' 20 scanned \
	'"lock":true,.*"name":"News3","provider":"Provider","service_type":1'
kill_scan
check 'a scan does not take the tuner of an adapter' refused
scan "{$T1"', "frequency": 474}}'
await 'a scan of a transponder has lock, signal and services' 20 scanned \
	'"lock":true,"complete":true,.*"name":"News1".*"signal":83'
kill_scan
scan '{"search": "network", '"$T1"', "frequency": 474}}'
await 'a scan of a network ends' 60 scanned '"done":2,"total":2,"ended":true'
check 'the transponders of the NIT were tuned' tuned 474000000 490000000
names /tmp/scan >/tmp/names
await 'the tuner is free after it' 10 sh -c ': 3<>/dev/dvb/adapter1/frontend0'
kill_scan
scan '{"search": "blind", "grid": {"from": 466, "to": 482}, '"$T1"'}}'
await 'a blind scan ends' 60 scanned '"done":3,"total":3,"ended":true'
check 'and reports the frequency with lock only' sh -c \
	'grep -q "\"frequency\":474" /tmp/scan &&
	! grep -qE "\"number\":2|\"frequency\":4(66|82)" /tmp/scan'
kill_scan
await 'the tuner is free again' 10 sh -c ': 3<>/dev/dvb/adapter1/frontend0'
if [ -x /usr/bin/dvbv5-scan ]; then
	printf '[C]\n\tDELIVERY_SYSTEM = DVBT\n\tFREQUENCY = 474000000\n%s\n' \
		'	BANDWIDTH_HZ = 8000000' >/tmp/c
	dvbv5-scan -a 1 -o /tmp/dvbv5.conf /tmp/c >/tmp/dvbv5.log 2>&1
	names /tmp/dvbv5.conf >/tmp/names5
	check 'dvbv5-scan finds the same services' sh -c \
		'[ -s /tmp/names ] && cmp /tmp/names /tmp/names5'
else
	absent 'dvbv5-scan finds the same services' dvbv5-scan
fi
if [ -x /usr/bin/w_scan ]; then
	echo 'T 474000000 8MHz AUTO AUTO AUTO AUTO AUTO NONE' >/tmp/t
	timeout 180 w_scan -f t -a /dev/dvb/adapter1/frontend0 -I /tmp/t \
		>/tmp/w_scan.conf 2>/tmp/w_scan.log
	names /tmp/w_scan.conf >/tmp/names_w
	check 'w_scan finds the same services' sh -c \
		'[ -s /tmp/names ] && cmp /tmp/names /tmp/names_w'
	cp /tmp/w_scan.conf /tmp/w_scan.log /host/
else
	absent 'w_scan finds the same services' w_scan
fi
if [ -x /usr/bin/dvbv5-zap ]; then
	printf '[M]\n\tSERVICE_ID = 1\n\tDELIVERY_SYSTEM = DVBT\n%s\n%s\n' \
		'	FREQUENCY = 474000000' \
		'	BANDWIDTH_HZ = 8000000' >/tmp/m
	timeout 60 dvbv5-zap -a 1 -c /tmp/m -P -t 6 -o /host/zap.ts M \
		>/tmp/zap.log 2>&1
	check 'dvbv5-zap records the multiplex' test -s /host/zap.ts
	# same-bytes.mjs compares both; the adapter leaves with its stream
	api '{"cmd": "set-stream", "stream": {"id": "all", "name": "all",
		"type": "spts", "enable": true, "input": ["dvb://z"],
		"output": ["file:///srv/all.ts"]}}' >/tmp/reply
	api '{"cmd": "set-adapter", "adapter": {"id": "z", "enable": true,
		"type": "T", "adapter": 1, "frequency": 474}}' >/tmp/reply
	await 'the whole multiplex is on air' 30 plays all
	recorded() { [ "$(wc -c </srv/all.ts)" -gt 1000000 ]; }
	await 'and recorded' 60 recorded
	api '{"cmd": "set-stream", "id": "all", "stream": {"remove": true}}' \
		>/tmp/reply
	api '{"cmd": "set-adapter", "id": "z", "adapter": {"remove": true}}' \
		>/tmp/reply
	cp /srv/all.ts /host/sluice.ts
	await 'the tuner is free again' 10 sh -c \
		': 3<>/dev/dvb/adapter1/frontend0'
else
	absent 'dvbv5-zap records the multiplex' dvbv5-zap
fi
param freq 0,0,0,0,0,0,0,0

tunes 'S: the upper band has the tone' '"type": "S", "frequency": 12188,
	"symbolrate": 27500, "polarization": "V"' \
	'delsys=5 freq=1588000 .*sr=27500000 .*volt=0 tone=0'
check 'another tuning keeps the device open' \
	sh -c '! grep -q sleep /tmp/events0'
tunes 'S2: multistream' "$S2"', "polarization": "V", "stream_id": 67134465,
	"rolloff": 20, "pilot": "ON"' \
	'delsys=6 .*pilot=0 rolloff=1 stream=1 pls=100'
tunes 'unicable EN 50494' "$S2"', "polarization": "V", "uni_scr": 3,
	"uni_frequency": 1210' 'delsys=6 freq=1210000 '
check 'unicable EN 50494: the command' told 'diseqc t=[0-9]* e0 10 5a 41 64'
tunes 'unicable EN 50607' "$S2"', "polarization": "V", "uni_scr": 20,
	"uni_frequency": 1210, "uni_pin": 5' 'delsys=6 freq=1210000 '
check 'unicable EN 50607: the command' told 'diseqc t=[0-9]* 71 9d e8 00 05'
tunes 'T' '"type": "T", "frequency": 474, "modulation": "QAM64", "fec": "3/4",
	"guardinterval": "1/8", "transmitmode": "8K", "hierarchy": "NONE"' \
	'delsys=3 freq=474000000 bw=8000000 mod=3 .*hp=3 lp=9 tm=1 gi=2 hier=0'
tunes 'T2' '"type": "T2", "frequency": 474, "bandwidth": 1712, "stream_id": 3' \
	'delsys=16 freq=474000000 bw=1712000 .*stream=3'
tunes 'C' '"type": "C", "frequency": 346, "symbolrate": 6900,
	"modulation": "QAM256"' 'delsys=1 freq=346000000 .*mod=5 sr=6900000'
tunes 'C/B' '"type": "C/B", "frequency": 555, "modulation": "QAM64"' \
	'delsys=2 freq=555000000 .*mod=3'
tunes 'ATSC' '"type": "ATSC", "frequency": 533' \
	'delsys=11 freq=533000000 .*mod=7'
tunes 'ISDB-T' '"type": "ISDBT", "frequency": 474143' \
	'delsys=8 freq=474143000 bw=6000000'
await 'ISDB-T: all layers' 5 told 'isdbt layers=7'
tunes 'ISDB-T: layers' '"type": "ISDBT", "frequency": 474143,
	"isdbt_layers": "AB", "isdbt_partial": "ON",
	"isdbt_layer_a": "QPSK,2/3,1,2", "isdbt_layer_b": "QAM64,3/4,12,AUTO"' \
	'delsys=8'
await 'ISDB-T: the parameters of each' 5 told \
	'isdbt layers=3 partial=1 A=2:0:1:2 B=3:3:12:255 '
await 'the streams are on air after other tunings' 30 plays p1 p2

tune '"type": "C/C", "frequency": 346, "symbolrate": 5274'
await 'a type that the frontend lacks is an error' 10 has a \
	'"error":"type:.*receivesS,S2,T,T2,C/A,C/B,ATSC,ISDB-Tonly"'

# loss of lock, and its return
tune "$S2"', "polarization": "H"'
await 'lock again' 20 has a '"lock":true'
pid=$(status a | tr -d ' \n' | sed 's/.*"pid":\([0-9]*\).*/\1/')
kill -9 "$pid"
await 'a killed process has a successor' 10 \
	sh -c "! kill -0 $pid 2>/dev/null"
await 'which has lock' 20 has a '"lock":true'
await 'and the streams are on air' 30 plays p1 p2
param status 0x03,31,31,31,31,31,31,31
await 'loss of lock is reported' 10 has a '"error":"nolock,statusSC---"'
: >/tmp/events0
await 'a tuner without lock is tuned again' 30 told 'tune delsys=6'
param status 31,31,31,31,31,31,31,31
await 'the lock returns' 20 has a '"lock":true'

# PIDs
param whole 0,1,1,1,1,1,1,1
api '{"cmd": "set-adapter", "adapter": {"id": "b", "enable": true,
	"type": "T", "adapter": 1, "frequency": 474}}' >/tmp/reply
await 'the second tuner has lock' 20 has b '"lock":true'
await 'its stream is on air' 30 plays q3
: >/tmp/events0
api '{"cmd": "restart-adapter", "id": "a"}' >/tmp/reply
await 'without PID 8192 the PIDs of programs are received' 30 told 'feed\+ 257'
await 'and the streams are on air' 30 plays p1
check 'but not those of a program that no stream reads' sh -c \
	'! grep -q "feed+ 769" /tmp/events0'
api '{"cmd": "set-stream", "stream": {"id": "p3", "name": "p3",
	"type": "spts", "enable": true, "input": ["dvb://a#pnr=3"],
	"output": []}}' >/tmp/reply
await 'a stream adds the PIDs of its program' 10 told 'feed\+ 769'
api '{"cmd": "set-stream", "id": "p3", "stream": {"remove": true}}' >/tmp/reply
await 'and removes them at its end' 10 told 'feed- 769'
check 'without an interruption of other programs' \
	sh -c '[ "$(grep -c "feed+ 257" /tmp/events0)" = 1 ]'
param whole 1,1,1,1,1,1,1,1

# a stick that is pulled, and comes back
bind() { # bind KEYS: adapter b
	api '{"cmd": "set-adapter", "id": "b", "adapter": {"id": "b",
		"enable": true, "type": "T", "frequency": 474, '"$1"'}}' \
		>/tmp/reply
}
alarms() { wget -q -O - $API/api/overview | tr -d ' \n' | grep -qE "$1"; }
echo 1 >$P/unplug
await 'a device that is pulled is reported' 10 has b \
	'"error":"(nodevice|thedevice)'
check 'the other adapter goes on' has a '"lock":true'
await 'and is an alarm' 20 alarms 'adapterb:(nodevice|thedevice)'
echo 1 >$P/plug
await 'and runs when it is back' 15 has b '"lock":true'

# its number is then another one: something still has the old one open
bind '"path": "platform/fakedvb.1", "adapter": 7'
await 'an adapter is found by the place of its hardware' 10 has b '"lock":true'
sleep 1000 3<>/dev/dvb/adapter1/demux0 & holder=$!
echo 1 >$P/unplug
await 'it is pulled' 10 has b '"lock":false'
now() { cut -d' ' -f1 /proc/uptime | tr -d .; } # in 10 ms
plugged=$(now)
echo 1 >$P/plug
: >/tmp/events1
cat /dev/fakedvb1 >>/tmp/events1 &
tuned1() { grep -q tune /tmp/events1; }
# 2 s, of a machine that is emulated
await 'and is tuned under another number' 6 tuned1
echo "# $((($(now) - plugged) * 10)) ms after it was plugged"
await 'with lock' 10 has b '"lock":true'
[ -e /dev/dvb/adapter2 ]
ok 'which is the third' $?
bind '"mac": "02:1a:2b:3c:4d:01"'
await 'without its interface an address is not found' 10 has b \
	'"error":"nodevicewithmac02:1a:2b:3c:4d:01'
dvbif /dev/dvb/adapter0/net0 && dvbif /dev/dvb/adapter2/net0
ok 'adapters have interfaces' $?
await 'an adapter is found by its hardware address' 10 has b '"lock":true'
bind '"mac": "02:1a:2b:3c:4d:01", "adapter": 0'
await 'which precedes its number' 10 has b '"lock":true'
kill $holder
echo 1 >$P/unplug
await 'it is pulled again' 10 has b '"lock":false'
sleep 0.5
echo 1 >$P/plug
tsfeed /host/mux.ts /dev/fakedvb1 2000 1000 >/tmp/feed1 2>&1 &
bind '"adapter": 1'
await 'and another one by its number' 20 has b '"lock":true'

# a slot for a CAM without a tuner: the loop of sec0
bind '"adapter": 1, "ddci": 0'
receives() { has b '"bitrate":[0-9]{3}' && ! has b '"error":'; }
await 'packets pass through a CI slot' 20 receives
bind '"adapter": 1, "ddci": 9'
await 'a slot that is not there is reported' 10 has b \
	'"error":"noCIslot/dev/dvb/adapter9/sec0"'
await 'and the packets pass it by' 20 has b '"bitrate":[0-9]{3}'
bind '"adapter": 1'
await 'a tuner without a slot again' 20 has b '"lock":true'

# a driver that hangs
param hang 0,1,0,0,0,0,0,0
await 'a driver that hangs is reported' 20 has b 'doesnotreturn'
check 'the other tuner has lock' has a '"lock":true'
param hang 0,0,0,0,0,0,0,0
await 'and the tuner works when the driver goes on' 20 has b '"lock":true'

# another program has the frontend
api '{"cmd": "set-adapter", "id": "b", "adapter": {"id": "b",
	"enable": false, "type": "T", "adapter": 1, "frequency": 474}}' \
	>/tmp/reply
await 'a disabled adapter releases the frontend' 10 sh -c \
	': 3<>/dev/dvb/adapter1/frontend0'
sleep 100 3<>/dev/dvb/adapter1/frontend0 & other=$!
api '{"cmd": "toggle-adapter", "id": "b"}' >/tmp/reply
await 'a busy frontend is reported' 10 has b '"error":".*isbusy'
kill $other
await 'and used when it is free' 20 has b '"lock":true'

# a CAM in the slot of adapter a
cam() { # cam PATTERN: of the reply to get-cam
	api '{"cmd": "get-cam", "id": "a"}' | tr -d ' \n' | grep -qE "$1"
}
fault() { echo "$1" >&4; } # of enum cam_fault in fake_cam.h
stream() { # stream ID PNR: reads it through the CAM
	api '{"cmd": "set-stream", "id": "'"$1"'", "stream": {"id": "'"$1"'",
		"type": "spts", "enable": true,
		"input": ["dvb://a#pnr='"$2"'&cam"]}}' >/tmp/reply
}
mkfifo /tmp/faults
fakecam /dev/fakecam0 /tmp/cam </tmp/faults & fakecam=$!
exec 4>/tmp/faults
stream c1 1
stream c2 2
await 'a slot without a CAM is reported' 10 cam \
	'"state":"empty","error":"thereisnoCAMintheslot"'
param cam 1,0,0,0,0,0,0,0
await 'a CAM that is put in becomes ready' 30 cam \
	'"state":"ready".*"name":"FakeCAM"'
await 'it gets the list of programs' 10 grep -q \
	'^first 1 descramble 0b00; last 2 descramble 0b00; $' /tmp/cam
stream c3 3
await 'and one that is added' 10 grep -q 'add 3 descramble 0b00; $' /tmp/cam
api '{"cmd": "set-stream", "id": "c2", "stream": {"remove": true}}' >/tmp/reply
await 'and one that is removed' 10 grep -q 'update 2 off 0b00; $' /tmp/cam
api '{"cmd": "cam-menu", "id": "a", "action": "open"}' >/tmp/reply
await 'its menu opens' 10 cam '"kind":"menu","title":"Title"'
api '{"cmd": "cam-menu", "id": "a", "action": "choice", "choice": 2}' \
	>/tmp/reply
no_menu() { ! cam '"menu"'; }
await 'and an item is chosen' 10 no_menu
: >/tmp/events0
fault 5
await 'a CAM that is silent is reset' 30 told 'cam reset'
fault 0
await 'and becomes ready' 40 cam '"state":"ready"'
await 'and gets the programs again' 10 grep -q \
	'^first 1 descramble 0b00; last 3 descramble 0b00; $' /tmp/cam
fault 0
param cam 0,0,0,0,0,0,0,0
await 'a CAM that is pulled is reported' 10 cam '"state":"empty"'
param cam 1,0,0,0,0,0,0,0
await 'and becomes ready when it is back' 30 cam '"state":"ready"'
await 'with its programs' 10 grep -q \
	'^first 1 descramble 0b00; last 3 descramble 0b00; $' /tmp/cam
check 'the tuner was not closed meanwhile' \
	sh -c '! grep -qE "sleep|tune" /tmp/events0'
kill $fakecam

kill $master
wait $master
check 'no process was forbidden a system call' sh -c '! grep forbidden /tmp/log'
check 'the kernel reports no fault' \
	sh -c "! dmesg | grep -qE 'BUG|WARNING|Oops|Call Trace'"
cp /tmp/log /host/sluice.log
cp /tmp/events0 /host/events.log
echo "1..$n"
exit $bad
