// SPDX-License-Identifier: GPL-3.0-or-later
// satip-servers: SAT>IP servers on the network are found and listed; a host
// that answers wrongly leads to no other host and evicts no other server.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import { Ctl } from '../helpers/ctl.mjs';
import { ip, pair, tool } from '../helpers/net.mjs';
import { Sluice, config, sanitized } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { always, waitUntil } from '../helpers/util.mjs';

const GROUPS = ['239.255.255.250', 'ff02::c', 'ff05::c'], PORT = 1900;
const TYPE = 'urn:ses-com:device:SatIPServer:1';
const FLOOD = 10000;
const WIRE = 'wire'; // of hosts with IPv6

const describe = (name, more = '', before = '') =>
	`<?xml version="1.0"?>${before}<root><device>` +
	`<deviceType>${TYPE}</deviceType><friendlyName>${name}</friendlyName>` +
	`${more}</device></root>`;

// A host on the network: it answers searches and sends notifications.
class Host {
	searches = 0;
	searched = new Set(); // groups
	requests = []; // their paths
	silent = false; // does not answer searches

	// answer: a function of http.Server; null: no port is open.
	static async start(t, address, answer, { uuid = `u-${address}`,
		location } = {}) {
		const self = new Host();

		self.address = address;
		self.v6 = address.includes(':');
		self.uuid = uuid;
		self.port = 1024;
		if (answer)
			await self.#serve(t, answer);
		self.location = location ?? `http://${self.v6 ? `[${address}]`
			: address}:${self.port}/desc.xml`;
		self.socket = dgram.createSocket(self.v6 ? 'udp6' : 'udp4');
		await new Promise((done) => self.socket.bind(0, address, done));
		self.socket.setMulticastInterface(self.v6
			? `::%${WIRE}` : address);
		self.socket.on('error', () => {});
		t.after(() => self.socket.close());
		for (const group of GROUPS)
			if (group.includes(':') === self.v6)
				await self.#listen(t, group);
		return self;
	}

	async #serve(t, answer) {
		const server = http.createServer((request, response) => {
			this.requests.push(request.url);
			response.on('error', () => {});
			answer(request, response);
		});

		await new Promise((done) =>
			server.listen(0, this.address, done));
		this.port = server.address().port;
		t.after(() => {
			server.close();
			server.closeAllConnections();
		});
	}

	async #listen(t, group) {
		const ears = dgram.createSocket({ reuseAddr: true,
			type: this.v6 ? 'udp6' : 'udp4' });
		const host = this.v6 ? `[${group.toUpperCase()}]` : group;

		await new Promise((done) => ears.bind(PORT,
			this.v6 ? `${group}%${WIRE}` : group, done));
		ears.addMembership(group, this.v6 ? `::%${WIRE}` : '127.0.0.1');
		ears.on('message', (bytes, from) => {
			if (!/^M-SEARCH \* HTTP\/1\.1\r\n/.test(bytes) ||
			    !bytes.includes(`\r\nHOST: ${host}:${PORT}\r\n`) ||
			    !bytes.includes(`\r\nST: ${TYPE}\r\n`))
				return;
			this.searches++;
			this.searched.add(group);
			if (!this.silent)
				this.socket.send(this.#message(
					'HTTP/1.1 200 OK', 'ST'),
				from.port, from.address);
		});
		t.after(() => ears.close());
	}

	#message(line, type, more = '', uuid = this.uuid) {
		return `${line}\r\nCACHE-CONTROL: max-age=1800\r\n` +
			`LOCATION: ${this.location}\r\n${type}: ${TYPE}\r\n` +
			`USN: uuid:${uuid}::${TYPE}\r\n${more}\r\n`;
	}

	notify(state, uuid, group = this.v6 ? GROUPS[2] : GROUPS[0]) {
		return new Promise((done) => this.socket.send(this.#message(
			'NOTIFY * HTTP/1.1', 'NT', `NTS: ssdp:${state}\r\n`,
			uuid), PORT, group, done));
	}
}

const text = (body) => (request, response) => response.end(body);

// The servers by address, when probe accepts them.
function listed(sluice, what, probe) {
	return waitUntil(what, async () => {
		const reply = await sluice.json('/api/satip-servers');
		const by = new Map(reply.servers.map((one) =>
			[one.server, one]));

		if (!probe(by, reply))
			throw new Error(JSON.stringify(reply).slice(0, 2000));
		return by;
	}, 20000);
}

// The host leaves: an answer to a search that is on its way lists it once more.
function leave(sluice, host, isGone, group) {
	host.silent = true;
	return listed(sluice, `the end of ${host.address}`, (all) => {
		if (isGone(all))
			return true;
		host.notify('byebye', undefined, group);
		return false;
	});
}

// Begins to search; the process that does, when its search has arrived.
async function search(sluice, host) {
	await sluice.json('/api/satip-servers');
	await waitUntil('the search', () => host.searches > 0);
	return sluice.worker('scan').pid;
}

const memory = (pid) => Number(/RssAnon:\s+(\d+)/
	.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

test('a server that answers a search is listed until it leaves', async (t) => {
	const timing = new Timing(t);
	const host = await Host.start(t, '127.0.0.2', (request, response) => {
		assert.equal(request.url, '/desc.xml');
		response.setHeader('X-SATIP-RTSP-Port', '8554');
		response.end(describe('Dach &amp; Keller',
			'<manufacturer>Example</manufacturer>' +
			'<modelName>S2-4</modelName><satip:X_SATIPCAP ' +
			'xmlns:satip="urn:ses-com:satip">DVBS2-4,DVBT2-2' +
			'</satip:X_SATIPCAP>' +
			'<satip:X_SATIPM3U xmlns:satip="urn:ses-com:satip">' +
			'/list.m3u</satip:X_SATIPM3U>'));
	});
	const sluice = await Sluice.start(t, config());
	const scan = await search(sluice, host);
	const found = (await listed(sluice, 'the server', (all) =>
		all.size === 1)).get('127.0.0.2:8554');

	assert.deepEqual({ ...found, heard: 0 }, { server: '127.0.0.2:8554',
		iface: 'lo', uuid: host.uuid, heard: 0, name: 'Dach & Keller',
		manufacturer: 'Example', model: 'S2-4',
		channels: `http://127.0.0.2:${host.port}/list.m3u`,
		frontends: { S2: 4, T2: 2 } });
	assert.ok(Math.abs(found.heard - Date.now() / 1000) < 60);
	assert.match(fs.readFileSync(`/proc/${scan}/status`, 'utf8'),
		/^CapEff:\s+0+$/m);
	timing.assert(host.requests.length === 1, host.requests.join());
	const table = await new Ctl(t, `http://127.0.0.1:${sluice.port}`)
		.out(['satip']);

	assert.match(table, /^127\.0\.0\.2:8554 +Dach & Keller +Example S2/m);
	assert.match(table, / S2: 4, T2: 2 /);
	await leave(sluice, host, (all) => all.size === 0);
	await host.notify('alive');
	await listed(sluice, 'its return', (all) => all.size === 1);
	assert.equal(sluice.worker('scan').pid, scan);
	await sluice.stop();
});

test('a server is found by IPv6 in both groups', async (t) => {
	// the loopback interface has no route for groups of IPv6
	await pair(t, WIRE, 'wire-end');
	await ip('addr', 'add', 'fd00:9::2/64', 'dev', WIRE, 'nodad');
	const host = await Host.start(t, 'fd00:9::2', text(describe('six')));
	const sluice = await Sluice.start(t, config());

	await search(sluice, host);
	const found = await listed(sluice, 'the server', (all) =>
		all.size === 1);

	assert.equal(found.get('[fd00:9::2]').name, 'six');
	await waitUntil('searches of both groups', () =>
		host.searched.size === 2);
	for (const group of GROUPS.slice(1)) {
		await leave(sluice, host, (all) => all.size === 0, group);
		await host.notify('alive', undefined, group);
		await listed(sluice, `its return, ${group}`, (all) =>
			all.size === 1);
	}
	await sluice.stop();
});

test('one refused group does not hide the other, nor a late address',
	async (t) => {
		await pair(t, WIRE, 'wire-end');
		await tool('nft', 'add table inet refuse; add chain inet ' +
			'refuse out { type filter hook output priority 0; }; ' +
			'add rule inet refuse out ip6 daddr ff05::c drop');
		t.after(() => tool('nft', 'delete table inet refuse'));
		const near = await Host.start(t, '127.0.0.2',
			text(describe('near')));
		const sluice = await Sluice.start(t, config());

		await search(sluice, near);
		await waitUntil('the searches of a period', () =>
			near.searches === 3);
		await ip('addr', 'add', 'fd00:9::2/64', 'dev', WIRE, 'nodad');
		await Host.start(t, 'fd00:9::2', text(describe('six')));
		await listed(sluice, 'the server', (all, { error }) =>
			all.get('[fd00:9::2]')?.name === 'six' &&
			/^cannot send .* ff05::c .*wire: Operation not perm/
				.test(error));
		assert.equal(near.searches, 3, 'before the next period');
		await sluice.stop();
	});

test('a host that answers wrongly leads nowhere', async (t) => {
	const other = await Host.start(t, '127.0.0.9', text(''));
	const { port } = other;
	const endless = (head) => (request, response) => {
		const more = () => {
			while (response.write('x'.repeat(4096)))
				;
		};

		if (head) {
			request.socket.write('HTTP/1.1 200 OK\r\n');
			request.socket.write(`A: ${'x'.repeat(900)}\r\n`
				.repeat(100));
			return;
		}
		response.on('drain', more);
		more();
	};
	const cases = [
		['127.0.0.11', endless(false), /is longer than 65536 bytes$/],
		['127.0.0.12', endless(true), /is longer than 65536 bytes$/],
		['127.0.0.13', text(describe('&b;', '', '<!DOCTYPE root [' +
			`<!ENTITY a "${'a'.repeat(1000)}"><!ENTITY b "` +
			`${'&a;'.repeat(1000)}">]>`)),
			/line 1: DOCTYPE has declarations: they are refused$/],
		['127.0.0.14', (request, response) => {
			response.writeHead(302, { Location:
				`http://127.0.0.9:${port}/r` }).end();
		}, /the server answers 302$/],
		['127.0.0.15', null, /connect: Connection refused$/],
		['127.0.0.16', text('hello'), /line 1: /],
		['127.0.0.17', text('<root><device><deviceType>a</deviceType>' +
			'</device></root>'), /"a" is no SAT>IP server$/],
		['127.0.0.18', () => {}, /did not answer in time$/],
	];
	const hosts = [];

	for (const [address, answer] of cases)
		hosts.push(await Host.start(t, address, answer));
	await Host.start(t, '127.0.0.10', text(describe('lies')),
		{ location: `http://127.0.0.9:${port}/lie` });
	const sluice = await Sluice.start(t, config());
	const scan = await search(sluice, other);
	const done = await listed(sluice, 'all', (all, reply) =>
		cases.every(([address, , note]) =>
			note.test(all.get(address)?.note)) &&
		/127\.0\.0\.10 on lo: LOCATION: leads to another host than /
			.test(reply.error));

	assert.ok(!done.has('127.0.0.10'));
	assert.ok([...done.values()].every((one) => one.name === undefined));
	// a byebye of another host with the same uuid
	await other.notify('byebye', hosts[0].uuid);
	await leave(sluice, hosts[1], (all) => !all.has('127.0.0.12'));
	assert.ok((await sluice.json('/api/satip-servers')).servers
		.some((one) => one.server === '127.0.0.11'));
	assert.deepEqual(other.requests.filter((path) =>
		path !== '/desc.xml'), [], 'its own description alone');
	assert.equal(sluice.worker('scan').pid, scan);
	// the end of the worker is reported, and another one searches
	process.kill(scan, 'SIGSEGV');
	await listed(sluice, 'the next one', (all, reply) =>
		all.has('127.0.0.15') && sluice.worker('scan') &&
		sluice.worker('scan').pid !== scan);
});

test('10,000 answers of a host take few places and little memory',
	async (t) => {
		const [flood, good, twin] = await Promise.all([
			Host.start(t, '127.0.0.2', text(describe('flood'))),
			Host.start(t, '127.0.0.3', text(describe('good')),
				{ uuid: 'same' }),
			Host.start(t, '127.0.0.4', text(describe('twin')),
				{ uuid: 'same' })]);
		const sluice = await Sluice.start(t, config());
		const scan = await search(sluice, good);

		for (let sent = 0; sent < FLOOD;) {
			const some = [];

			for (let i = 0; i < 500; i++)
				some.push(flood.notify('alive', `f${sent++}`));
			await Promise.all(some);
		}
		await waitUntil('good ones beside the flood', async () => {
			await Promise.all([good.notify('alive'),
				twin.notify('alive'),
				flood.notify('alive', 'one-more')]);
			const { servers, error } =
				await sluice.json('/api/satip-servers');
			const named = (name) => servers.filter((one) =>
				one.name === name).length;

			always(() => assert.ok(servers.length <= 6));
			return named('good') === 1 && named('twin') === 1 &&
				named('flood') === 4 &&
				/table full/.test(error);
		}, 20000);
		assert.equal(sluice.worker('scan').pid, scan, 'the same');
		t.diagnostic(`scan: ${memory(scan)} KiB`);
		if (!sanitized)
			assert.ok(memory(scan) < 16 * 1024);
	});
