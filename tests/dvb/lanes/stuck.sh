# SPDX-License-Identifier: GPL-3.0-or-later
# An open that does not return.  The kernel holds a lock of all DVB devices
# meanwhile, so this lane runs alone, behind the others.
. /lanes/guest-lib.sh
listen
feed
tune '"type": "T", "frequency": 474'
await 'lock' 30 has '"lock":true'
# the device of a lane that has ended
other=$(((A + 9) % 10))
tsfeed /tests/mux.ts /dev/fakedvb$other 1000 1000 >/tmp/feed$other 2>&1 &
send '{"cmd": "set-adapter", "adapter": {"id": "other", "type": "T",
	"enable": true, "adapter": '$other', "device": 0, "frequency": 474}}'
await 'that of another tuner' 20 has '"lock":true' other
param hang 2
forget
send '{"cmd": "restart-adapter", "id": "'$ID'"}'
await 'an open that hangs is reported' 40 has \
	'"error":"thedriverhasnotreturnedfromopenfor'
await 'the control interface answers' 10 replies '"version"' \
	'{"cmd":"version"}'
await 'another tuner has lock' 10 has '"lock":true' other
await 'whose packets pass' 10 has '"bitrate":[0-9]{3}' other
pid=$(status $ID | sed 's/.*"pid":\([0-9]*\).*/\1/')
send '{"cmd": "restart-adapter", "id": "'$ID'"}'
await 'a process that cannot be ended is left behind' 60 logged \
	"pid $pid ignores KILL, is stuck in the kernel and left behind"
param hang 0
await 'it ends when the driver goes on' 20 logged \
	"pid $pid ended, which was left behind"
await 'and the tuner works' 60 has '"lock":true'
finish
