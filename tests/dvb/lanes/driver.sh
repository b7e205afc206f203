# SPDX-License-Identifier: GPL-3.0-or-later
# Drivers with few filters, with relative levels or without firmware, and
# packets that are wrong: each watchdog and each of its steps.
. /lanes/guest-lib.sh
listen
feed
S2='"type": "S2", "frequency": 11362, "symbolrate": 22000, "polarization": "H"'
restart() { # restart NAME VALUE: with another value of the driver
	param $1 $2
	forget
	send '{"cmd": "restart-adapter", "id": "'$ID'"}'
}
stream d1 '#pnr=1'

param scale 1
param strength 32768
param cnr 65535
tune "$S2"
await 'relative levels are percent' 30 has '"signal":50,"signal_db":0,"snr":100'
param scale 2
await 'without statistics the levels are those of the old calls' 10 has \
	'"signal":50,"signal_db":0,"snr":75'
param scale 0
param strength -45000
param cnr 13500

tune "$S2"', "budget": false'
await 'the PIDs of a program are received' 30 told 'feed\+ 257'
restart maxpids 3
await 'with too few filters the whole multiplex is received' 30 told \
	'feed\+ 8192'
await 'without an error' 30 plays d1
check 'without an error of the adapter' has '!"error":'
param whole 0
restart maxpids 3
await 'where the driver refuses that, too, the status says so' 30 has \
	'toofewPIDfilters:[0-9]+PIDs.*refusesthewholemultiplex:[A-Z]'
param whole 1
param maxpids 0
tune "$S2"
await 'lock' 30 has '"lock":true'

restart nofw 1
await 'a driver without firmware is reported' 30 has \
	'"error":"nosignalsincethetuning:.*firmwareinstalled'
param nofw 0
await 'and the tuner works when the firmware is there' 60 has '"lock":true'
restart open_err 110
await 'an open that fails is reported' 30 has \
	'"error":"cannotopen/dev/dvb/adapter'$A'/frontend0:'
param open_err 0
await 'and tried again' 60 has '"lock":true'

# each step is another one; the delays grow.  A new stream is on air after a
# time in which the tuner received what is right.
send '{"cmd": "restart-adapter", "id": "'$ID'"}'
remove_stream d1
stream d1 '#pnr=1'
await 'the stream is on air' 40 plays d1
pid=$(status $ID | sed 's/.*"pid":\([0-9]*\).*/\1/')
forget
watchdog() { # watchdog SPOIL SECONDS REASON STEP
	param spoil $1
	await "$3: $4" $2 logged "$3: $4"
	param spoil 0
}
watchdog 1 30 'dvr sync byte error' 'tuning again'
await 'the driver is told' 10 told 'tune delsys=6'
watchdog 2 60 'PAT checksum error' 'opening the device again'
watchdog 4 90 'PES error' 'turning the LNB off and on'
await 'the LNB has no power for a while' 10 told 'voltage off'
watchdog 3 150 'dvr cc error' 'starting a new process'
await 'which it does' 20 has '!"pid":'"$pid[^0-9]"
await 'with lock' 30 has '"lock":true'
await 'and the stream is on air again' 30 plays d1
finish
