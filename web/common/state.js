// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a stream as the page marks it.  Pure.

/**
 * on: as it should be; fault: viewers see nothing; warn: on air, but something
 * is wrong; wait: it starts with a viewer; change: its process starts;
 * disabled; stale: unknown, or older than the connection.
 * @typedef {'on' | 'fault' | 'warn' | 'wait' | 'change' | 'disabled' | 'stale'
 * } Mark
 */

/** @typedef {import('./api-types').StreamOverview} StreamOverview */

/** @type {Mark[]} from the worst */
export const MARKS = ['fault', 'warn', 'change', 'on', 'wait', 'disabled',
	'stale'];

/**
 * @param {StreamOverview | null} over
 * @param {boolean | null} onair of the last second, if it is known
 * @returns {Mark}
 */
export function markOf(over, onair) {
	if (over === null)
		return 'stale';
	if (!over.enable)
		return 'disabled';
	if (over.waiting)
		return 'wait';
	if (over.worker.state === 'quarantine')
		return 'fault';
	if (!(onair ?? over.onair))
		return over.worker.state === 'starting' ? 'change' : 'fault';
	if (!over.ok)
		// of a moment at which it was off air, or its outputs fail
		return over.onair ? 'fault' : 'on';
	return isDegraded(over) ? 'warn' : 'on';
}

/**
 * On air, and an operator would want to know.
 * @param {StreamOverview} over
 */
function isDegraded(over) {
	return over.filler || over.active_input !== 1 ||
		over.alarms.length > 0 || over.output_faults.length > 0 ||
		over.input_faults.length > 0;
}

/**
 * Why a stream is not as it should be, in the words of the service.
 * @param {StreamOverview} over
 * @param {string[]} [alarms] with those of inputs
 * @returns {string}
 */
export function reasonOf(over, alarms = over.alarms) {
	const [output] = over.output_faults, [input] = over.input_faults;

	if (over.worker.alarm)
		return over.worker.alarm;
	if (over.filler)
		return `${over.error ?? ''} (filler plays)`.trim();
	if (over.error)
		return over.error;
	if (output)
		return `output ${output.position}: ${output.fault}`;
	if (input)
		return `input ${input.position}: ${input.fault}`;
	if (over.alarms.length === 0 && over.state !== 'on air')
		return over.state;
	return alarms.join(', ');
}

/**
 * The Unix time since when; undefined: unknown.
 * @param {StreamOverview} over
 * @returns {number | undefined}
 */
export function sinceOf(over) {
	return over.off_since ?? over.error_since ??
		over.output_faults[0]?.fault_since ??
		over.input_faults[0]?.fault_since;
}

/**
 * @param {{open: boolean, fault?: string, bitrate?: number}} output
 * @param {boolean} onair of the stream: without packets the output waits
 * @returns {Mark}
 */
export function outputMark(output, onair) {
	const sends = (output.bitrate ?? 0) > 0;

	if (output.fault)
		return sends ? 'warn' : 'fault';
	return output.open && (onair || sends) ? 'on' : 'wait';
}

/**
 * The checks of a place.  An output that relays its input has the checks of
 * that input, and those that only an output has, such as cbr_overflow.
 * @template {{alarm: string}} T
 * @param {{indicators?: T[]}} end
 * @param {{relay?: boolean, indicators?: T[]}} output
 * @param {boolean} isInput the place is an input
 * @returns {T[]}
 */
export function checksOf(end, output, isInput) {
	const list = end.indicators ?? [];

	if (isInput || !output.relay || /** @type {any} */ (end) === output)
		return list;
	return [...list, ...(output.indicators ?? []).filter((one) =>
		list.every(({ alarm }) => alarm !== one.alarm))];
}
