# SPDX-License-Identifier: GPL-3.0-or-later
# guest-lib.sh: the functions of a lane (guest-tuner.sh).
#   A   number of its adapter in the guest, and of its device of fakedvb
#   ID  id of its adapter in the configuration
P=/sys/module/fakedvb/parameters
API=http://127.0.0.1:8000
begin=$(cut -d' ' -f1 /proc/uptime)
now() { cut -d' ' -f1 /proc/uptime | tr -d .; } # in 10 ms
ok() { # ok WHAT STATUS
	if [ "$2" = 0 ]; then
		echo "ok - $1"
		return
	fi
	echo "not ok - $1"
	tail -n 8 /tmp/log | sed 's/^/# log: /'
	tail -n 5 /tmp/events$A | cut -c1-240 | sed 's/^/# driver: /'
	cut -c1-240 /tmp/check$A | tail -n 3 | sed 's/^/# /'
	status $ID | cut -c1-400 | sed 's/^/# status: /'
	echo
}
skip() { # skip WHAT PROGRAM
	echo "ok - $1 # SKIP $2 is not installed"
}
check() { # check WHAT COMMAND...
	what=$1
	shift
	"$@" >/tmp/check$A 2>&1
	ok "$what" $?
}
# await WHAT SECONDS COMMAND...: the command waits so long, with dvbwait
await() {
	what=$1
	left=$2
	shift 2
	"$@" >/tmp/check$A 2>&1
	ok "$what" $?
	left=0
}
retry() { # retry WHAT SECONDS COMMAND...: until the command succeeds
	what=$1
	limit=$(($(now) + $2 * 100))
	shift 2
	until "$@" >/tmp/check$A 2>&1; do
		if [ "$(now)" -gt $limit ]; then
			ok "$what" 1
			return
		fi
		sleep 0.5
	done
	ok "$what" 0
}
api() { wget -q -O - --post-data "$1" $API/control/; }
send() { api "$1" >/tmp/reply$A 2>&1; }
status() { wget -q -O - "$API/api/adapter-status/$1?t=0" | tr -d ' \n'; }
# of await or check; !PATTERN: it does not match
has() { dvbwait $left "$1" "/api/adapter-status/${2:-$ID}?t=0"; }
logged() { dvbwait $left "$1" /tmp/log; }
told() { dvbwait $left "$1" /tmp/events$A; }
alarms() { dvbwait $left "$1" /api/overview; }
replies() { dvbwait $left "$1" /control/ "$2"; } # replies PATTERN COMMAND
plays() { # plays STREAM...
	for stream; do
		dvbwait $left '"onair":true' "/api/stream-status/$stream?t=0" ||
			return 1
	done
}
is_free() { true 3<>/dev/dvb/adapter$A/frontend0; }
# param NAME VALUE: of the driver, for this adapter; it has a list of all
param() {
	(
		flock 9
		list=$(awk -F, -v OFS=, -v i=$((A + 1)) -v v="$2" \
			'{ $i = v; print }' $P/$1)
		echo "$list" >$P/$1
	) 9>/tmp/param
}
listen() { cat /dev/fakedvb$A >>/tmp/events$A & }
feed() { # feed [FILE]
	tsfeed ${1:-/tests/mux.ts} /dev/fakedvb$A 1000 1000 >/tmp/feed$A 2>&1 &
	feeder=$!
}
forget() { : >/tmp/events$A; }
adapter() { # adapter KEYS: makes or changes it
	forget
	send '{"cmd": "set-adapter", "id": "'$ID'", "adapter": {"id": "'$ID'",
		"enable": true, '"$1"'}}'
}
tune() { adapter '"adapter": '$A', "device": 0, '"$1"; }
tunes() { # tunes WHAT KEYS PATTERN: of the line of the driver
	tune "$2"
	await "$1" 20 told "tune $3"
}
stream() { # stream ID OPTIONS: reads the adapter, from # on
	streams="$streams $1"
	send '{"cmd": "set-stream", "id": "'"$1"'", "stream": {"id": "'"$1"'",
		"name": "'"$1"'", "type": "spts", "enable": true,
		"input": ["dvb://'$ID"$2"'"], "output": []}}'
}
remove_stream() {
	send '{"cmd": "set-stream", "id": "'"$1"'", "stream": {"remove": true}}'
}
finish() {
	# what a lane leaves behind costs the others time
	for id in $streams; do
		remove_stream $id
	done
	kill $feeder
	send '{"cmd": "set-adapter", "id": "'$ID'",
		"adapter": {"remove": true}}'
	end=$(cut -d' ' -f1 /proc/uptime)
	echo "# lane of $(echo "$end $begin" | awk '{ print $1 - $2 }') s"
	echo '# end'
}
left=0
streams=
: >/tmp/events$A
