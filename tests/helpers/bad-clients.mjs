// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Clients that harm a server on purpose or by their faults, in a process of
 * their own, so that they delay no checker:
 *
 *	node bad-clients.mjs ATTACK '{"port":8100,...}'
 *
 * Prints "ready" when the attack is complete, keeps its connections until stdin
 * ends, and prints its findings as JSON.
 */
import net from 'node:net';
import { once } from 'node:events';
import process from 'node:process';
import tls from 'node:tls';
import { pathToFileURL } from 'node:url';
import { sleep, waitUntil } from './util.mjs';

const PARALLEL = 100;

export const get = (path, more = '') =>
	`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`;

export const statuses = (got) => [...got.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
	.map(([, status]) => Number(status));

// A connection; got: its first bytes.  options: of net.connect().
function open(port, options = {}) {
	const socket = net.connect({ port, host: '127.0.0.1', ...options });

	socket.got = '';
	socket.on('error', () => {});
	socket.on('data', (data) => {
		if (socket.got.length < 65536)
			socket.got += data.toString('latin1');
	});
	return socket;
}

const connected = (socket) => socket.connecting ?
	Promise.race([once(socket, 'connect'), once(socket, 'close')])
		.catch(() => {}) : undefined;

// Calls one(i) for each i below n, some at a time.
async function each(n, one) {
	let next = 0;

	await Promise.all(Array.from({ length: Math.min(n, PARALLEL) },
		async () => {
			while (next < n)
				await one(next++);
		}));
}

// Sends the pieces one by one and returns what comes until the end.
export async function say(port, pieces, { enough = () => false } = {}) {
	const socket = open(port);

	socket.setNoDelay();
	await connected(socket);
	for (const piece of [pieces].flat()) {
		socket.write(piece);
		if (Array.isArray(pieces))
			await new Promise(setImmediate);
	}
	await waitUntil('the end of an answer', () => socket.closed ||
		enough(socket.got), 30000);
	socket.destroy();
	return socket.got;
}

// The handshake message of a client.
async function clientHello() {
	const server = net.createServer();

	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const client = tls.connect({ port: server.address().port,
		host: '127.0.0.1' });

	client.on('error', () => {});
	const [socket] = await once(server, 'connection');
	const [hello] = await once(socket, 'data');

	client.destroy();
	socket.destroy();
	server.close();
	return hello;
}

const gone = (sockets) => sockets.filter(({ closed }) => closed).length;

export const attacks = {
	// heads that never end, a line a second
	async slowHeads({ port, n, path = '/a' }) {
		const sockets = [];

		await each(n, async () => {
			const socket = open(port);

			sockets.push(socket);
			await connected(socket);
			socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n`);
		});
		const drip = setInterval(() => sockets.forEach((socket) =>
			!socket.closed && socket.write('A: b\r\n')),
		1000);

		return { sockets, end: () => {
			clearInterval(drip);
			return { closed: gone(sockets) };
		} };
	},

	// bodies that never end, a byte a second
	async slowBodies({ port, n, path }) {
		const sockets = [];

		await each(n, async () => {
			const socket = open(port);

			sockets.push(socket);
			await connected(socket);
			socket.write(`POST ${path} HTTP/1.1\r\n` +
				'Host: 127.0.0.1\r\nContent-Length: 8000\r\n' +
				'\r\n');
		});
		const drip = setInterval(() => sockets.forEach((socket) =>
			!socket.closed && socket.write('x')), 1000);

		return { sockets, end: () => clearInterval(drip) };
	},

	// answers that nobody reads
	async slowReaders({ port, n, path, ahead = 1 }) {
		const sockets = [];

		await each(n, async () => {
			const socket = open(port);

			sockets.push(socket);
			socket.pause();
			await connected(socket);
			socket.write(get(path).repeat(ahead));
		});
		return { sockets };
	},

	// nothing at all; or nothing more, after half a request
	async silence({ port, n, path = '/a' }) {
		const sockets = [];

		await each(n, async (i) => {
			const socket = open(port, { allowHalfOpen: true });

			sockets.push(socket);
			await connected(socket);
			if (i % 3 > 0)
				socket.write(get(path).slice(0, 9));
			if (i % 3 > 1)
				socket.end();
		});
		return { sockets };
	},

	async flood({ port, n, path }) {
		await each(n, async (i) => {
			const socket = open(port);

			await connected(socket);
			if (i % 2)
				socket.write(get(path));
			socket.destroy();
		});
		return { sockets: [] };
	},

	// resets after each byte of a request, and after some of the answer
	async resets({ port, path, tlsPort }) {
		const request = get(path, 'Connection: close\r\n');
		const hello = tlsPort ? await clientHello() : Buffer.alloc(0);

		await each(request.length + 1, async (i) => {
			const socket = open(port);

			await connected(socket);
			socket.write(request.slice(0, i));
			await new Promise(setImmediate);
			socket.resetAndDestroy();
		});
		await each(60, async (i) => {
			const socket = open(port);

			socket.write(request);
			await waitUntil('bytes', () => socket.closed ||
				socket.bytesRead > i * i * 50);
			socket.resetAndDestroy();
		});
		await each(Math.ceil(hello.length / 16), async (i) => {
			const socket = open(tlsPort);

			await connected(socket);
			socket.write(hello.subarray(0, 16 * i + 1));
			await new Promise(setImmediate);
			socket.resetAndDestroy();
		});
		if (tlsPort)
			await each(60, async (i) => {
				const socket = open(tlsPort);
				const secure = tls.connect({ socket,
					rejectUnauthorized: false });

				secure.on('error', () => {});
				if (i % 4 > 0)
					await Promise.race([once(secure,
						'secureConnect'),
					once(secure, 'close')]).catch(() => {});
				if (i % 4 > 1)
					secure.write(request.slice(0, 3 * i));
				if (i % 4 > 2) {
					secure.write(request.slice(3 * i));
					await sleep(i);
				}
				socket.resetAndDestroy();
			});
		return { sockets: [] };
	},

	// connections that had an answer and stay
	async idle({ port, n, path }) {
		const sockets = [];

		await each(n, async () => {
			const socket = open(port);

			sockets.push(socket);
			socket.write(get(path));
			await waitUntil('an answer', () => socket.closed ||
				socket.got.includes('\r\n\r\n'), 30000);
		});
		return { sockets, end: () => ({ closed: gone(sockets),
			served: sockets.filter(({ got }) =>
				statuses(got)[0] === 200).length }) };
	},

	async idleTls({ port, n, path }) {
		const sockets = [];

		await each(n, async () => {
			const socket = tls.connect({ port, host: '127.0.0.1',
				rejectUnauthorized: false });

			sockets.push(socket);
			socket.got = '';
			socket.on('error', () => {});
			socket.on('data', (data) => {
				socket.got += data.toString('latin1');
			});
			socket.write(get(path));
			await waitUntil('an answer', () => socket.closed ||
				socket.got.includes('\r\n\r\n'), 30000);
		});
		return { sockets, end: () => ({ closed: gone(sockets),
			served: sockets.filter(({ got }) =>
				statuses(got)[0] === 200).length }) };
	},

	// requests without a pause; each has an answer
	async pipeline({ port, n, path }) {
		const socket = open(port);
		let answers = 0, last = '';

		socket.removeAllListeners('data');
		socket.on('data', (data) => {
			const text = last + data.toString('latin1');

			answers += statuses(text).length;
			last = text.slice(-12);
			if (statuses(last).length > 0)
				last = '';
		});
		await connected(socket);
		socket.write(get(path).repeat(n - 1) +
			get(path, 'Connection: close\r\n'));
		await waitUntil('the end', () => socket.closed, 60000);
		return { sockets: [], end: () => ({ answers }) };
	},
};

async function main([attack, options]) {
	const { sockets, end = () => ({}) } = await attacks[attack](
		JSON.parse(options));

	console.log('ready');
	process.stdin.resume();
	await once(process.stdin, 'end');
	console.log(JSON.stringify(await end() ?? {}));
	sockets.forEach((socket) => socket.destroy());
	process.exit(0);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
	await main(process.argv.slice(2));
