// SPDX-License-Identifier: GPL-3.0-or-later
// A stream in one situation: every surface tells the same about it, and its
// output is what they tell.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Ctl } from './ctl.mjs';
import { TsMux } from './mux.mjs';
import { Sluice, config, stream } from './sluice.mjs';
import { Timing } from './timing.mjs';
import { Sender } from './udp.mjs';
import { now, waitUntil } from './util.mjs';

const RATE = 5e5;
const SIZE = 188;
const PATIENCE_MS = 10000;
// The rates of a status are those of a second.
const WINDOW_MS = 1500;
// Delays of a machine that is not busy; others are set by the situation.
const QUICK = { backup_start_delay: 1, backup_return_delay: 1,
	backup_initial_delay: 2, backup_damping: 0 };

// Each input has a program of its own, so that the output shows its input.
const program = (i) => ({ pnr: i + 1, pmtPid: 0x100 + 16 * i,
	video: 0x101 + 16 * i, audio: 0x102 + 16 * i });

const LOOPBACK = '127.0.0.1';

// What arrives at a port of this process.
class Capture {
	#arrivals = [];         // { at, packets, input }

	static async start(t, port) {
		const self = new Capture();

		self.socket = dgram.createSocket('udp4');
		self.socket.on('message', (data) => self.#take(data));
		await new Promise((done) =>
			self.socket.bind(port, LOOPBACK, done));
		self.socket.setRecvBufferSize(1 << 20);
		t.after(() => self.socket.close());
		return self;
	}

	#take(data) {
		let input;

		for (let at = 0; at + SIZE <= data.length; at += SIZE) {
			const pid = data.readUInt16BE(at + 1) & 0x1fff;

			if (pid !== 0x1fff && (pid & 15) === 1)
				input = (pid - 0x101 >> 4) + 1;
		}
		this.#arrivals.push({ at: now(), input,
			packets: data.length / SIZE });
		while (this.#arrivals[0].at < now() - WINDOW_MS)
			this.#arrivals.shift();
	}

	#recent() {
		const since = now() - WINDOW_MS;

		return this.#arrivals.filter(({ at }) => at > since);
	}

	get packets() {
		return this.#recent().reduce((sum, a) => sum + a.packets, 0);
	}
	// The position of the input whose packets came last.
	get input() {
		return this.#recent().findLast((a) => a.input)?.input;
	}
}

// The alarms that the events of a channel leave raised.
class Ledger {
	#raised = new Map();
	#read = 0;

	// before: the alarms that were raised when the channel was open.
	constructor(events, before) {
		this.events = events;
		for (const m of before)
			this.#raised.set(`${m.channel_id} ${key(m)}`, m);
	}

	of(id) {
		const { messages } = this.events;

		for (; this.#read < messages.length; this.#read++) {
			const m = messages[this.#read];
			const name = `${m.channel_id} ${key(m)}`;

			if (m.scope === 'alarm' && m.raised)
				this.#raised.set(name, m);
			else if (m.scope === 'alarm')
				this.#raised.delete(name);
		}
		return [...this.#raised.values()].filter((m) =>
			m.channel_id === id).map(key).sort();
	}
}

const key = ({ place, alarm, output }) =>
	[place ?? '', alarm, output ?? ''].join('/');
// Numbers in a sentence change while it stays the same.
const still = (text) => text?.replace(/\d+/g, '#');

const PAUSE_MS = 1000; // a source without packets is off air soon

// The sources are in this process: on a machine that is too busy they pause,
// and are sources that fail. play(again) has three tries then, with other
// ports, and one as soon as isLate() is true. The same failure three times is
// one of the product, unless this process paused each time.
export async function insist(t, play, isLate = () => false) {
	const failures = new Set();

	for (let again = 0;; again++) {
		const timing = new Timing(t);
		const pace = monitorEventLoopDelay();

		pace.enable();
		try {
			await play(again);
			return;
		} catch (error) {
			const paused = pace.max / 1e6 > PAUSE_MS;

			failures.add(paused ? again : still(error.message
				.split(': Error')[0])); // what was seen last
			if (!paused && !timing.busy() ||
				again > 1 && failures.size === 1)
				throw error;
			if (again > 1 || isLate()) {
				t.skip(`too busy, ${again + 1} times: ${
					error.message.slice(0, 200)}`);
				return;
			}
			t.diagnostic(`once more: ${error.message}`);
		} finally {
			pace.disable();
		}
	}
}

// So many at once: their sources are in this process, and each comparison
// starts programs.
const AT_ONCE = 4;
// A test has ten minutes, and three tries of a situation may need six.
const LATE_MS = 200000;

// Runs the situations of a file in one service.
export async function playAll(t, situations) {
	const house = await House.open(t), timing = new Timing(t);
	const list = Object.entries(situations).entries(), begin = now();
	const isLate = (ms = LATE_MS) => now() - begin > ms;
	const some = async () => {
		for (const [i, [name, play]] of list)
			await t.test(name, async (sub) => {
				const noTime = isLate(2 * LATE_MS);

				timing.assert(!noTime, 'no time is left', sub);
				if (!noTime)
					await insist(sub, (again) =>
						play(new Situation(sub, house,
							i + 15 * again)),
					isLate);
			});
	};

	await Promise.all(Array.from({ length: AT_ONCE }, some));
	await house.sluice.stop();
}

export class House {
	static async open(t, options = {}) {
		const self = new House();

		self.sluice = await Sluice.start(t, config(), options);
		self.ctl = new Ctl(t, `http://${LOOPBACK}:${self.sluice.port}`,
			{ TZ: process.env.TZ ?? '' });
		await self.watch(t);
		return self;
	}

	// One comparison at a time: the surfaces are asked in a short time.
	#last = Promise.resolve();

	alone(look) {
		const mine = this.#last.then(look);

		this.#last = mine.catch(() => {});
		return mine;
	}

	async watch(t) {
		this.events = await this.sluice.events(t, '&scope=alarm');
		this.seconds = await this.sluice.events(t);
		const { alarms } = await this.sluice.json('/api/overview');

		this.alarms = new Ledger(this.events, alarms);
	}

	// Waits until every surface has an alarm of the service with this
	// sentence, or none has it.
	tells(alarm, sentence, raised = true) {
		return waitUntil(`alarm ${alarm} ${raised}`, async () => {
			const { sluice, ctl } = this;
			const all = await sluice.json('/api/overview');
			const system = await sluice.json(
				'/api/system-status?t=0');
			const lines = async (...args) => (await ctl.out(args))
				.split('\n')
				.filter((line) => line.startsWith('alarm '))
				.map((line) => line.slice(6));
			const has = (list) => (list ?? []).some((text) =>
				sentence.test(text));
			const logged = sluice.log.split('\n').findLast((l) =>
				l.includes(` alarm ${alarm}`)) ?? '';

			assert.deepEqual({
				overview: has(all.alarms.filter((a) =>
					a.alarm === alarm && a.since > 0)
					.map((a) => a.reason)),
				system: has(system.alarms),
				both: has(all.system.alarms),
				raised: has(system.raised.filter((a) =>
					a.alarm === alarm && a.since > 0)
					.map((a) => a.reason)),
				status: has(await lines('status')),
				ls: has(await lines('stream', 'ls')),
				top: has(await lines('top', '--once')),
				events: this.alarms.of(undefined).includes(
					key({ alarm })),
				log: logged !== '' && !/cleared/.test(logged),
			}, { overview: raised, system: raised, both: raised,
				raised, status: raised, ls: raised,
				top: raised, events: raised, log: raised });
			return all;
		}, PATIENCE_MS);
	}

	async row(id) {
		const all = await this.sluice.json('/api/overview');
		const row = all.streams.find((s) => s.id === id);

		assert.ok(row, `${id} is in the overview`);
		return { row, all };
	}
}

// What a surface tells of a stream, as far as it tells it.
const face = (s, extra = {}) => ({ state: s.state, error: still(s.error),
	...extra });

export class Situation {
	senders = [];

	constructor(t, house, i) {
		this.t = t;
		this.house = house;
		this.id = `s${i}`;
		this.first = 5000 + 100 * i;
		this.port = this.first + 50;
	}

	get sluice() { return this.house.sluice; }

	// n inputs from this process, or addresses; output: options of that to
	// the capture, null for none.
	async stream(inputs, options = {}, { output = '', more = [],
		id = this.id } = {}) {
		const list = typeof inputs === 'number' ?
			Array.from({ length: inputs }, () => '') : inputs;

		this.capture ??= await Capture.start(this.t, this.port);
		this.object = stream(id, list.map((input, i) =>
			/^(#|$)/.test(input) ? `udp://${LOOPBACK}:${
				this.first + i}${input}` : input),
		[...output === null ? [] : [`udp://${LOOPBACK}:${this.port}${
			output}`], ...more],
		// one input without a filler has no delays
		list.length > 1 || options.filler || options.backup_type ?
			{ ...QUICK, ...options } : options);
		await this.sluice.cmd('set-stream', { stream: this.object });
	}

	change(more) {
		Object.assign(this.object, more);
		return this.sluice.cmd('set-stream', { id: this.id,
			stream: this.object });
	}

	// Plays input n (from 1); returns its multiplex, which may be changed.
	async play(n, { shape, rate = RATE } = {}) {
		const mux = new TsMux({ rate, programs: [program(n - 1)] });

		this.senders[n] = await Sender.start(this.t, mux,
			this.first + n - 1, shape ? { shape } : {});
		return mux;
	}

	stop(n) { this.senders[n].stop(); }

	worker() { return this.sluice.worker('stream', this.id); }

	async kill(pid = this.worker().pid) {
		process.kill(pid, 'SIGKILL');
		return pid;
	}

	status() { return this.sluice.status(this.id); }

	/*
	 * Waits until all surfaces tell the same, and this: state (text or
	 * pattern), error (pattern; null: none), ok, sends (whether packets
	 * leave), from (the input whose packets leave), alarms (raised ones,
	 * others are tolerated), no (alarms that are not raised), also (of the
	 * overview's row).
	 */
	async tells(wanted, timeoutMs = PATIENCE_MS) {
		return waitUntil(`one truth about ${this.id}`, async () => {
			// the cheapest surface first
			this.#judgeRow((await this.house.row(this.id)).row,
				wanted);
			const seen = await this.house.alone(() => this.#look());

			this.#judge(seen);
			this.#judgeRow(seen.row, wanted);
			if (wanted.sends !== undefined)
				assert.equal(this.capture.packets > 0,
					wanted.sends, `${
						this.capture.packets} packets`);
			if (wanted.from !== undefined)
				assert.equal(this.capture.input, wanted.from);
			return seen;
		}, timeoutMs);
	}

	// Waits for a state in one surface.
	reaches(state) {
		return waitUntil(`${state} of ${this.id}`, async () => {
			const { row } = await this.house.row(this.id);

			assert.match(row.state, state);
			return row;
		}, PATIENCE_MS);
	}

	// Waits until the overview has these faults of inputs that are not
	// sent: [position, fault].
	async waits(...faults) {
		const { row } = await waitUntil(`faults of ${this.id}`,
			async () => {
				const seen = await this.house.row(this.id);

				const list = seen.row.input_faults;

				assert.deepEqual(list.map((f) => f.position),
					faults.map(([position]) => position));
				faults.forEach(([, fault], i) => assert.match(
					list[i].fault, new RegExp(fault)));
				return seen;
			}, PATIENCE_MS);

		for (const one of row.input_faults)
			assert.ok(Math.abs(one.fault_since - Date.now() / 1000)
				< 600, `${one.fault_since}`);
	}

	async #look() {
		const { sluice, ctl } = this.house, { id } = this;
		const before = await this.house.row(id);
		const api = (path) => sluice.json(`/api/${path}`);
		const [status, inputs, outputs, bare, check, system, analysis,
			top, once, brief, shown, list] = await Promise.all([
			this.status(), api(`stream-inputs/${id}`),
			api(`stream-outputs/${id}`),
			sluice.cmd('check-stream', { id }),
			sluice.cmd('check-stream', { id, status: true }),
			api('system-status?t=0'),
			sluice.get(`/api/stream-analysis/${id}`),
			ctl.json(['top']), ctl.out(['top', '--once']),
			ctl.out(['status']),
			ctl.out(['stream', 'show', id]),
			ctl.out(['stream', 'ls'])]);
		const after = await this.house.row(id);

		assert.deepEqual(face(before.row), face(after.row),
			'it does not change meanwhile');
		assert.deepEqual(before.row.alarms, after.row.alarms,
			'its alarms do not change meanwhile');
		assert.deepEqual(this.#told(before.all), this.#told(after.all),
			'nor those of its inputs');
		return { row: after.row, all: after.all, status, inputs,
			outputs, bare, check, system, analysis, top, once,
			brief, shown, list, raised: this.house.alarms.of(id) };
	}

	// All alarms of the stream.
	#told(all) {
		return all.alarms.filter((a) => a.channel_id === this.id)
			.map(key).sort();
	}

	#judge(seen) {
		this.#judgeFaces(seen);
		this.#judgeTexts(seen);
		this.#judgeAlarms(seen);
		this.#judgeAnalysis(seen);
		this.#judgeEvents(seen);
		this.#judgeLog(seen);
		this.#judgeOutput(seen);
	}

	#judgeRow(row, wanted) {
		if (wanted.state instanceof RegExp)
			assert.match(row.state, wanted.state);
		else
			assert.equal(row.state, wanted.state);
		if (wanted.error === null)
			assert.equal(row.error, undefined);
		else if (wanted.error !== undefined)
			assert.match(row.error ?? '', wanted.error);
		if (row.error !== undefined)
			assert.ok(Math.abs(row.error_since - Date.now() / 1000)
				< 600, `${row.error_since}`);
		assert.equal(row.ok, wanted.ok ?? /^on air/.test(row.state));
		for (const name of wanted.alarms ?? [])
			assert.ok(row.alarms.includes(name),
				`${name}: ${row.alarms}`);
		for (const name of wanted.no ?? [])
			assert.ok(!row.alarms.includes(name),
				`${name}: ${row.alarms}`);
		// flags that are false are absent
		for (const [name, value] of Object.entries(wanted.also ?? {}))
			assert.deepEqual(row[name] ?? false, value, name);
	}

	// API, check-stream and top --json.
	#judgeFaces({ row, status, inputs, bare, check, top }) {
		const one = top.streams.find((s) => s.id === this.id);

		for (const [name, other] of Object.entries({ status, inputs,
			check: check.status, top: one }))
			assert.deepEqual(face(other), face(row), name);
		assert.equal(/^on air/.test(row.state), row.onair);
		for (const other of [status, check.status, one])
			assert.equal(other.onair, row.onair);
		assert.equal(check.status.ok, row.ok);
		assert.equal(bare['check-stream'], row.ok ? 'ok' : false);
		assert.equal(inputs.active_input, row.active_input);
		assert.equal(status.input_id, row.active_input);
		assert.equal(status.filler, row.filler ?? false);
		assert.equal(status.worker.state, row.worker.state);
		assert.equal(one.worker.state, row.worker.state);
		// on air an error is that of the active input; off air there is
		// a reason
		if (row.enable && !row.onair)
			assert.ok(row.error, JSON.stringify(row));
	}

	// What a terminal shows.
	#judgeTexts({ row, all, once, brief, shown, list }) {
		const lineOf = (text) => text.split('\n').find((line) =>
			line.startsWith(`${this.id} `)) ?? '';
		const plain = row.state === 'on air' &&
			this.#told(all).length === 0 &&
			row.input_faults.length === 0;
		const named = brief.split('\n').find((line) =>
			line.includes(` ${this.id} "`));

		for (const text of [once, shown])
			assert.ok(lineOf(text).includes(`  ${row.state}  `) ||
				lineOf(text).endsWith(`  ${row.state}`),
			`${lineOf(text)}: ${row.state}`);
		if (row.error)
			for (const text of [lineOf(once), shown])
				assert.ok(still(text).includes(still(
					row.error)), `${text}: ${row.error}`);
		for (const { position, fault } of row.input_faults.slice(0, 1))
			for (const text of [lineOf(once), named ?? once])
				assert.ok(still(text).includes(still(
					`input ${position}: ${fault} (since `)),
				`${text}: ${fault}`);
		this.#judgeAlarmTexts(all, [lineOf(once), lineOf(list),
			named ?? lineOf(once)]);
		if (plain || !row.enable)
			assert.equal(named, undefined);
		else if (named !== undefined) // of many it names some
			assert.ok(named.startsWith(`${row.state} ${this.id} "`),
				named);
	}

	// Each alarm is named with its place and time, at most eight.
	#judgeAlarmTexts(all, texts) {
		for (const { place, alarm, output, since } of all.alarms
			.filter((a) => a.channel_id === this.id).slice(0, 8)) {
			const end = output ? `output ${output}` : 'output';
			const where = alarm === 'worker' ? 'process'
				: place !== 'output' ? `input ${place}` : end;
			const time = since ? '; since ' : '';
			const told = new RegExp(
				` ${alarm} \\([^)]*${where}[^)]*${time}`);

			for (const text of texts)
				assert.match(text, told);
		}
	}

	// Status, overview, events and the system status.
	#judgeAlarms({ row, all, status, system, raised }) {
		const told = this.#told(all);
		const own = status.alarms.filter((a) =>
			!['output_fault', 'worker'].includes(a))
			.map((alarm) => key({ place: 'output', alarm }));

		for (const { position, alarms } of status.inputs)
			for (const alarm of alarms)
				own.push(key({ place: position, alarm }));
		status.outputs.forEach(({ fault }, i) => {
			if (fault !== undefined)
				own.push(key({ place: 'output', output: i + 1,
					alarm: 'output_fault' }));
		});
		if (status.alarms.includes('worker'))
			own.push(key({ place: 'output', alarm: 'worker' }));
		assert.deepEqual(own.sort(), told, 'status and overview');
		assert.deepEqual(raised, told, 'events and overview');
		assert.deepEqual(this.#told({ alarms: system.raised }), told,
			'system status and overview');
		assert.deepEqual([...row.alarms].sort(),
			[...status.alarms].sort());
		assert.equal((system.alarms ?? []).some((text) =>
			text.startsWith(`stream ${this.id}: `)),
		row.worker.state === 'quarantine');
	}

	// The indicators are the alarms of the inputs, where a process runs.
	#judgeAnalysis({ row, status, analysis }) {
		if (analysis.status !== 200) {
			assert.notEqual(row.onair, true, analysis.body);
			return;
		}
		for (const one of JSON.parse(analysis.body).inputs) {
			const alarms = status.inputs[one.position - 1].alarms
				.filter((a) => a !== 'no_querier').sort();

			if (!one.watched)
				continue;
			const raised = one.indicators.filter((i) => i.raised)
				.map((i) => i.alarm).sort();

			assert.deepEqual(raised, alarms, 'analysis');
		}
	}

	// The stream_event of the last second; of an mpts its rate alone.  It
	// has the rate of the input also while the filler plays.
	#judgeEvents({ row }) {
		const last = this.house.seconds.messages.findLast((m) =>
			m.channel_id === this.id &&
			m.scope === 'stream_event' &&
			(m.input_id ?? row.active_input) === row.active_input);

		if (row.enable && row.type === 'spts')
			assert.equal(last?.onair, row.onair, 'stream_event');
		if (row.enable)
			assert.equal(last?.bitrate > 0,
				row.bitrate > 0 && !row.filler);
	}

	// The last line about the state.
	#judgeLog({ row }) {
		const about = new RegExp(` stream ${this.id}: (on air|` +
			'off air|alarm worker: |.*(signal|restart(ing| in)))');
		const last = this.sluice.log.split('\n').findLast((line) =>
			about.test(line));

		if (last === undefined || !row.enable)
			return;
		if (row.onair)
			assert.match(last, /: (on air|alarm worker: )/);
		else
			assert.doesNotMatch(last, /: on air/);
	}

	// What leaves is what the status counts.
	#judgeOutput({ row, outputs: { outputs } }) {
		if (!this.object.output[0]?.startsWith('udp://127'))
			return;
		assert.equal(this.capture.packets > 0, outputs[0].bitrate > 0,
			`${this.capture.packets} packets, ${
				outputs[0].bitrate} kbit/s`);
		if (row.onair && !row.filler &&
		    /^udp|^$/.test(this.object.input[row.active_input - 1]))
			assert.equal(this.capture.input, row.active_input,
				'the input that leaves');
	}
}
