// SPDX-License-Identifier: GPL-3.0-or-later
// Random commands, the same for the same seed; most of them make sense.
import assert from 'node:assert/strict';

// mulberry32: the same numbers everywhere
function random(seed) {
	return () => {
		seed = (seed + 0x6d2b79f5) | 0;
		let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

// Commands of which most make sense, for the configuration as it is.
export class Generator {
	constructor(seed) { this.random = random(seed); }

	below(n) { return Math.floor(this.random() * n); }
	chance(p) { return this.random() < p; }
	pick(list) { return list[this.below(list.length)]; }
	maybe(p, object) { return this.chance(p) ? object : {}; }
	gid() { return this.maybe(0.2, { gid: 466560 + this.below(1000) }); }
	// an id of the list, or of a few that may not exist
	id(list) {
		return this.chance(0.8) && list?.length ?
			this.pick(list).id : this.pick(['x', 'y', 'z']);
	}

	next(doc) {
		const { cmd, ...rest } = this.pick([this.stream, this.stream,
			this.stream, this.softcam, this.cas, this.adapter,
			this.category, this.category, this.category,
			this.user, this.user, this.server, this.section])
			.call(this, doc);
		return { cmd, ...rest };
	}

	address(doc) {
		return `dvb://${this.id(doc.dvb_tune)}` + this.pick(['',
			'#pnr=1',
			`#cam=${this.id(doc.softcam)}`,
			`#pnr=2&cam=${this.id(doc.softcam)}&id=k`]);
	}

	stream(doc) {
		const id = this.id(doc.make_stream);

		if (this.chance(0.2))
			return { cmd: 'set-stream', id, ...this.gid(),
				stream: { remove: true } };
		if (this.chance(0.15))
			return { cmd: 'toggle-stream', id };
		const groups = {};
		for (const category of doc.categories ?? [])
			if (this.chance(0.6))
				groups[category.name] = this.pick(
					category.groups)?.name ?? 'none';
		return { cmd: 'set-stream', ...this.gid(),
			...this.maybe(0.7, { id }), stream: {
				...this.maybe(0.5, { id: this.chance(0.7) ? id :
					this.pick(['p', 'q', 'r']) }),
				name: this.pick(['One', 'Два']),
				type: this.pick(['spts', 'spts', 'mpts']),
				enable: this.chance(0.5),
				input: Array.from({ length: this.below(3) },
					() => this.address(doc)),
				groups, ...this.maybe(0.2, { other: null }),
				...this.maybe(0.3, { sdt_version:
					this.below(32) }) } };
	}

	softcam(doc) {
		const id = this.id(doc.softcam);
		const softcam = { id: this.chance(0.6) ? id :
			this.pick(['s', 't', 'u']), name: 'S', type: 'newcamd',
		host: 'h', port: 1 + this.below(9), user: 'u', pass: 'p' };

		if (this.chance(0.1))
			delete softcam[this.pick(Object.keys(softcam))];
		return { cmd: 'set-softcam', ...this.maybe(0.6, { id }),
			...this.gid(), ...this.maybe(0.95, { softcam:
				this.chance(0.2) ? { remove: true } :
					softcam }) };
	}

	cas(doc) {
		const id = this.id(doc.cas);

		return { cmd: 'set-cas', ...this.maybe(0.6, { id }),
			...this.gid(), ...this.maybe(0.95, { cas:
				this.chance(0.2) ? { remove: true } :
					{ id: this.chance(0.6) ? id : 'new',
						ecmg_port: this.below(9) } }) };
	}

	adapter(doc) {
		const id = this.id(doc.dvb_tune);

		if (this.chance(0.15))
			return { cmd: 'set-adapter', id, ...this.gid(),
				adapter: { remove: true } };
		if (this.chance(0.15))
			return { cmd: 'toggle-adapter', id };
		return { cmd: 'set-adapter', ...this.maybe(0.7, { id }),
			...this.gid(), adapter: { type: 'S2', enable: true,
				...this.maybe(0.5, { id: this.chance(0.6) ? id :
					this.pick(['d', 'e', 'f']) }) } };
	}

	name() {
		return this.pick(['A', 'B', 'C', 'Новости', 'أخبار', 'x y',
			' bad', 'b,d', 'e'.repeat(64), 'e'.repeat(65), '']);
	}

	category(doc) {
		const n = doc.categories?.length ?? 0;
		const id = this.chance(0.9) && n ? this.below(n) : n + 3;
		const known = doc.categories?.[id];

		if (this.chance(0.15))
			return { cmd: 'set-category',
				...this.maybe(0.9, { id }),
				...this.maybe(0.5, { force: true }),
				category: { remove: true } };
		const groups = (known && this.chance(0.5) ? known.groups : [])
			.map((group) => this.chance(0.1) ? { remove: true } :
				this.chance(0.2) ? { name: this.name() } :
					group);
		while (this.chance(0.4))
			groups.push({ name: this.name() });
		const names = groups.filter((g) => !g.remove)
			.map((g) => g.name);
		return { cmd: 'set-category',
			...this.maybe(n ? 0.6 : 0, { id }),
			category: { name: known && this.chance(0.5) ?
				known.name : this.name(),
			...this.maybe(0.9, { groups }) },
			...this.maybe(0.2, { reorder: this.chance(0.8) ?
				[...names].reverse() :
				['A'] }) };
	}

	user(doc) {
		const logins = Object.keys(doc.users ?? {});
		const id = this.chance(0.7) && logins.length ?
			this.pick(logins) :
			this.pick(['vera', 'Ёжик', 'a b', '']);
		const packages = (doc.categories ?? []).map((c) => c.name)
			.filter(() => this.chance(0.6));

		if (this.chance(0.15))
			return { cmd: 'set-user', id, user: { remove: true } };
		if (this.chance(0.2))
			return { cmd: 'toggle-user', id };
		return { cmd: 'set-user', ...this.maybe(0.95, { id }),
			...this.maybe(0.95, { user: {
				type: 1 + this.below(this.chance(0.1) ? 5 : 3),
				...this.maybe(0.95, { enable:
					this.chance(0.7) }),
				...this.maybe(0.5, { packages }),
				...this.maybe(0.1, { password: `p${
					this.below(9)}` }),
				...this.maybe(0.2, { password: '' }),
				...this.maybe(0.2, { cipher: 'mine' }),
				...this.maybe(0.2, { comment: null }),
				...this.maybe(0.3, { conlimit: '2', ip:
					'192.0.2.1', token: 't', expire:
					this.below(2 ** 31) }),
				...this.maybe(0.1, { created:
					this.below(9) }) } }) };
	}

	server(doc) {
		const id = this.below((doc.servers?.length ?? 0) + 1);
		const server = this.chance(0.3) ? { remove: true } :
			{ type: 'streamer', host: `h${this.below(9)}` };

		return { cmd: 'set-server', ...this.maybe(0.6, { id }),
			...this.maybe(0.95, { server }) };
	}

	settings(doc) {
		return { ...this.maybe(0.7, { instance_name:
			this.pick(['x', 'Ёж']) }),
		...this.maybe(0.7, { playlist_arrange: this.pick(
			(doc.categories ?? []).map((c) => c.name)) ??
				'none' }) };
	}

	section(doc) {
		return this.pick([
			() => ({ cmd: 'set-log', ...this.maybe(0.9, { set:
				this.maybe(0.6, { max_file_size:
					this.below(9) }) }) }),
			() => ({ cmd: 'set-auth', ...this.maybe(0.7, { auth: {
				enable: false, http_ip_allow: ['10.0.0.0/8',
					'nobody', '::1', '10.1.0.0/16',
					'1.2.3.4'].filter(() =>
					this.chance(0.6)) } }) }),
			() => ({ cmd: 'set-config', ...this.maybe(0.95,
				{ key: this.pick(['mine', 'yours']) }),
			...this.maybe(0.7, { data: this.pick([1, null, 'x',
				{ a: [null, 1.5] }]) }) }),
			() => ({ cmd: 'set-config', key: 'settings',
				data: this.settings(doc) }),
			() => ({ cmd: 'set-config', key: 'users',
				...this.maybe(0.9, { data: { one: { type: 2,
					enable: this.chance(0.5), packages:
					['A'] } } }) }),
		]).call(this);
	}
}

// A configuration to begin with.
export const initial = {
	settings: { playlist_arrange: 'A' },
	users: { one: { type: 3, enable: true, packages: ['A', 'B'] },
		two: { type: 3, enable: true, packages: ['Новости'] },
		three: { type: 3, enable: true } },
};

// The answer that the model expects: 0 for none.
export async function send(sluice, command) {
	try {
		const reply = await sluice.post(command);
		return { status: reply.status, body: JSON.parse(reply.body) };
	} catch (error) {
		assert.match(String(error), /ECONNRESET|hang up/);
		return { status: 0 };
	}
}
