// SPDX-License-Identifier: GPL-3.0-or-later
// The groups in which the fields of an object stand.  Pure.

/** @typedef {import('../common/forms.js').Row} Row */
/** @typedef {import('../common/words.js').Word} Word */

/** By the name of the form; the last group of each has all other keys.
 * @type {Record<string, [Word, RegExp][]>} */
const GROUPS = {
	settings: [
		['group_service',
			/^(instance_name|control_|observer_|connections_|web_)/],
		['group_proxy', /^(allow_real_ip|real_ip_)/],
		['group_certificate', /^crt_/],
		['group_delivery', /^(http_|hls_|viewers_|playlist_|epg_)/],
		['group_defaults', /^(backup_|cc_limit)/],
		['group_other', /./],
	],
	stream: [
		['group_backup', /^(backup_|filler|cc_limit)/],
		['group_program', /^(service_|set_|textcode|hbbtv_)/],
		['group_pids', /^(map|filter|pid_mode)/],
		['group_tables',
			/^(tdt|time|coun|offs|clock_|nit(_[ao]|$)|net|onid|sdt$|pr|si|d)/],
		['group_delivery', /^(lcn|xmltv_|epg_|http_|hls_)/],
		['group_versions', /_version$/],
		['group_other', /./],
	],
	auth: [
		['group_rules', /^(enable|http_)/],
		['group_tokens', /^(securetoken|x_real_ip|conlimit)/],
		['group_backend', /./],
	],
	log: [['group_log', /./]],
	user: [
		['group_account', /^(type|enable|comment|password)/],
		['group_viewer', /./],
	],
	options: [
		['group_program', /^(pnr|set_|order|lang\.)/],
		['group_pids', /^(map\.|filter|mux|cas$|pass_data)/],
		['group_tables', /^(pass_|no_(sdt|eit|nit|cat|tdt|tot)$)/],
		['group_judge',
			/^(cc_limit|bitrate_limit|no_analyze|watchdog|no_reload)/],
		['group_other', /./],
	],
};

/**
 * @param {string} form
 * @param {Row[]} rows
 * @returns {[Word, Row[]][]} without empty groups
 */
export function groupRows(form, rows) {
	const groups = GROUPS[form] ?? [['group_entry', /./]];
	/** @type {[Word, Row[]][]} */
	const lists = groups.map(([word]) => [word, []]);

	for (const row of rows) {
		const at = groups.findIndex(([, keys]) => keys.test(row.key));

		lists[at < 0 ? lists.length - 1 : at][1].push(row);
	}
	return lists.filter(([, list]) => list.length > 0);
}
