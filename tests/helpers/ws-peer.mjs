// SPDX-License-Identifier: GPL-3.0-or-later
// The WebSocket client of Node.js itself: lines of JSON are its orders, and it
// prints received messages as lines of JSON.  It cannot send pings, pieces and
// bad text.
//
//	usage: node [--experimental-websocket] ws-peer.mjs URL
import process from 'node:process';
import readline from 'node:readline';

const say = (what) => console.log(JSON.stringify(what));
const ws = new WebSocket(process.argv[2]);

ws.onopen = () => say({ open: true });
ws.onmessage = ({ data }) => say({ text: data });
ws.onclose = ({ code }) => {
	say({ closed: code });
	process.exit();
};
readline.createInterface({ input: process.stdin }).on('line', (line) => {
	const what = JSON.parse(line);

	if ('text' in what)
		ws.send(what.text);
	else if ('binary' in what)
		ws.send(new Uint8Array(what.binary));
	else if ('close' in what)
		ws.close(what.close);
});
