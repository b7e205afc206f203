// SPDX-License-Identifier: GPL-3.0-or-later
// A reverse proxy with a prefix, as nginx would be in front of the service: it
// passes requests and WebSockets, over TLS on its own side.
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

// The header lines as they came.
const headersOf = ({ rawHeaders }) => rawHeaders.map((part, i) =>
	part + (i % 2 ? '\r\n' : ': ')).join('');

// prefix: "/tv/"; cert: as certificate() makes it, read from its files.
export async function startProxy(t, { to, prefix, key, chain }) {
	const strip = (url) => url.startsWith(prefix) ?
		`/${url.slice(prefix.length)}` : null;
	const server = https.createServer({ key, cert: chain },
		(request, reply) => {
			const path = strip(request.url);

			if (path === null) {
				reply.writeHead(404).end();
				return;
			}
			const { method, headers } = request;
			const call = http.request({ host: '127.0.0.1', port: to,
				path, method, headers }, (answer) => {
				reply.writeHead(answer.statusCode,
					answer.headers);
				answer.pipe(reply);
			});

			call.on('error', () => reply.destroy());
			reply.on('close', () => call.destroy());
			request.pipe(call);
		});

	server.on('upgrade', (request, socket, head) => {
		const path = strip(request.url);
		const other = net.connect(to, '127.0.0.1', () => {
			other.write(`GET ${path} HTTP/1.1\r\n${headersOf(
				request)}\r\n`);
			other.write(head);
			other.pipe(socket).pipe(other);
		});

		for (const end of [socket, other])
			end.on('error', () => {
				socket.destroy();
				other.destroy();
			});
	});
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return server.address().port;
}
