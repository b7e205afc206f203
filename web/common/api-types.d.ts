// SPDX-License-Identifier: GPL-3.0-or-later
// What the page reads of the replies that doc/openapi.yaml describes.

export interface Worker {
	state: string;
	pid?: number;
	restarts?: number;
	alarm?: string;
}

export interface EndFault {
	position: number;
	fault: string;
	fault_since: number;
}

export interface StreamOverview {
	id: string;
	name?: string;
	type: 'spts' | 'mpts';
	enable: boolean;
	state: string;
	error?: string;
	error_since?: number;
	off_since?: number;
	ok: boolean;
	onair: boolean;
	inputs: number;
	active_input: number;
	/** absent: false */
	waiting?: boolean;
	filler?: boolean;
	scrambled?: boolean;
	bitrate: number;
	/** absent: 0 */
	cc_error?: number;
	pes_error?: number;
	sc_error?: number;
	sessions: number;
	alarms: string[];
	input_faults: EndFault[];
	output_faults: EndFault[];
	worker: Worker;
}

export interface RaisedAlarm {
	channel_id?: string;
	place?: 'output' | number;
	alarm: string;
	subject?: string;
	priority: number;
	output?: number;
	reason?: string;
	source?: string;
	cause?: number;
	since?: number;
}

export interface SystemStatus {
	timestamp: number;
	la1: number;
	cpu_cores: number;
	sys_cpu_usage: number;
	app_cpu_usage: number;
	sys_mem_usage: number;
	app_mem_usage: number;
	app_uptime: number;
	sys_uptime: number;
	alarms?: string[];
}

export interface Overview {
	timestamp: number;
	instance?: string;
	version: string;
	system: SystemStatus;
	streams: StreamOverview[];
	adapters?: AdapterOverview[];
	softcams?: SoftcamOverview[];
	alarms: RaisedAlarm[];
}

export interface AdapterOverview {
	id: string;
	lock: boolean;
	signal: number;
	signal_db: number;
	snr: number;
	snr_db: number;
	ber: number;
	unc: number;
	bitrate: number;
	error?: string;
	cam?: unknown[];
	worker: Worker;
}

export interface SoftcamOverview {
	id: string;
	status?: number;
	used?: boolean;
	error?: string;
}

export interface InputStatus {
	position: number;
	id?: string;
	interface?: string;
	state: string;
	since?: number;
	reason?: string;
	damped: boolean;
	damped_s?: number;
	active: boolean;
	open: boolean;
	error?: string;
	error_since?: number;
	peer?: string;
	onair: boolean;
	scrambled: boolean;
	bitrate: number;
	received_bitrate?: number;
	cc_error: number;
	pes_error: number;
	sc_error: number;
	lost: number;
	alarms: string[];
}

export interface OutputStatus {
	position: number;
	open: boolean;
	error?: string;
	fault?: string;
	fault_since?: number;
	reason_since?: number;
	peer?: string;
	bitrate?: number;
	packets?: number;
	dropped?: number;
}

export interface Switch {
	time: number;
	from?: number;
	to?: number;
	filler?: boolean;
	late?: boolean;
	reason: string;
	fault?: string;
}

export interface MuxService {
	pnr: number;
	name: string;
	input: number;
	pmt_pid: number;
	onair: boolean;
	absent: boolean;
	filler: 'still' | 'file' | null;
	priority: number;
	rate_min: number;
	rate_max: number;
	bitrate: number;
	dropped: number;
	excess: number;
	eit_dropped: number;
	pids: number[];
}

export interface StreamStatus {
	timestamp: number;
	name?: string;
	state: string;
	error?: string;
	error_since?: number;
	off_since?: number;
	input_id: number;
	active: boolean;
	waiting: boolean;
	onair: boolean;
	sessions: number;
	bitrate: number;
	cc_error: number;
	pes_error: number;
	sc_error: number;
	alarms: string[];
	inputs: InputStatus[];
	outputs: OutputStatus[];
	worker: Worker;
	filler: boolean;
	services?: MuxService[];
	switches: Switch[];
}

export interface Indicator {
	alarm: string;
	priority: number;
	raised: boolean;
	count: number;
	since?: number;
	last?: number;
}

export interface AnalyzedPid {
	pid: number;
	kind?: string;
	stream_type?: number;
	programs?: number[];
	packets: number;
	bitrate: number;
	scrambled: number;
	cc_errors: number;
	duplicates: number;
	transport_errors: number;
	pes_errors: number;
}

export interface AnalyzedEnd {
	position?: number;
	watched: boolean;
	relay?: boolean;
	bitrate?: number;
	null_bitrate?: number;
	tsid?: number;
	indicators?: Indicator[];
	pids?: AnalyzedPid[];
}

export interface StreamAnalysis {
	timestamp: number;
	inputs: AnalyzedEnd[];
	output: AnalyzedEnd;
}

/** A stream as it is stored. */
export interface StreamConfig {
	id: string;
	name?: string;
	type: 'spts' | 'mpts';
	enable: boolean;
	input?: string[];
	output?: string[];
	groups?: Record<string, string>;
	backup_type?: string;
	[key: string]: unknown;
}

export interface Category {
	name: string;
	groups?: { name: string }[];
}

/** The configuration, as far as the page reads it. */
export interface Config {
	make_stream?: StreamConfig[];
	categories?: Category[];
	settings?: Record<string, unknown>;
	[key: string]: unknown;
}

export interface WhoAmI {
	login: string;
	type: number;
}

export interface StreamEvent {
	scope: 'stream_event';
	channel_id: string;
	input_id: number | string;
	onair: boolean;
	bitrate: number;
	scrambled: boolean;
	cc_error: number;
	pes_error: number;
}

export interface Message {
	scope: string;
	[key: string]: any;
}
