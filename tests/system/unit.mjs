// SPDX-License-Identifier: GPL-3.0-or-later
// The installed service under the systemd of a container: an attacker in a
// worker gains nothing, and nothing outlives the service.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Container } from '../helpers/container.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { sanitized, stream } from '../helpers/sluice.mjs';
import { builddir, run } from '../helpers/util.mjs';

// An instance has a unit from the same source as the only service.
const UNITS = ['sluice', 'sluice@'].map((name) =>
	path.join(builddir, `etc/${name}.service`));
const CONFIG = '/usr/local/etc/sluice';

test('both units are confined well', async (t) => {
	for (const unit of UNITS) {
		const { code, out } = await run('systemd-analyze', ['security',
			'--offline=true', '--threshold=20', unit]).catch(() =>
			({ code: NaN, out: '' }));
		const level = /Overall exposure level.*: ([0-9.]+)/.exec(out);

		if (level === null) {
			t.skip('systemd-analyze cannot judge a unit here');
			return;
		}
		t.diagnostic(level[0]);
		assert.equal(code, 0, out);
	}
});

// Functions of the scripts; all run in the container.
const TOOLS = `
wait_for() { # text file
	for i in $(seq 600); do grep -q "$1" "$2" && return; sleep 0.1; done
	echo "no $1 in $2:"; cat "$2"; exit 1
}
processes() { pgrep -l -u sluice || true; }
gone() { # why
	for i in $(seq 150); do
		[ -n "$(processes)" ] || return 0
		sleep 0.1
	done
	echo "left after $1: $(processes)"; exit 1
}
drop_in() { # starts lines [unit]
	local unit=\${3:-sluice}
	mkdir -p /etc/systemd/system/$unit.service.d
	printf '[Unit]\\nStartLimitBurst=%s\\n[Service]\\n%s\\n' "$1" "$2" \\
		> /etc/systemd/system/$unit.service.d/test.conf
	systemctl daemon-reload
	systemctl reset-failed $unit 2>/dev/null || true
}
full() { # file
	for i in $(seq 300); do [ -s "$1" ] && return; sleep 0.1; done
	echo "$1 is empty:"; ls -l /var/lib/sluice*; cat $LOG; exit 1
}
LOG=/run/result/log
`;

const SET_UP = `
ip link set lo up
systemd-sysusers
systemd-tmpfiles --create /usr/local/lib/tmpfiles.d/sluice.conf
chown -R sluice: ${CONFIG}
`;

const OUT_LOG = (name) => `StandardError=append:/run/result/${name}`;

// The container with the service; null: this machine cannot, and t says why.
async function prepare(t, config) {
	const why = process.getuid() !== 0 ? 'needs root' :
		sanitized ? 'a build with sanitizers is not confined' : null;
	let box;

	if (why !== null) {
		t.skip(why);
		return null;
	}
	try {
		box = await Container.make(t);
	} catch (error) {
		t.skip(`no container: ${error.message}`.slice(0, 200));
		return null;
	}
	await box.install();
	box.write(`${CONFIG}/sluice.json`, JSON.stringify(config), 0o600);
	return box;
}

// Runs the script; null: this machine cannot, and t says why.
async function steps(t, box, script) {
	const result = await box.run(TOOLS + script);

	if (!Number.isNaN(result.code))
		return result;
	t.skip(`systemd does not start here: ${result.out.slice(-150)}`);
	return null;
}

test('no attempt succeeds in any role under the unit', async (t) => {
	const { out: cipher } = await run('openssl', ['passwd', '-6', 'pw']);
	const box = await prepare(t, { settings: {
		crt_chain: `${CONFIG}/secret.pem`,
		crt_key: `${CONFIG}/secret.key`, epg_days: 1,
		http_play_stream: true },
	users: { carl: { enable: true, type: 1, cipher: cipher.trim() } },
	auth: { enable: true, backend: 'http://127.0.0.1:82/',
		backend_unreachable: 'allow' },
	cas: [{ id: 'c1', ecmg_channel_id: 1,
		ecmg_host: '127.0.0.1', ecmg_port: 83 }],
	dvb_tune: [{ id: 'd', enable: true, type: 'S2',
		address: 'udp://127.0.0.1:5007' }],
	make_stream: [
		stream('plain', 'file:///srv/media/clip.ts#loop',
			'http://127.0.0.1:81/plain'),
		stream('udp', 'udp://qa@239.1.0.1:5000',
			'udp://127.0.0.1:6000', { cas_list: [
				{ cas_id: 'c1' }] }),
		stream('store', 'udp://127.0.0.1:5001',
			'file:///var/lib/sluice/store.ts'),
		stream('srt', 'srt://127.0.0.1:5002', 'udp://127.0.0.1:6001'),
		{ ...stream('multi', ['stream://plain', 'stream://udp'],
			'udp://127.0.0.1:6002'), type: 'mpts', bitrate: 9000 },
	] });

	if (box === null)
		return;
	for (const kind of ['', '-net', '-tls', '-picture']) {
		const program = path.join(builddir,
			`tests/attacker/sluice-worker${kind}`);

		if (fs.existsSync(program))
			box.copy(program,
				`/usr/local/attacker/sluice-worker${kind}`);
	}
	const pictures = fs.existsSync(path.join(builddir,
		'tests/attacker/sluice-worker-picture'));
	// roles that begin with a request
	const asked = ['backend', 'auth', 'scan', 'softcam',
		...pictures ? ['picture'] : []];
	const scan = JSON.stringify({ cmd: 'scan-init',
		scan: 'udp://127.0.0.1:5004' });
	const softcam = JSON.stringify({ cmd: 'test-softcam', config: {
		type: 'newcamd', host: '127.0.0.1', port: 5005, user: 'u',
		pass: 'p', key: '0102030405060708091011121314' } });

	box.write('/srv/media/clip.ts', '');
	box.write('/srv/other/other.ts', '');
	box.write(`${CONFIG}/attempts`, `config ${CONFIG}/sluice.json
key ${CONFIG}/secret.key
state /var/lib/sluice-state
media /srv/media
clip /srv/media/clip.ts
other /srv/other/other.ts
`);
	const done = await steps(t, box, `
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \\
	-subj /CN=secret -keyout ${CONFIG}/secret.key \\
	-out ${CONFIG}/secret.pem 2>/dev/null
${SET_UP}
ip link add qa type veth peer name qb
ip link set qa up; ip link set qb up; ip addr add 10.9.5.1/24 dev qa
drop_in 1 "${OUT_LOG('log')}
Environment=SLUICE_WORKER=/usr/local/attacker/sluice-worker"
systemctl start sluice
for role in "stream plain" "stream udp" "stream store" "stream srt" \\
	"mux multi" deliver tls querier epg "cas c1" "adapter d"; do
	wait_for "attacker in $role.* denied" $LOG
done
post() { # request
	curl -s -m 5 -u carl:pw -o /dev/null -d "$1" \
		http://127.0.0.1:8000/control/ || true
}
get() { # address
	curl -s -m 5 -o /dev/null "$1" || true
}
# until the roles begin: other attackers leave a request no time
while :; do
	get http://127.0.0.1:81/plain
	get http://127.0.0.1:8000/play/plain.jpg
	post '${scan}'
	post '${softcam}'
	sleep 0.2
done &
asks=$!
for role in ${asked.join(' ')}; do
	wait_for "attacker in $role.* denied" $LOG
done
kill $asks
systemctl stop sluice
gone stop
`);
	if (done === null)
		return;
	const { code, out } = done;
	const log = fs.readFileSync(path.join(box.result, 'log'), 'utf8');

	assert.equal(code, 0, out + log);
	const made = [...log.matchAll(
		/attacker in .* (\d+) denied, (\d+) not/g)];
	t.diagnostic(made.map((m) => m[0]).join('\n'));
	assert.ok(made.length >= 11 + asked.length);
	const least = /no Landlock/.test(log) ? 100 : 130;
	assert.ok(made.every((m) => m[2] === '0' && Number(m[1]) > least), log);
});

test('the state is apart from the recordings, the key from the user',
	async (t) => {
	const { out: cipher } = await run('openssl', ['passwd', '-6', 'pw']);
	const box = await prepare(t, {
		users: { carl: { enable: true, type: 1,
			cipher: cipher.trim() } },
		settings: { crt_chain: '/srv/tls.pem',
			crt_key: '/dev/stdin' },
		make_stream: [stream('store', 'file:///srv/media/clip.ts#loop',
			'file:///var/lib/sluice/store.ts')] });

	if (box === null)
		return;
	box.write('/srv/media/clip.ts', new TsMux().take(1000));
	const log = (file) => JSON.stringify({ cmd: 'set-log',
		set: { filename: file } });
	const record = (file) => JSON.stringify({ cmd: 'set-stream',
		id: 'other', stream: stream('other',
			'file:///srv/media/clip.ts#loop', `file://${file}`) });
	const done = await steps(t, box, `${SET_UP}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \\
	-subj /CN=own -addext subjectAltName=IP:127.0.0.1 \\
	-keyout /srv/tls.key -out /srv/tls.pem 2>/dev/null
chmod 644 /srv/tls.pem; chown root: /srv/tls.key; chmod 600 /srv/tls.key
drop_in 1 "${OUT_LOG('log')}
StandardInput=file:/srv/tls.key"
systemctl start sluice
for i in $(seq 300); do
	curl -s --cacert /srv/tls.pem -o /dev/null https://127.0.0.1:8000/ &&
		break
	[ $i != 300 ] || { echo "no TLS:"; cat $LOG; exit 1; }
	sleep 0.1
done
setpriv --reuid sluice --regid sluice --clear-groups cat /srv/tls.key \\
	2>/dev/null && { echo "the user reads the key"; exit 1; }
post() { # request, status
	got=$(curl -s -u carl:pw -o /run/result/reply -w '%{http_code}' \
		-d "$1" http://127.0.0.1:8000/control/)
	[ "$got" = "$2" ] || { echo "$1: $got"; cat /run/result/reply; exit 1; }
}
full /var/lib/sluice/store.ts
post '${record('/var/lib/sluice/other.ts')}' 200
full /var/lib/sluice/other.ts
post '${record('/var/lib/sluice-state/other.ts')}' 400
post '${log('/var/lib/sluice-state/other.log')}' 400
post '${log('/var/log/sluice/sluice.log')}' 200
post '{"cmd":"login","login":"carl","password":"pw"}' 200
full /var/lib/sluice-state/starts.json
full /var/lib/sluice-state/sessions.json
systemctl stop sluice
gone stop
ls /var/lib/sluice /var/lib/sluice-state
`);

	if (done === null)
		return;
	assert.equal(done.code, 0, done.out);
	assert.match(done.out,
		/^\/var\/lib\/sluice:\nother\.ts\nstore\.ts\n\n/m);
});

// A worker that stays whatever happens, and has a child.
const STUBBORN = `#!/bin/bash
trap '' TERM HUP INT ABRT
exec 3>&-
sleep 1000 &
while :; do sleep 1000; done
`;

test('workers survive the master, and nothing survives the service',
	async (t) => {
	const box = await prepare(t, { make_stream: [
		stream('a', 'udp://127.0.0.1:5001', 'udp://127.0.0.1:6001')] });

	if (box === null)
		return;
	box.write('/usr/local/stubborn/sluice-worker', STUBBORN, 0o755);
	const done = await steps(t, box, `${SET_UP}
worker() { pgrep -u sluice -f 'sluice-worker (/[^ ]* )?stream a'; }
main() { systemctl show -P MainPID sluice; }
state() { systemctl show -P ActiveState sluice; }
drop_in 3 "${OUT_LOG('log')}"
systemctl start sluice
wait_for "stream a: .*alarms: sync_loss" $LOG
first=$(worker) before=$(main)
kill -KILL "$before"
for i in $(seq 100); do
	[ "$(main)" != "$before" ] && [ "$(main)" != 0 ] &&
		[ "$(state)" = active ] && break
	sleep 0.1
done
state
[ "$(worker)" = "$first" ] || { echo "another worker"; cat $LOG; exit 1; }
systemctl stop sluice
gone "stop after a crash"

drop_in 3 "Environment=SLUICE_WORKER=/usr/local/stubborn/sluice-worker"
systemctl start sluice
sleep 1
processes
systemctl stop sluice
gone "stop"

# the last crash that systemd accepts
drop_in 1 "Environment=SLUICE_WORKER=/usr/local/stubborn/sluice-worker"
systemctl start sluice
sleep 1
processes
kill -KILL "$(main)"
for i in $(seq 100); do
	[ "$(state)" = failed ] && break
	sleep 0.1
done
state
gone "failure"

# a master that does not stop
drop_in 3 "TimeoutStopSec=1
Environment=SLUICE_WORKER=/usr/local/stubborn/sluice-worker"
systemctl start sluice
sleep 1
kill -STOP "$(main)"
systemctl stop sluice || true
gone "stop of a master that hangs"
`);

	if (done !== null)
		assert.equal(done.code, 0, done.out);
});

test('an instance has folders of its own, and its end is its own',
	async (t) => {
	const records = (id, folder, port) => ({
		settings: { control_port: `127.0.0.1:${port}` },
		make_stream: [stream(id, 'file:///srv/media/clip.ts#loop',
			`file://${folder}/${id}.ts`)] });
	const box = await prepare(t, records('one', '/var/lib/sluice', 8000));

	if (box === null)
		return;
	box.write(`${CONFIG}@two/sluice.json`, JSON.stringify(
		records('two', '/var/lib/sluice@two/sluice', 8001)), 0o600);
	box.write('/srv/media/clip.ts', new TsMux().take(1000));
	const done = await steps(t, box, `${SET_UP}
chown -R sluice: ${CONFIG}@two
worker() { pgrep -u sluice -f "stream $1" || true; }
drop_in 3 "${OUT_LOG('log')}"
drop_in 1 "${OUT_LOG('log')}" sluice@
systemctl start sluice sluice@two
for file in sluice/one.ts sluice-state/starts.json sluice@two/sluice/two.ts \
	sluice@two/sluice-state/starts.json; do
	full /var/lib/$file
done
stat -c %U /var/log/sluice /var/log/sluice@two | uniq -c
one=$(worker one)
[ -n "$(worker two)" ]
systemctl reload sluice@two
# the only start
kill -KILL $(systemctl show -P MainPID sluice@two)
for i in $(seq 100); do
	[ -n "$(worker two)" ] || break
	sleep 0.1
done
[ -z "$(worker two)" ] || { echo "left: $(processes)"; exit 1; }
[ "$(worker one)" = "$one" ] || { echo "another worker"; exit 1; }
[ "$(systemctl show -P ActiveState sluice)" = active ]
drop_in 3 "${OUT_LOG('log')}" sluice@two
systemctl start sluice@two
systemctl stop sluice@two
[ "$(worker one)" = "$one" ] && [ -z "$(worker two)" ]
`);

	if (done === null)
		return;
	assert.equal(done.code, 0, done.out);
	assert.match(done.out, /^ *2 sluice$/m);
});

test('the filter of fail2ban reads the journal of every instance',
	async (t) => {
	const only = (port) => ({ settings: {
		control_port: `127.0.0.1:${port}` } });
	const box = await prepare(t, only(8000));

	if (box === null)
		return;
	box.write(`${CONFIG}@two/sluice.json`, JSON.stringify(only(8001)),
		0o600);
	// journalctl takes the expression that fail2ban takes
	const done = await steps(t, box, `${SET_UP}
chown -R sluice: ${CONFIG}@two
systemctl start sluice sluice@two
for port in 8000 8001; do
	curl -s -o /dev/null -u guess$port:x http://127.0.0.1:$port/api/status
done
logger -t sluice 'auth: [main] Authentication failed. Login:other IP:10.0.0.1'
journalctl --sync
journalctl -q -o cat $(sed -n 's/^journalmatch = //p' \
	/usr/local/share/doc/sluice/examples/fail2ban-sluice.conf) |
	grep -o 'failed. Login:[^ ]*' | sort
`);

	if (done === null)
		return;
	assert.equal(done.code, 0, done.out);
	assert.deepEqual(done.out.match(/Login:.*/g),
		['Login:guess8000', 'Login:guess8001']);
});
