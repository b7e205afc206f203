# SPDX-License-Identifier: GPL-3.0-or-later
# guest-ktls.sh: runs in the guest (vmrun.sh), as root.  Viewers of https first
# without and then with the module tls of the kernel.
# Needs: tls.ko, sluice, sluice-worker, sluice-worker-tls, ts-judge, curl, and a
# share with mux.ts, chain.pem, key.pem and settings.  TAP on standard output.
. /host/settings
n=0
bad=0
PLAY=https://127.0.0.1:8443
ok() { # ok WHAT STATUS
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; return; fi
	echo "not ok $n - $1"
	bad=1
	tail -n 12 /tmp/log /tmp/check | sed 's/^/# /'
	sed 's/^/# /' /proc/net/tls_stat
}
check() { # check WHAT COMMAND...
	what=$1
	shift
	"$@" >/tmp/check 2>&1
	ok "$what" $?
}
await() { # await WHAT COMMAND...: until the command succeeds, for 30 s
	what=$1
	end=$(($(date +%s) + 30))
	shift
	until "$@" >/tmp/check 2>&1; do
		if [ $(date +%s) -gt $end ]; then ok "$what" 1; return; fi
		sleep 0.2
	done
	ok "$what" 0
}
fetch() { curl -s -k -m "$1" "$2"; }
pid_of() { # pid_of ROLE
	for p in /proc/[0-9]*; do
		tr '\0' ' ' <$p/cmdline 2>/dev/null |
			grep -q "^[^ ]*sluice-worker[^ ]* $1" &&
			echo ${p#/proc/}
	done
}
# the sockets that the kernel has encrypted for, since its start
sealed() { awk '$1 == "TlsTxSw" { print $2 }' /proc/net/tls_stat; }
is_clean() { # is_clean FILE
	[ "$(wc -c <$1)" -gt 100000 ] && ts-judge $1 >/tmp/judged &&
		grep -q '"cc": *0' /tmp/judged
}
# nanoseconds of the processor that deliver and tls have used
cost() {
	for role in deliver tls; do cat /proc/$(pid_of $role)/schedstat; done |
		awk '{ sum += $1 } END { print sum }'
}
watches() { # watches SECONDS: what VIEWERS viewers cost, in $spent
	i=0
	while [ $i -lt $VIEWERS ]; do
		fetch $(($1 + 3)) $PLAY/t >/dev/null &
		i=$((i + 1))
	done
	sleep 2
	before=$(cost)
	sleep $1
	spent=$(($(cost) - before))
	wait_children
}
wait_children() { sleep 2; }
starts() {
	SLUICE_WORKER=/usr/bin/sluice-worker sluice -c /etc/sluice/sluice.json \
		-p 8000 --no-web-auth --user root >>/tmp/log 2>&1 & master=$!
	await "$1: viewers get the stream" sh -c \
		"curl -s -k -m 2 $PLAY/t | head -c 1000 | grep -q ."
}

mkdir -p /etc/sluice
# no rule of a sandbox holds on the share: its files have other inodes each time
cp /host/chain.pem /host/key.pem /etc/sluice
cp /host/mux.ts /tmp
cat >/etc/sluice/sluice.json <<'J'
{"settings": {"crt_chain": "/etc/sluice/chain.pem",
	"crt_key": "/etc/sluice/key.pem"},
 "make_stream": [
 {"id": "t", "name": "t", "type": "spts", "enable": true,
  "input": ["file:///tmp/mux.ts#loop&pnr=1"],
  "output": ["https://127.0.0.1:8443/t",
	"https://127.0.0.1:8443/h.m3u8#duration=1"]}]}
J
: >/tmp/log

starts 'without the module'
check 'the log names the module' grep -q 'modprobe tls' /tmp/log
fetch 5 $PLAY/t >/tmp/t.ts
check 'without the module: the stream is whole' is_clean /tmp/t.ts
watches 5
without=$spent
kill $master; wait $master

# an installed system loads the ciphers by itself
for module in ctr ghash_generic gcm tls; do modprobe $module || exit 1; done
: >/tmp/log
starts 'with the module'
check 'the log is silent' sh -c '! grep -q "modprobe tls" /tmp/log'
for version in 1.2 1.3; do
	before=$(sealed)
	curl -s -k -m 5 --tlsv$version --tls-max $version $PLAY/t >/tmp/t.ts
	check "TLS $version: the stream is whole" is_clean /tmp/t.ts
	check "TLS $version: the kernel encrypts" [ "$(sealed)" -gt "$before" ]
done
await 'a playlist has segments' sh -c \
	"curl -s -k $PLAY/h.m3u8 | grep -q '^h/.*ts'"
# two segments and the playlist again by one connection, then a HEAD
cat >/tmp/segments <<'J'
list=$(curl -s -k $PLAY/h.m3u8 | grep '^h/' | head -n 2)
set -- $(for s in $list; do echo "-o /tmp/$(basename $s) $PLAY/$s"; done)
curl -s -k -v "$@" -o /tmp/list $PLAY/h.m3u8 >/tmp/curl 2>&1 || exit 1
for s in $list; do
	ts-judge /tmp/$(basename $s) | grep -q '"cc": *0' || exit 1
	[ $(wc -c </tmp/$(basename $s)) -gt 50000 ] || exit 1
done
[ $(grep -c 'SSL connection using' /tmp/curl) = 1 ] &&
	grep -q EXTM3U /tmp/list && curl -s -k -I $PLAY/h.m3u8 | grep -q ' 200 '
J
export PLAY
check 'segments and playlists by one connection' sh /tmp/segments
check 'an error is encrypted, and ends in good order' sh -c \
	"curl -s -k -v $PLAY/none 2>&1 | grep -q '404'"
curl -s -k -m 8 $PLAY/t >/tmp/t.ts & viewer=$!
sleep 3
kill -9 $(pid_of tls)
wait $viewer
check 'a viewer outlives the tls worker' [ "$(wc -c </tmp/t.ts)" -gt 300000 ]
check 'and gets all packets' is_clean /tmp/t.ts
await 'the successor serves' sh -c \
	"curl -s -k -m 2 $PLAY/t | head -c 1000 | grep -q ."
watches 5
echo "# $VIEWERS viewers: $without ns without, $spent ns with the module"
kill $master; wait $master
echo "1..$n"
exit $bad
