// SPDX-License-Identifier: GPL-3.0-or-later
// A container with systemd as its first process, on a copy of the files of this
// machine that keeps no change.
import fs from 'node:fs';
import path from 'node:path';
import { builddir, run, tempDir } from './util.mjs';

const UNIT = `[Unit]
DefaultDependencies=no
Requires=sysinit.target dbus.socket
After=sysinit.target dbus.socket
[Service]
Type=oneshot
StandardOutput=append:/run/result/out
StandardError=inherit
ExecStart=/bin/bash -e /run/result/steps
ExecStopPost=/bin/sh -c 'echo "$EXIT_STATUS" > /run/result/code'
ExecStopPost=/bin/sh -c "systemctl -f -f poweroff > /dev/null 2>&1"
`;

// Groups of processes as Debian has them; the first process of the test may
// have others.
const CGROUPS = '/sys/fs/cgroup';

async function must(program, args, options = {}) {
	const { code, out, err } = await run(program, args, options);

	if (code !== 0)
		throw new Error(`${program} ${args.join(' ')}: ${out}${err}`);
}

export class Container {
	// Throws where this machine cannot run it.
	static async make(t) {
		const self = new Container();

		self.dir = tempDir(t);
		self.root = path.join(self.dir, 'root');
		self.result = path.join(self.dir, 'result');
		await must('systemd-nspawn', ['--version']);
		await must('mount', ['-t', 'tmpfs', 'none', self.dir]);
		for (const name of ['root', 'result', 'up', 'work'])
			fs.mkdirSync(path.join(self.dir, name));
		await must('mount', ['-t', 'overlay', 'overlay', '-o',
			`lowerdir=/,upperdir=${self.dir}/up,` +
			`workdir=${self.dir}/work`, self.root]);
		if (!fs.existsSync(`${CGROUPS}/cgroup.procs`))
			await must('mount', ['-t', 'cgroup2', 'none', CGROUPS]);
		return self;
	}

	// A file or folder of this machine that the container has, too.
	write(name, content, mode = 0o644) {
		const file = path.join(this.root, name);

		fs.mkdirSync(path.dirname(file), { recursive: true });
		fs.writeFileSync(file, content, { mode });
		fs.chmodSync(file, mode);
	}

	copy(from, to) {
		const file = path.join(this.root, to);

		fs.mkdirSync(path.dirname(file), { recursive: true });
		fs.copyFileSync(from, file);
	}

	// What make install puts there.
	async install() {
		const env = { ...process.env };

		delete env.MAKEFLAGS;
		delete env.MFLAGS;
		await must('make', ['-s', '-C', builddir, 'install',
			`DESTDIR=${this.root}`], { env });
	}

	// Runs the script as root: { code, out }; code is NaN when systemd did
	// not come so far, and out is what it printed.
	async run(script) {
		fs.writeFileSync(path.join(this.result, 'steps'), script);
		this.write('/etc/systemd/system/steps.service', UNIT);
		const { out, err } = await run('systemd-nspawn', ['-D',
			this.root, '--register=no', '--keep-unit',
			'--private-network', '--machine=sluice-test',
			'--system-call-filter=landlock_create_ruleset ' +
				'landlock_add_rule landlock_restrict_self',
			`--bind=${this.result}:/run/result`, '--boot',
			'systemd.unit=steps.service'], { timeout: 300000 });
		const read = (name) => fs.readFileSync(
			path.join(this.result, name), 'utf8');

		try {
			return { code: Number(read('code')), out: read('out') };
		} catch {
			return { code: NaN, out: out + err };
		}
	}
}
