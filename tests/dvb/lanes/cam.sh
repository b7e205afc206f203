# SPDX-License-Identifier: GPL-3.0-or-later
# A CAM in the slot of a tuner.
. /lanes/guest-lib.sh
listen
feed
cam() { # cam PATTERN: of the reply to get-cam
	replies "$1" '{"cmd": "get-cam", "id": "'$ID'"}'
}
has_list() { dvbwait $left "$1" /tmp/cam; }
fault() { echo "$1" >&4; } # of enum cam_fault in fake_cam.h
program() { stream "$1" "#pnr=$2&cam"; }

tune '"type": "S2", "frequency": 11362, "symbolrate": 22000,
	"polarization": "H"'
await 'lock' 20 has '"lock":true'
mkfifo /tmp/faults
fakecam /dev/fakecam$A /tmp/cam </tmp/faults & fakecam=$!
exec 4>/tmp/faults
program c1 1
program c2 2
await 'a slot without a CAM is reported' 10 cam \
	'"state":"empty","error":"thereisnoCAMintheslot"'
param cam 1
await 'a CAM that is put in becomes ready' 30 cam \
	'"state":"ready".*"name":"FakeCAM"'
await 'it gets the list of programs' 10 has_list \
	'^first 1 descramble 0b00; last 2 descramble 0b00; $'
program c3 3
await 'and one that is added' 10 has_list 'add 3 descramble 0b00; $'
remove_stream c2
await 'and one that is removed' 10 has_list 'update 2 off 0b00; $'
send '{"cmd": "cam-menu", "id": "'$ID'", "action": "open"}'
await 'its menu opens' 10 cam '"kind":"menu","title":"Title"'
send '{"cmd": "cam-menu", "id": "'$ID'", "action": "choice", "choice": 2}'
await 'and an item is chosen' 10 cam '!"menu"'
forget
fault 5
# the CAM answers again after the reset
await 'a CAM that is silent is reset' 30 told 'cam reset'
await 'and becomes ready' 40 cam '"state":"ready"'
await 'and gets the programs again' 10 has_list \
	'^first 1 descramble 0b00; last 3 descramble 0b00; $'
fault 0
param cam 0
await 'a CAM that is pulled is reported' 10 cam '"state":"empty"'
param cam 1
await 'and becomes ready when it is back' 30 cam '"state":"ready"'
await 'with its programs' 10 has_list \
	'^first 1 descramble 0b00; last 3 descramble 0b00; $'
check 'the tuner was not closed meanwhile' \
	told '!sleep|tune'

# T2-MI: the CAM of the tuner has the program that carries it, that of a slot
# behind the tuner those of the PLP
kill $feeder
feed /tests/plp.ts
S2='"type": "S2", "frequency": 11362, "symbolrate": 22000, "polarization": "H"'
tune "$S2"', "t2mi": true'
await 'programs of a PLP are on air' 30 plays c1 c3
await 'the CAM has the program that carries it' 10 has_list \
	' 9 descramble 0b00; $'
tune "$S2"', "t2mi": true, "ddci": '$A
await 'a CI slot has the programs of the PLP' 30 has_list \
	'first 1 descramble 0b00; last 3 descramble 0b00; $'
await 'which are on air behind it' 30 plays c1 c3
await 'without an error' 10 has '!"error":'
param cam 0
kill $fakecam
finish
