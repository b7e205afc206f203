# SPDX-License-Identifier: GPL-3.0-or-later
# An open that does not return.  The kernel holds a lock of all DVB devices
# meanwhile, so this lane runs alone, behind the others.
. /lanes/guest-lib.sh
listen
feed
tune '"type": "T", "frequency": 474'
await 'lock' 30 has '"lock":true'
param hang 2
forget
send '{"cmd": "restart-adapter", "id": "'$ID'"}'
await 'an open that hangs is reported' 40 has \
	'"error":"thedriverdoesnotreturnfromopensince'
await 'the control interface answers' 10 replies '"version"' \
	'{"cmd":"version"}'
await 'another tuner has lock' 10 has '"lock":true' cam
await 'whose packets pass' 10 has '"bitrate":[0-9]{3}' cam
pid=$(status $ID | sed 's/.*"pid":\([0-9]*\).*/\1/')
send '{"cmd": "restart-adapter", "id": "'$ID'"}'
await 'a process that cannot be ended is left behind' 60 logged \
	"pid $pid ignores KILL, is stuck in the kernel and left behind"
param hang 0
await 'it ends when the driver goes on' 20 logged \
	"pid $pid ended, which was left behind"
await 'and the tuner works' 60 has '"lock":true'
finish
