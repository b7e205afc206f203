// SPDX-License-Identifier: GPL-3.0-or-later
// A second implementation of the specification: the configuration, the answer
// and the events of each command.  Streams here name only adapters, or are off:
// none runs.
const REFUSED = { status: 400 }, UNKNOWN = { status: 404 };
const DROPPED = { status: 0 };
const ok = (cmd, more = {}) =>
	({ status: 200, body: { [cmd]: 'ok', ...more } });

// The object that a client stores: without null.
const clean = (object) => Object.fromEntries(Object.entries(
	structuredClone(object)).filter(([, value]) => value !== null));

// Placeholders for values that the service creates: a hash, and the time.
const HASH = 'a new hash', NOW = 'the time';

// A configuration without unpredictable values.
export function withoutFresh(doc) {
	const users = Object.entries(doc.users ?? {}).map(([login, user]) =>
		[login, { ...user, ...('cipher' in user ? { cipher: HASH } :
			{}), ...('created' in user ? { created: NOW } : {}) }]);

	return { ...doc, ...(doc.users ?
		{ users: Object.fromEntries(users) } : {}) };
}

export class Model {
	events = [];

	constructor(document) { this.doc = structuredClone(document); }

	// { status, body }: status 0 is a connection closed without an answer.
	run({ cmd, ...request }) {
		const method = cmd.replace(/-(.)/g, (_, c) => c.toUpperCase());
		return this[method](request);
	}

	#say(scope, fields) {
		this.events.push(structuredClone({ scope, ...fields }));
	}

	#sayStreams(list) {
		list.forEach((stream) => this.#say('set-stream', { stream }));
	}

	#gid() { return 'gid' in this.doc ? { gid: this.doc.gid } : {}; }
	#setGid(gid) { if (gid !== undefined) this.doc.gid = gid; }
	#list(key) { return this.doc[key] ?? []; }
	#at(key, id) { return this.#list(key).findIndex((x) => x.id === id); }
	#has(key, id) { return this.#at(key, id) >= 0; }

	#append(key, entry) { (this.doc[key] ??= []).push(entry); }

	#nextId(gid) {
		let next = this.doc.gid ?? 466560, id;

		do
			id = (next++).toString(36);
		while (this.#has('make_stream', id) ||
			this.#has('dvb_tune', id));
		// the request has the last word on the counter
		return [id, gid ?? next];
	}

	// The id a stream or adapter gets; a number is a refusal.
	#chooseId(key, id, own, gid) {
		const known = id !== undefined && this.#has(key, id);

		if (own === undefined && id === undefined)
			return this.#nextId(gid);
		const wanted = own ?? id;
		if (id !== undefined && !known && wanted !== id)
			return 404;
		if ((!known || wanted !== id) && this.#has(key, wanted))
			return 400;
		return [wanted, gid];
	}

	// Adopts a value that the service created, once it is valid.
	learn(doc) {
		for (const [login, user] of Object.entries(this.doc.users ??
			{})) {
			const real = doc.users?.[login] ?? {}, fresh = {};

			if (user.cipher === HASH && /^\$y\$/.test(real.cipher))
				fresh.cipher = real.cipher;
			if (user.created === NOW && Math.abs(real.created -
				Date.now() / 1000) < 60)
				fresh.created = real.created;
			Object.assign(user, fresh);
			for (const { id, user: told } of this.events)
				if (id === login && (told.cipher === HASH ||
					told.created === NOW))
					Object.assign(told, fresh);
		}
	}

	// --- streams ---

	#versions(stream) {
		const next = (key, first) => {
			stream[key] = key in stream ? (stream[key] + 1) % 32 :
				first;
		};

		if (stream.type === 'mpts')
			['pat', 'cat', 'sdt', 'nit'].forEach((table) =>
				next(`${table}_version`, 0));
		else
			['pmt', 'sdt'].forEach((table) =>
				next(`${table}_version`, 1));
	}

	setStream({ id, stream, gid }) {
		const at = this.#at('make_stream', id);

		if (stream.remove) {
			if (id === undefined)
				return REFUSED;
			if (at < 0)
				return UNKNOWN;
			this.doc.make_stream.splice(at, 1);
			this.#setGid(gid);
			this.#say('set-stream', { stream: { id, remove: true,
				up: false } });
			return ok('set-stream');
		}
		const chosen = this.#chooseId('make_stream', id, stream.id,
			gid);
		if (typeof chosen === 'number')
			return { status: chosen };
		const stored = { ...clean(stream), id: chosen[0] };
		this.#versions(stored);
		if (at >= 0)
			this.doc.make_stream[at] = stored;
		else
			this.#append('make_stream', stored);
		this.#setGid(chosen[1]);
		if (at >= 0)
			this.#say('set-stream', { stream: { id, remove: true,
				up: true } });
		this.#say('set-stream', { stream: stored, ...this.#gid() });
		return ok('set-stream');
	}

	toggleStream({ id }) {
		const stream = this.#list('make_stream')
			.find((x) => x.id === id);

		if (stream === undefined)
			return UNKNOWN;
		stream.enable = !stream.enable;
		this.#say('set-stream', { stream });
		return ok('toggle-stream');
	}

	// --- softcams and CAS ---

	#entry(key, { id, gid, [key]: entry }, required, follow) {
		const at = id === undefined ? -1 : this.#at(key, id);

		if (entry === undefined)
			return DROPPED;
		if (!entry.remove) {
			if (required.some((field) => !(field in entry)))
				return DROPPED;
			if (entry.id !== id && this.#has(key, entry.id))
				return REFUSED;
		}
		const changed = at >= 0 ? follow(entry) : [];
		if (at >= 0) {
			this.doc[key].splice(at, 1);
			this.#say(`set-${key}`, { [key]: { id, remove: true,
				up: !entry.remove } });
		}
		this.#setGid(gid);
		if (!entry.remove) {
			this.#append(key, clean(entry));
			this.#say(`set-${key}`, { [key]: clean(entry),
				...this.#gid() });
		}
		this.#sayStreams(changed);
		return ok(`set-${key}`);
	}

	setSoftcam(request) {
		const { id } = request;
		// options are between # & and the end
		const option = new RegExp(`([#&])cam=${id}(?=&|$)`);

		return this.#entry('softcam', request, ['id', 'name', 'type',
			'host', 'port', 'user', 'pass'], (entry) =>
			this.#list('make_stream').filter((stream) => {
				const before = JSON.stringify(stream.input);

				stream.input = stream.input?.map((address) =>
					option.test(address) ? (entry.remove ?
						address.replace(option, '$1')
							.replace('#&', '#')
							.replace('&&', '&')
							.replace(/[#&]$/, '') :
						address.replace(option,
							`$1cam=${entry.id}`)) :
						address);
				return JSON.stringify(stream.input) !== before;
			}));
	}

	setCas(request) {
		return this.#entry('cas', request, ['id'], () => []);
	}

	// --- adapters ---

	#follow(from, to) {
		const is = (address) =>
			address.split('#')[0] === `dvb://${from}`;
		const users = this.#list('make_stream')
			.filter((s) => s.input?.some(is));
		const gone = [], changed = [];

		for (const stream of users) {
			stream.input = stream.input.flatMap((address) =>
				!is(address) ? [address] :
					to === undefined ? [] :
					[address.replace(`dvb://${from}`,
						`dvb://${to}`)]);
			(stream.input.length ? changed : gone).push(stream);
		}
		gone.forEach((stream) => {
			this.doc.make_stream.splice(
				this.doc.make_stream.indexOf(stream), 1);
			this.#say('set-stream', { stream: { id: stream.id,
				remove: true } });
		});
		this.#sayStreams(changed);
	}

	setAdapter({ id, adapter, gid }) {
		const at = this.#at('dvb_tune', id);

		if (adapter.remove) {
			if (at < 0)
				return id === undefined ? REFUSED : UNKNOWN;
			this.doc.dvb_tune.splice(at, 1);
			this.#setGid(gid);
			this.#say('set-adapter', { adapter: { id, remove: true,
				up: false } });
			this.#follow(id, undefined);
			return ok('set-adapter');
		}
		const chosen = this.#chooseId('dvb_tune', id, adapter.id,
			gid);
		if (typeof chosen === 'number')
			return { status: chosen };
		const stored = { ...clean(adapter), id: chosen[0] };
		if (at >= 0)
			this.doc.dvb_tune[at] = stored;
		else
			this.#append('dvb_tune', stored);
		this.#setGid(chosen[1]);
		if (at >= 0)
			this.#say('set-adapter', { adapter: { id, remove: true,
				up: true } });
		this.#say('set-adapter', { adapter: stored, ...this.#gid() });
		if (at >= 0 && chosen[0] !== id)
			this.#follow(id, chosen[0]);
		return ok('set-adapter');
	}

	toggleAdapter({ id }) {
		const adapter = this.#list('dvb_tune').find((x) => x.id === id);

		if (adapter === undefined)
			return UNKNOWN;
		adapter.enable = !adapter.enable;
		this.#say('set-adapter', { adapter });
		return ok('toggle-adapter');
	}

	// --- categories ---

	// The error in the specification's words, or undefined.
	#judgeCategory({ id, category, reorder }) {
		const name = /^(?! )[\p{L}\p{M}\p{N}\-_.&+/ ]+(?<! )$/u;
		const valid = (text) => typeof text === 'string' &&
			name.test(text) && [...text].length <= 64;
		const list = this.#list('categories');

		if (id === undefined && category.remove)
			return 'id is required to remove a category';
		if (id !== undefined && list[id] === undefined)
			return 'category not found';
		if (category.remove)
			return undefined;
		if (!('name' in category))
			return 'category name is required';
		if (!valid(category.name))
			return 'category name is not valid';
		if (list.some((c, i) => c.name === category.name && i !== id))
			return 'category name already exists';
		const names = new Set();
		for (const [i, group] of (category.groups ?? []).entries()) {
			if (group.remove)
				continue;
			if (!valid(group.name))
				return `group name is not valid (groups[${i}])`;
			if (names.has(group.name))
				return `duplicate group name (groups[${i}])`;
			names.add(group.name);
		}
		if (reorder && (reorder.length !== names.size ||
			new Set(reorder).size !== names.size ||
			reorder.some((text) => !names.has(text))))
			return 'reorder must name every group of the ' +
				'category once';
		return undefined;
	}

	setCategory(request) {
		const { id, category, reorder, force } = request;
		const er = (error, more = {}) => ({ status: 200, body:
			{ 'set-category': 'er', error, ...more } });
		const wrong = this.#judgeCategory(request);

		if (wrong !== undefined)
			return er(wrong);
		const old = id === undefined ? undefined :
			this.doc.categories[id];
		const users = this.#moveUsers(old?.name,
			category.remove ? undefined : category.name);
		const emptied = users.filter(([, before, after]) =>
			before.length && !after.length).map(([login]) => login);
		if (category.remove && emptied.length && !force)
			return er('package list would be left empty',
				{ users: emptied });
		users.forEach(([login, , after]) => {
			this.doc.users[login].packages = after;
		});
		const streams = old ? this.#moveStreams(old, category) : [];
		if (old && this.doc.settings?.playlist_arrange === old.name) {
			if (category.remove)
				delete this.doc.settings.playlist_arrange;
			else
				this.doc.settings.playlist_arrange =
					category.name;
		}
		const stored = { ...category, groups: (category.groups ?? [])
			.filter((group) => !group.remove) };
		if (reorder)
			stored.groups.sort((a, b) => reorder.indexOf(a.name) -
				reorder.indexOf(b.name));
		if (category.remove)
			this.doc.categories.splice(id, 1);
		else if (old)
			this.doc.categories[id] = stored;
		else
			this.#append('categories', stored);
		this.#sayStreams(streams);
		this.#say('set-category', { ...(id === undefined ? {} : { id }),
			category: category.remove ? { remove: true } :
				stored });
		return ok('set-category', {
			...(streams.length ? { streams: streams.map((s) =>
				({ id: s.id, name: s.name })) } : {}),
			...(users.length ? { users: users.map(([login]) =>
				login) } : {}) });
	}

	// [login, packages before, packages after] of the users who change
	#moveUsers(from, to) {
		if (from === undefined || from === to)
			return [];
		return Object.entries(this.doc.users ?? {})
			.filter(([, user]) => user.packages?.includes(from))
			.map(([login, { packages }]) => [login, packages,
				packages.flatMap((name) => name !== from ?
					[name] :
					to === undefined ? [] : [to])]);
	}

	#moveStreams(old, category) {
		return this.#list('make_stream').filter((stream) => {
			const group = stream.groups?.[old.name];
			const place = old.groups.findIndex(({ name }) =>
				name === group);
			const now = place < 0 ? { name: group } :
				category.groups?.[place] ?? { remove: true };

			if (group === undefined || (now.name === group &&
				category.name === old.name))
				return false;
			delete stream.groups[old.name];
			if (!category.remove && !now.remove)
				stream.groups[category.name] = now.name;
			return true;
		});
	}

	// --- users ---

	setUser({ id, user }) {
		const old = this.doc.users?.[id];

		if (id === undefined || user === undefined)
			return REFUSED;
		if (user.remove && old === undefined)
			return UNKNOWN;
		if (user.remove) {
			delete this.doc.users[id];
			this.#say('set-user', { id, user: { remove: true } });
			return ok('set-user');
		}
		if (id === '' || ![1, 2, 3].includes(user.type) ||
			typeof user.enable !== 'boolean')
			return REFUSED;
		const { password, ...stored } = clean(user);
		delete stored.cipher;
		if (password)
			stored.cipher = HASH;
		else if (old && 'cipher' in old)
			stored.cipher = old.cipher;
		if (old === undefined)
			stored.created = NOW;
		(this.doc.users ??= {})[id] = stored;
		this.#say('set-user', { id, user: stored });
		return ok('set-user');
	}

	toggleUser({ id }) {
		const user = this.doc.users?.[id];

		if (user === undefined)
			return UNKNOWN;
		user.enable = !user.enable;
		this.#say('set-user', { id, user });
		return ok('toggle-user');
	}

	// --- sections ---

	// The instance restarts after it.
	setSettings({ settings, gid }) {
		if (settings === undefined)
			return DROPPED;
		this.#setGid(gid);
		if (Object.keys(settings).length)
			this.doc.settings = settings;
		else
			delete this.doc.settings;
		this.#say('set-settings', { ...this.#gid(),
			...(this.doc.settings ? { settings } : {}) });
		return ok('set-settings');
	}

	setServer({ id, server }) {
		const list = this.#list('servers');

		if (server === undefined || (server.remove && id === undefined))
			return DROPPED;
		if (id !== undefined && list[id] === undefined)
			return UNKNOWN;
		if (server.remove)
			list.splice(id, 1);
		else if (id === undefined)
			this.#append('servers', server);
		else
			list[id] = server;
		if (this.doc.servers?.length === 0)
			delete this.doc.servers;
		this.#say('set-server', { ...(id === undefined ? {} : { id }),
			server: server.remove ? { remove: true } : server });
		return ok('set-server');
	}

	setConfig({ key, data }) {
		if (key === undefined)
			return DROPPED;
		if (data === undefined || data === null)
			delete this.doc[key];
		else
			this.doc[key] = data;
		this.#say('set-config', { key, ...(data === undefined ||
			data === null ? {} : { data }) });
		return ok('set-config');
	}

	setLog({ set }) {
		if (set === undefined)
			return DROPPED;
		this.doc.log = Object.keys(set).length ? set : [];
		this.#say('log_event', { set: this.doc.log });
		return ok('set-log');
	}

	setAuth({ auth }) {
		const bits = (text) => Number(text.split('/')[1] ??
			(text.includes(':') ? 128 : 32));

		if (auth?.http_ip_allow)
			auth = { ...auth, http_ip_allow: auth.http_ip_allow
				.filter((text) => text !== 'nobody')
				.sort((a, b) => bits(b) - bits(a)) };
		if (auth === undefined)
			delete this.doc.auth;
		else
			this.doc.auth = auth;
		this.#say('set-auth', auth === undefined ? {} : { auth });
		return ok('set-auth');
	}
}
