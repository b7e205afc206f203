// SPDX-License-Identifier: GPL-3.0-or-later
// The judges of XMLTV: that of its own project (DTD, times, channels, texts),
// as tv_validate_file calls it, and xmllint with the same DTD.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { run, tempDir } from './util.mjs';

const DTD = '/usr/share/sgml/xmltv/dtd/0.5/xmltv.dtd';

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
}
