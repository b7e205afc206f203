// SPDX-License-Identifier: GPL-3.0-or-later
// The judges of XMLTV: that of its own project (DTD, times, channels, texts),
// as tv_validate_file calls it, xmllint with the same DTD, and the parser of a
// player (@iptv/xmltv of npm).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { npmParser, run, tempDir } from './util.mjs';

const DTD = '/usr/share/sgml/xmltv/dtd/0.5/xmltv.dtd';

// The document as the parser reads it, which resolves no entities; undefined:
// there is no parser.
function parse(t, xml) {
	const parser = npmParser(t, '@iptv/xmltv');

	if (parser === undefined)
		return undefined;
	const { channels, programmes } = parser.parseXmltv(xml);
	const ids = channels.map(({ id }) => id);

	assert.equal(channels.length, xml.match(/<channel /g)?.length ?? 0);
	assert.equal(programmes.length,
		xml.match(/<programme /g)?.length ?? 0);
	for (const one of programmes) {
		assert.ok(ids.includes(one.channel), JSON.stringify(one));
		assert.ok(one.start < one.stop, JSON.stringify(one));
		assert.notEqual(one.title[0]._value, '');
	}
	return { channels, programmes };
}

// Returns what parse() does.
export async function judge(t, xml) {
	const file = path.join(tempDir(t), 'epg.xml');

	fs.writeFileSync(file, xml);
	const { out, err } = await run('perl', [
		'-MXMLTV::ValidateFile=LoadDtd,ValidateFile', '-e',
		`LoadDtd("${DTD}");
		print join(",", ValidateFile($ARGV[0])), "\\n";`, file]);
	assert.equal(err + out, '\n');
	const second = await run('xmllint', ['--noout', '--nonet',
		'--nowarning', '--dtdvalid', DTD, file]);
	assert.equal(second.err + second.out, '');
	return parse(t, xml.toString());
}
