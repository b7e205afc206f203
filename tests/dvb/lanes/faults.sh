# SPDX-License-Identifier: GPL-3.0-or-later
# A killed process, loss of lock, and filters of PIDs.
. /lanes/guest-lib.sh
listen
feed
stream f1 '#pnr=1'
stream f2 '#pnr=2'

tune '"type": "S2", "frequency": 11362, "symbolrate": 22000,
	"polarization": "H"'
await 'lock' 20 has '"lock":true'
await 'the streams are on air' 30 plays f1 f2
pid=$(status $ID | sed 's/.*"pid":\([0-9]*\).*/\1/')
kill -9 "$pid"
await 'a killed process has a successor' 10 has '!"pid":'"$pid[^0-9]"
await 'which has lock' 20 has '"lock":true'
await 'and the streams are on air again' 30 plays f1 f2
param status 3
await 'loss of lock is reported' 10 has '"error":"nolock,statusSC---"'
forget
await 'a tuner without lock is tuned again' 30 told 'tune delsys=6'
param status 31
await 'the lock returns' 20 has '"lock":true'

param whole 0
forget
send '{"cmd": "restart-adapter", "id": "'$ID'"}'
await 'without PID 8192 the PIDs of programs are received' 30 told 'feed\+ 257'
await 'and the streams are on air' 30 plays f1
check 'but not those of a program that no stream reads' \
	told '!feed\+ 769'
stream f3 '#pnr=3'
await 'a stream adds the PIDs of its program' 10 told 'feed\+ 769'
remove_stream f3
await 'and removes them at its end' 10 told 'feed- 769'
check 'without an interruption of other programs' \
	sh -c "[ \$(grep -c 'feed+ 257' /tmp/events$A) = 1 ]"
finish
