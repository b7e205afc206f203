# SPDX-License-Identifier: GPL-3.0-or-later
# What the driver is told by the keys of an adapter.
. /lanes/guest-lib.sh
listen
feed
stream p1 '#pnr=1'
stream p2 '#pnr=2'

S2='"type": "S2", "frequency": 11362, "symbolrate": 22000'
tune "$S2"', "polarization": "H", "diseqc": 1, "fec": "2/3"'
await 'S2: the tuner has lock' 20 has '"lock":true'
check 'S2: the driver is told the tuning' told \
	"$(echo 'tune delsys=6 freq=1612000 .*mod=9 sr=22000000 fec=2' \
		'.*stream=4294967295 .*volt=1 tone=1')"
check 'S2: DiSEqC selects the switch' told 'diseqc t=[0-9]* e0 10 38 f2'
await 'two streams are on air' 30 plays p1 p2
await 'S2: signal and noise in decibel' 5 has \
	'"signal":83,"signal_db":-4500,"snr":67,"snr_db":1350'
tunes 'S: the upper band has the tone' '"type": "S", "frequency": 12188,
	"symbolrate": 27500, "polarization": "V"' \
	'delsys=5 freq=1588000 .*sr=27500000 .*volt=0 tone=0'
check 'another tuning keeps the device open' \
	told '!sleep'
tunes 'S2: multistream' "$S2"', "polarization": "V", "stream_id": 67134465,
	"rolloff": 20, "pilot": "ON"' \
	'delsys=6 .*pilot=0 rolloff=1 stream=1 pls=100'
tunes 'unicable EN 50494' "$S2"', "polarization": "V", "uni_scr": 3,
	"uni_frequency": 1210' 'delsys=6 freq=1212000 '
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
await 'a type that the frontend lacks is an error' 10 has \
	'"error":"type:.*receivesS,S2,T,T2,C/A,C/B,ATSC,ISDB-Tonly"'
finish
