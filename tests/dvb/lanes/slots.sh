# SPDX-License-Identifier: GPL-3.0-or-later
# A slot for a CAM without a tuner, a driver that hangs, and a busy frontend.
. /lanes/guest-lib.sh
listen
feed
bind() { tune '"type": "T", "frequency": 474'"$1"; }
receives() { has '"bitrate":[0-9]{3}' && has '!"error":'; }

# the loop of sec0
bind ', "ddci": '$A
await 'packets pass through a CI slot' 20 receives
bind ', "ddci": 99'
await 'a slot that is not there is reported' 10 has \
	'"error":"noCIslot:/dev/dvb/adapter99hasneitherci0norsec0"'
await 'and the packets pass it by' 20 has '"bitrate":[0-9]{3}'
bind ''
await 'a tuner without a slot again' 20 has '"lock":true'

# type CI: what a stream sends passes through the slot
stream mptsin ''
send '{"cmd": "set-adapter", "adapter": {"id": "ci", "type": "CI",
	"enable": true, "adapter": '$A', "device": 0,
	"address": "stream://mptsin"}}'
streams="$streams ci2"
send '{"cmd": "set-stream", "stream": {"id": "ci2", "name": "ci2",
	"type": "spts", "enable": true, "input": ["dvb://ci#pnr=2"],
	"output": []}}'
passes() { # without an error, as it passes by a slot that is not there
	has '"bitrate":[0-9]{3}' ci && has '!"error":' ci
}
await 'what a stream sends passes through a slot' 20 passes
await 'and its programs are on air' 30 plays ci2
send '{"cmd": "set-adapter", "id": "ci", "adapter": {"remove": true}}'

param hang 1
await 'a driver that hangs is reported' 20 has 'hasnotreturned'
await 'another tuner has lock' 10 has '"lock":true' cam
param hang 0
await 'and the tuner works when the driver goes on' 20 has '"lock":true'

send '{"cmd": "toggle-adapter", "id": "'$ID'"}'
retry 'a disabled adapter releases the frontend' 10 is_free
sleep 100 3<>/dev/dvb/adapter$A/frontend0 & other=$!
send '{"cmd": "toggle-adapter", "id": "'$ID'"}'
await 'a busy frontend is reported' 10 has '"error":".*isbusy'
kill $other
await 'and used when it is free' 20 has '"lock":true'
finish
