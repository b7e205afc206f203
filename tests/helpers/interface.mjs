// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the tests of interfaces.
import { ip, isJoined, pair } from './net.mjs';

export const TO = { address: '239.1.0.1', iface: '10.9.3.1' };
export const joinedOn = (name) => isJoined(TO.address, name);

export async function make() {
	await pair(undefined, 'vc', 'vd');
	await ip('addr', 'add', '10.9.3.1/24', 'dev', 'vc');
}
