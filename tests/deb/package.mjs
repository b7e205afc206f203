// SPDX-License-Identifier: GPL-3.0-or-later
// The Debian package in a container (make check-deb): it installs a service
// that runs, an upgrade costs no viewer a packet, and a purge leaves nothing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Container } from '../helpers/container.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { builddir, run } from '../helpers/util.mjs';

const folder = path.join(builddir, 'debian-build');
const name = fs.readdirSync(folder).find((file) =>
	/^sluice_.*\.deb$/.test(file));

const CONFIG = {
	settings: { control_port: '127.0.0.1:8000' },
	make_stream: [{ id: 'clip', name: 'Clip', type: 'spts', enable: true,
		input: ['file:///usr/share/sluice/demo.ts#loop'],
		output: ['http://127.0.0.1:8100/clip'] }],
};

const STEPS = `
set -x
ip link set lo up
rm -f /usr/sbin/policy-rc.d # of an image in which no service may start
get() { curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:8000/$1"; }
until_is() { # what expected command...
	for i in $(seq 600); do
		[ "$("\${@:3}" 2>/dev/null)" != "$2" ] || return 0
		sleep 0.1
	done
	echo "$1 is $("\${@:3}"), not $2"; exit 1
}
worker() { pgrep -f '^sluice-worker stream clip'; }

echo '# installation'
dpkg -i /sluice.deb
[ "$(stat -c '%U:%G %a' /etc/sluice/sluice.json)" = 'sluice:sluice 640' ]
[ "$(systemctl is-enabled sluice)" = enabled ]
until_is readyz 200 get readyz
until_is password 1 sh -c \
	'journalctl -u sluice | grep -c "it is shown this once"'
[ "$(get '')" = 200 ]
sluice -t -c /etc/sluice/sluice.json

echo '# upgrade'
install -o sluice -g sluice -m 640 /config.json /etc/sluice/sluice.json
systemctl restart sluice
until_is readyz 200 get readyz
# a second instance
install -d -o sluice -g sluice -m 750 /etc/sluice@two
echo '{"settings":{"control_port":"127.0.0.1:8001"}}' |
	install -o sluice -g sluice -m 640 /dev/stdin \\
		/etc/sluice@two/sluice.json
systemctl enable --now sluice@two
curl -sN -o /run/result/viewer.ts http://127.0.0.1:8100/clip & viewer=$!
received() { # bytes
	for i in $(seq 600); do
		[ "$(stat -c %s /run/result/viewer.ts)" -le "$1" ] || return 0
		sleep 0.1
	done
	echo 'the viewer gets nothing'; exit 1
}
received 100000
pid=$(worker)
main=$(systemctl show -P MainPID sluice)
dpkg -i /sluice.deb
until_is restarts 1 sh -c \
	"journalctl -u sluice -g 'restarting: ' -o cat | wc -l"
until_is readyz 200 get readyz
received $(($(stat -c %s /run/result/viewer.ts) + 100000))
until_is 'restarts of two' 1 sh -c \
	"journalctl -u sluice@two -g 'restarting: ' -o cat | wc -l"
[ "$(worker)" = "$pid" ]
[ "$(systemctl show -P MainPID sluice)" = "$main" ]
kill -0 "$viewer"

echo '# removal'
dpkg --purge sluice
kill -0 "$viewer" 2>/dev/null && { echo 'the service goes on'; exit 1; }
[ -z "$(pgrep -u sluice)" ]
[ ! -e /etc/sluice ]
[ ! -e /etc/sluice@two ]
[ -z "$(ls /lib/systemd/system /etc/systemd/system/*.wants | grep sluice)" ]
[ -z "$(ls /var/lib /var/log | grep sluice)" ]
`;

test('it installs, upgrades without a loss, and goes', async (t) => {
	const box = await Container.make(t);

	box.copy(path.join(folder, name), 'sluice.deb');
	box.write('config.json', JSON.stringify(CONFIG));
	const { code, out } = await box.run(STEPS);
	const seen = path.join(box.result, 'viewer.ts');

	assert.equal(code, 0, out);
	const data = fs.readFileSync(seen);
	const { ccErrors, syncErrors } = checkTs(data.subarray(0,
		Math.floor(data.length / 188) * 188));

	assert.deepEqual([ccErrors, syncErrors], [0, 0]);
});

test('lintian finds nothing', async (t) => {
	const changes = fs.readdirSync(folder).find((file) =>
		file.endsWith('.changes'));
	// a distributor names a maintainer
	const { code, out, err } = await run('lintian', ['--fail-on',
		'error,warning', '--suppress-tags', 'bogus-mail-host,' +
		'bogus-mail-host-in-debian-changelog,root-in-contact',
		path.join(folder, changes)]);

	t.diagnostic(out);
	assert.equal(code, 0, out + err);
});
