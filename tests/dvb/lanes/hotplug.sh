# SPDX-License-Identifier: GPL-3.0-or-later
# A stick that is pulled while it is read, and comes back.
. /lanes/guest-lib.sh
listen
feed
bind() { adapter '"type": "T", "frequency": 474, '"$1"; }
plug() {
	plugged=$(now)
	echo $A >$P/plug
	listen
	feed
}
# Under its number, which the driver frees a moment after the tuner is pulled.
replug() {
	while [ -e /dev/dvb/adapter$A ]; do
		sleep 0.1
	done
	until plugged=$(now); echo $A >$P/plug; [ -e /dev/dvb/adapter$A ]; do
		echo $A >$P/unplug
		sleep 0.1
	done
	listen
	feed
}
pull() { # pull WHAT
	echo $A >$P/unplug
	await "$1" 10 has '"error":"(nodevice|thedevice)'
	forget
}
took() { # took WHAT: a tuning, within 2 s of the guest
	await "$1" 6 told tune
	ms=$((($(now) - plugged) * 10))
	echo "# $ms ms after it was plugged"
	[ $ms -le 2000 ]
	ok "$1 within 2 s" $?
}

bind '"adapter": '$A
await 'lock' 20 has '"lock":true'
pull 'a device that is pulled is reported'
await 'another tuner has lock' 20 has '"lock":true' cam
await 'and is an alarm' 20 alarms "adapter$ID:(nodevice|thedevice)"
replug
took 'a device whose folder is new is tuned'
await 'with lock' 10 has '"lock":true'
# a loose plug: the sandbox of the process follows it each time
for again in second third fourth fifth; do
	pull "it is pulled a $again time"
	replug
	took "and tuned a $again time"
	await 'with lock' 10 has '"lock":true'
done

# its number is then another one: something still has the old one open
bind '"path": "platform/fakedvb.'$A'", "adapter": 7'
await 'an adapter is found by the place of its hardware' 10 has '"lock":true'
exec 3<>/dev/dvb/adapter$A/demux0
sleep 1000 & holder=$!
exec 3>&-
pull 'it is pulled'
plug
took 'it is tuned under another number'
await 'with lock' 10 has '"lock":true'
[ -e /dev/dvb/adapter10 ]
ok 'which is the next one' $?
bind '"mac": "02:1a:2b:3c:4d:0'$A'"'
await 'without its interface an address is not found' 10 has \
	'"error":"nodevicewithmac02:1a:2b:3c:4d:0'$A
dvbif /dev/dvb/adapter0/net0 && dvbif /dev/dvb/adapter10/net0
ok 'adapters have interfaces' $?
await 'an adapter is found by its hardware address' 10 has '"lock":true'
bind '"mac": "02:1a:2b:3c:4d:0'$A'", "adapter": 0'
await 'which precedes its number' 10 has '"lock":true'
kill $holder
echo $A >$P/unplug
await 'it is pulled again' 10 has '"lock":false'
retry 'its old number is free' 10 sh -c "[ ! -e /dev/dvb/adapter$A ]"
plug
bind '"adapter": '$A
await 'and another one by its number' 20 has '"lock":true'
finish
