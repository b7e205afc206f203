// SPDX-License-Identifier: GPL-3.0-or-later
// sap: announced while it is sent, withdrawn at the end; checked by tshark.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capture } from '../helpers/capture.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';

const FIELDS = ['ip.dst', 'sap.flags.t', 'sap.message_identifier_hash',
	'sdp.session_name', 'sdp.connection_info.address',
	'sdp.connection_info.ttl', 'sdp.media',
	'sdp.owner', '_ws.malformed'];

test('an output is announced, and withdrawn when it ends', async (t) => {
	const packets = await capture(t, 'lo', 'udp port 9875', FIELDS);
	const one = stream('a001', 'udp://127.0.0.1:5000', [
		'udp://lo@239.1.1.1:1234#sap&ttl=4',
		'rtp://lo@239.1.1.2:1236#sap=224.2.127.254&sap_interval=1',
		'udp://lo@239.1.1.3:1238']);
	const sluice = await Sluice.start(t, config({ ...one,
		name: 'News & more' }));
	const to = (group) => packets().filter((p) => p['ip.dst'] === group);

	await waitUntil('both', () => to('239.255.255.255').length > 0 &&
		to('224.2.127.254').length > 1, 15000);
	const [udp] = to('239.255.255.255');
	const [rtp, again] = to('224.2.127.254');

	assert.equal(udp['sdp.session_name'], 'News & more');
	assert.equal(udp['sdp.connection_info.address'], '239.1.1.1');
	assert.equal(udp['sdp.connection_info.ttl'], '4');
	assert.equal(udp['sdp.media'], 'video 1234 udp MP2T');
	assert.equal(rtp['sdp.connection_info.address'], '239.1.1.2');
	assert.equal(rtp['sdp.connection_info.ttl'], '32');
	assert.equal(rtp['sdp.media'], 'video 1236 RTP/AVP 33');
	assert.deepEqual(again, rtp);
	assert.notEqual(udp['sap.message_identifier_hash'],
		rtp['sap.message_identifier_hash']);

	const isGone = (p) => /^(1|True)$/.test(p['sap.flags.t']);

	assert.ok(!packets().some(isGone));
	await sluice.cmd('set-stream', { id: 'a001', stream: { ...one,
		name: 'News & more', output: [one.output[1]] } });
	await waitUntil('its end', () => to('239.255.255.255').some(isGone));
	const gone = to('239.255.255.255').find(isGone);

	assert.equal(gone['sap.message_identifier_hash'],
		udp['sap.message_identifier_hash']);
	assert.equal(gone['sdp.owner'], udp['sdp.owner']);
	await sluice.stop();
	await waitUntil('the end of all', () =>
		isGone(to('224.2.127.254').at(-1)));
	assert.ok(packets().every((p) => p['_ws.malformed'] === ''));
});
