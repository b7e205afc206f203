// SPDX-License-Identifier: GPL-3.0-or-later
// HTTP as bytes: exchanges that no valid client makes, and ambiguous requests.
import net from 'node:net';
import { now, sleep } from './util.mjs';

// Sends bytes (several pieces one after the other) and waits for the end.
export function exchange(t, port, ...pieces) {
	return new Promise((done) => {
		let got = '';
		const begin = now();
		const socket = net.connect(port, '127.0.0.1', async () => {
			for (const piece of pieces) {
				socket.write(piece);
				await sleep(5);
			}
		});
		t.after(() => socket.destroy());
		socket.setEncoding('latin1');
		socket.on('data', (data) => { got += data; });
		socket.on('error', () => {});
		socket.on('close', () => done({ got, ms: now() - begin,
			replies: [...got.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
				.map(([, status]) => Number(status)) }));
	});
}

// The name of the service in these requests.
export const NAMED = { control_hosts: ['x'] };
export const BODY = '{"cmd":"version"}';
export const post = (head, body = BODY) =>
	`POST /control/ HTTP/1.1\r\n${head}\r\n\r\n${body}`;
export const LENGTH = `Content-Length: ${BODY.length}`;

export const refused = {
	'a negative length': post('Host: x\r\nContent-Length: -5'),
	'length and chunks': post(`Host: x\r\n${LENGTH}\r\n` +
		'Transfer-Encoding: chunked', `11\r\n${BODY}\r\n0\r\n\r\n`),
	'two lengths': post(`Host: x\r\n${LENGTH}\r\nContent-Length: 3`),
	'the same length twice': post(`Host: x\r\n${LENGTH}\r\n${LENGTH}`),
	'a list of lengths': post('Host: x\r\nContent-Length: 17, 17'),
	'a signed length': post('Host: x\r\nContent-Length: +17'),
	'a hexadecimal length': post('Host: x\r\nContent-Length: 0x11'),
	'an empty length': post('Host: x\r\nContent-Length:'),
	'a length beyond all numbers':
		post('Host: x\r\nContent-Length: 18446744073709551617'),
	'a space before the colon': post('Host: x\r\nContent-Length : 17'),
	'a folded line': post(`Host: x\r\n${LENGTH}\r\nA: b\r\n c`),
	'a bare CR': post(`Host: x\r\nA:\rTransfer-Encoding: chunked`),
	'CR instead of the last LF':
		`POST /control/ HTTP/1.1\r\nHost: x\r\n${LENGTH}\r\n\rX${BODY}`,
	'bare LF': post(`Host: x\n${LENGTH}`),
	'only LF': `POST /control/ HTTP/1.1\nHost: x\n${LENGTH}\n\n${BODY}`,
	'a last chunk with a bare LF': post('Host: x\r\n' +
		'Transfer-Encoding: chunked', `11\r\n${BODY}\r\n0\n\r\n`),
	'an unknown transfer coding': post('Host: x\r\n' +
		'Transfer-Encoding: xchunked', `11\r\n${BODY}\r\n0\r\n\r\n`),
	'two transfer codings': post('Host: x\r\n' +
		'Transfer-Encoding: gzip, chunked'),
	'a chunk beyond all numbers': post('Host: x\r\n' +
		'Transfer-Encoding: chunked', `ffffffffffffffff1\r\n${BODY}`),
	'a chunk that is no number': post('Host: x\r\n' +
		'Transfer-Encoding: chunked', `zz\r\n${BODY}\r\n`),
	'a control byte in a value': post(`Host: x\r\n${LENGTH}\r\nA: b\u0001`),
	'NUL in a value': post(`Host: x\r\n${LENGTH}\r\nA: b\u0000`),
	'a control byte in a name': post(`Host: x\r\n${LENGTH}\r\nA\u0002: b`),
	'no Host': post(LENGTH),
	'two Hosts': post(`Host: x\r\nHost: x\r\n${LENGTH}`),
	'two X-Real-IPs': post(`Host: x\r\nX-Real-IP: 192.0.2.1\r\n` +
		`x-real-ip: 192.0.2.2\r\n${LENGTH}`),
	'two Authorizations': post('Host: x\r\nAuthorization: Basic YTpi\r\n' +
		`Authorization: Basic YTpj\r\n${LENGTH}`),
	'two Cookies': post(`Host: x\r\nCookie: a=b\r\nCookie: c=d\r\n${
		LENGTH}`),
	'two Origins': post('Host: x\r\nOrigin: http://x\r\n' +
		`Origin: http://y\r\n${LENGTH}`),
	'two Sec-Fetch-Sites': post('Host: x\r\nSec-Fetch-Site: same-origin' +
		`\r\nSec-Fetch-Site: cross-site\r\n${LENGTH}`),
	'a space in the path':
		`GET /api/config x HTTP/1.1\r\nHost: x\r\n\r\n`,
	'a tab behind the method':
		`GET\t/api/config HTTP/1.1\r\nHost: x\r\n\r\n`,
	'no version': 'GET /api/config\r\nHost: x\r\n\r\n',
	'another protocol': 'GET /api/config RTSP/1.0\r\nHost: x\r\n\r\n',
	'an encoded slash': 'GET /api%2fconfig HTTP/1.1\r\nHost: x\r\n\r\n',
	'an encoded NUL': 'GET /api/config%00 HTTP/1.1\r\nHost: x\r\n\r\n',
	'half an escape': 'GET /api/config%2 HTTP/1.1\r\nHost: x\r\n\r\n',
	'TLS': Buffer.from('16030100a5010000a10303', 'hex'),
	'nonsense': '\u0000\u0001\u0002\r\n\r\n',
};
