/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between the master and the workers of other roles than stream. */
#include "proto/ipc/msg.h"
#include "proto/ipc/msg_tables.h"

#include <errno.h>

/* --- deliver --- */

static const struct field listen_rows[] = {
	{ "address", FIELD_AT(struct msg_deliver_listen, address) },
	{ "slot", FIELD_AT(struct msg_deliver_listen, slot),
	  .max = MSG_SLOTS_MAX - 1 },
	{ "play", FIELD_AT(struct msg_deliver_listen, play) },
};
const struct field_table deliver_listen_fields =
	MSG_TABLE(struct msg_deliver_listen, listen_rows);

static const struct field unlisten_rows[] = {
	{ "address", FIELD_AT(struct msg_deliver_unlisten, address) },
	{ "slot", FIELD_AT(struct msg_deliver_unlisten, slot),
	  .max = MSG_SLOTS_MAX - 1 },
};
const struct field_table deliver_unlisten_fields =
	MSG_TABLE(struct msg_deliver_unlisten, unlisten_rows);

static const struct field mount_rows[] = {
	{ "address", FIELD_AT(struct msg_deliver_mount, address) },
	{ "path", FIELD_AT(struct msg_deliver_mount, path) },
	{ "stream", FIELD_AT(struct msg_deliver_mount, stream) },
	{ "tls", FIELD_AT(struct msg_deliver_mount, tls) },
	{ "hls", FIELD_AT(struct msg_deliver_mount, hls),
	  .max = MSG_HLS_MAX },
	{ "fmp4", FIELD_AT(struct msg_deliver_mount, fmp4) },
	{ "demand", FIELD_AT(struct msg_deliver_mount, demand) },
	{ "stopped", FIELD_AT(struct msg_deliver_mount, stopped) },
	{ "no_auth", FIELD_AT(struct msg_deliver_mount, no_auth) },
	{ "fill", FIELD_AT(struct msg_deliver_mount, fill),
	  .max = MSG_FILL_MAX_KIB },
	{ "number", FIELD_AT(struct msg_deliver_mount, number) },
};
const struct field_table deliver_mount_fields =
	MSG_TABLE(struct msg_deliver_mount, mount_rows);
const struct field_table deliver_unmount_fields =
	MSG_TABLE(struct msg_deliver_mount, mount_rows);

static const struct field viewer_rows[] = {
	{ "peer", FIELD_AT(struct msg_deliver_viewer, peer) },
	{ "secure", FIELD_AT(struct msg_deliver_viewer, secure) },
	{ "head", FIELD_AT(struct msg_deliver_viewer, head) },
};
const struct field_table deliver_viewer_fields =
	MSG_TABLE(struct msg_deliver_viewer, viewer_rows);

static const struct field move_rows[] = {
	{ "from", FIELD_AT(struct msg_deliver_move, from) },
	{ "to", FIELD_AT(struct msg_deliver_move, to) },
	{ "stream", FIELD_AT(struct msg_deliver_move, stream) },
};
const struct field_table deliver_move_fields =
	MSG_TABLE(struct msg_deliver_move, move_rows);

static const struct field settle_rows[] = {
	{ "retire", FIELD_AT(struct msg_deliver_settle, retire) },
};
const struct field_table deliver_settle_fields =
	MSG_TABLE(struct msg_deliver_settle, settle_rows);

static const struct field list_rows[] = {
	{ "after", FIELD_AT(struct msg_deliver_list, after) },
};
const struct field_table deliver_list_fields =
	MSG_TABLE(struct msg_deliver_list, list_rows);

static const struct field proxy_item = { .type = FIELD_STRING,
					 .size = sizeof(const char *) };
static const struct field limits_rows[] = {
	{ "per_address", FIELD_AT(struct msg_deliver_limits, per_address) },
	{ "empty_missing", FIELD_AT(struct msg_deliver_limits,
				    empty_missing) },
	{ "hash_names", FIELD_AT(struct msg_deliver_limits, hash_names) },
	{ "session_playlists", FIELD_AT(struct msg_deliver_limits,
					session_playlists) },
	{ "proxies", FIELD_ITEMS(struct msg_deliver_limits, proxies,
				 n_proxies), .item = &proxy_item },
};
const struct field_table deliver_limits_fields =
	MSG_TABLE(struct msg_deliver_limits, limits_rows);

static const struct field kick_rows[] = {
	{ "client", FIELD_AT(struct msg_deliver_kick, client) },
	{ "idle", FIELD_AT(struct msg_deliver_kick, idle) },
	{ "limit", FIELD_AT(struct msg_deliver_kick, limit) },
};
const struct field_table deliver_kick_fields =
	MSG_TABLE(struct msg_deliver_kick, kick_rows);

static const struct field policy_rows[] = {
	{ "authorize", FIELD_AT(struct msg_deliver_policy, authorize) },
	{ "real_ip", FIELD_AT(struct msg_deliver_policy, real_ip) },
	{ "shared", FIELD_AT(struct msg_deliver_policy, shared) },
	{ "seed", FIELD_AT(struct msg_deliver_policy, seed) },
};
const struct field_table deliver_policy_fields =
	MSG_TABLE(struct msg_deliver_policy, policy_rows);

const char *const ask_verdict_names[] = {
	[ASK_ALLOWED] = "allowed",
	[ASK_DENIED] = "denied",
	[ASK_REDIRECTED] = "redirected",
	[ASK_BUSY] = "busy",
	NULL,
};
static const struct field answer_rows[] = {
	{ "verdict", FIELD_AT(struct msg_deliver_answer, verdict),
	  .choices = ask_verdict_names },
	{ "login", FIELD_AT(struct msg_deliver_answer, login) },
	{ "recheck", FIELD_AT(struct msg_deliver_answer, recheck_s) },
	{ "location", FIELD_AT(struct msg_deliver_answer, location) },
};
const struct field_table deliver_answer_fields =
	MSG_TABLE(struct msg_deliver_answer, answer_rows);

static const struct field review_rows[] = {
	{ "client", FIELD_AT(struct msg_deliver_review, client) },
};
const struct field_table deliver_review_fields =
	MSG_TABLE(struct msg_deliver_review, review_rows);

static const struct field page_rows[] = {
	{ "status", FIELD_AT(struct msg_deliver_page, status), .min = 200,
	  .max = 599 },
	{ "type", FIELD_AT(struct msg_deliver_page, type) },
	{ "len", FIELD_AT(struct msg_deliver_page, len), .max = EPG_SAVED_MAX },
	{ "etag", FIELD_AT(struct msg_deliver_page, etag) },
};
const struct field_table deliver_page_fields =
	MSG_TABLE(struct msg_deliver_page, page_rows);

static const struct field deliver_status_rows[] = {
	{ "viewers", FIELD_AT(struct msg_deliver_status, viewers) },
	{ "requests", FIELD_AT(struct msg_deliver_status, requests) },
	{ "bytes", FIELD_AT(struct msg_deliver_status, bytes) },
	{ "cut", FIELD_AT(struct msg_deliver_status, cut) },
};
const struct field_table deliver_status_fields =
	MSG_TABLE(struct msg_deliver_status, deliver_status_rows);

static const struct field viewers_rows[] = {
	{ "address", MSG_WORD(struct msg_deliver_viewers, address) },
	{ "path", MSG_TEXT(struct msg_deliver_viewers, path) },
	{ "stream", MSG_TEXT(struct msg_deliver_viewers, stream) },
	{ "viewers", FIELD_AT(struct msg_deliver_viewers, viewers) },
	{ "bytes", FIELD_AT(struct msg_deliver_viewers, bytes) },
	{ "cut", FIELD_AT(struct msg_deliver_viewers, cut) },
};
const struct field_table deliver_viewers_fields =
	MSG_TABLE(struct msg_deliver_viewers, viewers_rows);

static const struct field session_rows[] = {
	{ "client", FIELD_AT(struct msg_session, client), .min = 1 },
	{ "stream", MSG_WORD(struct msg_session, stream) },
	{ "peer", MSG_WORD(struct msg_session, peer) },
	{ "uptime", FIELD_AT(struct msg_session, uptime_s) },
	{ "login", FIELD_AT(struct msg_session, login),
	  .max = MSG_LOGIN_MAX },
	{ "agent", FIELD_AT(struct msg_session, agent), .max = MSG_AGENT_MAX,
	  .flags = FIELD_MAYBE | FIELD_SPARE },
	{ "protocol", MSG_WORD(struct msg_session, protocol) },
	{ "bytes", FIELD_AT(struct msg_session, bytes) },
	{ "key", FIELD_AT(struct msg_session, key) },
	{ "mount", FIELD_AT(struct msg_session, mount) },
	{ "player", FIELD_AT(struct msg_session, player) },
	{ "unlimited", FIELD_AT(struct msg_session, unlimited) },
};
static const struct field_table session_fields =
	MSG_TABLE(struct msg_session, session_rows);

static const struct field sessions_rows[] = {
	{ "list", FIELD_ITEMS(struct msg_deliver_sessions, list, n),
	  .of = &session_fields },
	{ "more", FIELD_AT(struct msg_deliver_sessions, more) },
};

/* Checks that the numbers of the clients ascend, because the request for the
 * next part names the last number of this part (deliver.list). */
static int judge_sessions(const void *message, struct errmsg *error)
{
	const struct msg_deliver_sessions *s = message;

	for (size_t i = 1; i < s->n; i++)
		if (s->list[i].client <= s->list[i - 1].client)
			return errmsg_fail(error, -EINVAL, "list: client %zu "
					   "is not above the one before it",
					   i);
	if (s->more && s->n == 0)
		return errmsg_fail(error, -EINVAL,
				   "more: is true after an empty list");
	return 0;
}

const struct field_table deliver_sessions_fields =
	FIELD_TABLE(struct msg_deliver_sessions, sessions_rows,
		    .flags = FIELD_STRICT, .judge = judge_sessions);

static const struct field ask_rows[] = {
	{ "client", FIELD_AT(struct msg_deliver_ask, client), .min = 1 },
	{ "stream", MSG_WORD(struct msg_deliver_ask, stream) },
	{ "peer", MSG_WORD(struct msg_deliver_ask, peer) },
	{ "host", MSG_TEXT(struct msg_deliver_ask, host) },
	{ "path", MSG_TEXT(struct msg_deliver_ask, path) },
	{ "query", MSG_TEXT(struct msg_deliver_ask, query),
	  .flags = FIELD_SECRET },
	{ "agent", MSG_TEXT(struct msg_deliver_ask, agent) },
	{ "protocol", MSG_WORD(struct msg_deliver_ask, protocol) },
	{ "key", FIELD_AT(struct msg_deliver_ask, key) },
	{ "unlimited", FIELD_AT(struct msg_deliver_ask, unlimited) },
	{ "free", FIELD_AT(struct msg_deliver_ask, free) },
	{ "probe", FIELD_AT(struct msg_deliver_ask, probe) },
	{ "player", FIELD_AT(struct msg_deliver_ask, player) },
};
const struct field_table deliver_ask_fields =
	MSG_TABLE(struct msg_deliver_ask, ask_rows);

static const struct field playlist_rows[] = {
	{ "path", MSG_TEXT(struct msg_deliver_playlist, path) },
	{ "secure", FIELD_AT(struct msg_deliver_playlist, secure) },
	{ "peer", MSG_WORD(struct msg_deliver_playlist, peer) },
	{ "host", MSG_TEXT(struct msg_deliver_playlist, host) },
	{ "query", MSG_TEXT(struct msg_deliver_playlist, query),
	  .flags = FIELD_SECRET },
};
const struct field_table deliver_playlist_fields =
	MSG_TABLE(struct msg_deliver_playlist, playlist_rows);
static const struct field look_rows[] = {
	{ "stream", MSG_WORD(struct msg_deliver_look, stream) },
};
const struct field_table deliver_look_fields =
	MSG_TABLE(struct msg_deliver_look, look_rows);

static const struct field picture_rows[] = {
	{ "len", FIELD_AT(struct msg_picture_result, len),
	  .max = PICTURE_SIZE_MAX },
	{ "absent", FIELD_AT(struct msg_picture_result, absent) },
	{ "error", MSG_TEXT(struct msg_picture_result, error) },
};
const struct field_table deliver_picture_fields =
	MSG_TABLE(struct msg_picture_result, picture_rows);
const struct field_table picture_result_fields =
	MSG_TABLE(struct msg_picture_result, picture_rows);

static const struct field make_rows[] = {
	{ "width", FIELD_AT(struct msg_picture_make, width), .min = 16,
	  .max = PICTURE_WIDTH_MAX },
};
const struct field_table picture_make_fields =
	MSG_TABLE(struct msg_picture_make, make_rows);

static const struct field picture_status_rows[] = {
	{ "pictures", FIELD_AT(struct msg_picture_status, pictures) },
};
const struct field_table picture_status_fields =
	MSG_TABLE(struct msg_picture_status, picture_status_rows);

static const struct field left_item = { .type = FIELD_UINT,
					.size = sizeof(uint64_t), .min = 1 };
static const struct field changes_rows[] = {
	{ "joined", FIELD_ITEMS(struct msg_deliver_changes, joined, n_joined),
	  .of = &session_fields },
	{ "left", FIELD_ITEMS(struct msg_deliver_changes, left, n_left),
	  .item = &left_item },
};
const struct field_table deliver_changes_fields =
	MSG_TABLE(struct msg_deliver_changes, changes_rows);

/* --- auth --- */

static const struct field hash_rows[] = {
	{ "password", FIELD_AT(struct msg_auth_hash, password),
	  .flags = FIELD_SECRET },
};
const struct field_table auth_hash_fields =
	MSG_TABLE(struct msg_auth_hash, hash_rows);

static const struct field verify_rows[] = {
	{ "password", FIELD_AT(struct msg_auth_verify, password),
	  .flags = FIELD_SECRET },
	{ "hash", FIELD_AT(struct msg_auth_verify, hash),
	  .flags = FIELD_SECRET },
};
const struct field_table auth_verify_fields =
	MSG_TABLE(struct msg_auth_verify, verify_rows);

static const struct field auth_result_rows[] = {
	{ "ok", FIELD_AT(struct msg_auth_result, ok) },
	{ "hash", MSG_TEXT(struct msg_auth_result, hash),
	  .flags = FIELD_SECRET },
};
const struct field_table auth_result_fields =
	MSG_TABLE(struct msg_auth_result, auth_result_rows);

static const struct field auth_status_rows[] = {
	{ "jobs", FIELD_AT(struct msg_auth_status, jobs) },
};
const struct field_table auth_status_fields =
	MSG_TABLE(struct msg_auth_status, auth_status_rows);

/* --- backend --- */

static const struct field backend_ask_rows[] = {
	{ "url", FIELD_AT(struct msg_backend_ask, url),
	  .flags = FIELD_SECRET },
	{ "session", FIELD_AT(struct msg_backend_ask, session) },
	{ "channel", FIELD_AT(struct msg_backend_ask, channel) },
	{ "peer", FIELD_AT(struct msg_backend_ask, peer) },
	{ "path", FIELD_AT(struct msg_backend_ask, path) },
	{ "agent", FIELD_AT(struct msg_backend_ask, agent) },
	{ "host", FIELD_AT(struct msg_backend_ask, host) },
};
const struct field_table backend_ask_fields =
	MSG_TABLE(struct msg_backend_ask, backend_ask_rows);

static const struct field backend_result_rows[] = {
	{ "status", FIELD_AT(struct msg_backend_result, status), .max = 999 },
	{ "login", FIELD_AT(struct msg_backend_result, login),
	  .max = MSG_LOGIN_MAX },
	{ "user", FIELD_AT(struct msg_backend_result, user),
	  .max = MSG_LOGIN_MAX },
	{ "location", MSG_TEXT(struct msg_backend_result, location) },
	{ "duration", FIELD_AT(struct msg_backend_result, duration_s) },
	{ "max_sessions",
	  FIELD_AT(struct msg_backend_result, max_sessions) },
	{ "error", MSG_TEXT(struct msg_backend_result, error) },
};
const struct field_table backend_result_fields =
	MSG_TABLE(struct msg_backend_result, backend_result_rows);

static const struct field backend_status_rows[] = {
	{ "requests", FIELD_AT(struct msg_backend_status, requests) },
};
const struct field_table backend_status_fields =
	MSG_TABLE(struct msg_backend_status, backend_status_rows);

/* --- tls --- */

static const struct field certificate_rows[] = {
	{ "use", FIELD_AT(struct msg_tls_certificate, use) },
};
const struct field_table tls_certificate_fields =
	MSG_TABLE(struct msg_tls_certificate, certificate_rows);

static const struct field tls_result_rows[] = {
	{ "ok", FIELD_AT(struct msg_tls_result, ok) },
	{ "field", MSG_WORD(struct msg_tls_result, field) },
	{ "error", MSG_TEXT(struct msg_tls_result, error) },
};
const struct field_table tls_result_fields =
	MSG_TABLE(struct msg_tls_result, tls_result_rows);

static const struct field tls_facts_rows[] = {
	{ "subject", MSG_TEXT(struct msg_tls_facts, subject) },
	{ "issuer", MSG_TEXT(struct msg_tls_facts, issuer) },
	{ "names", MSG_TEXT(struct msg_tls_facts, names) },
	{ "key", MSG_WORD(struct msg_tls_facts, key) },
	{ "begin_s", FIELD_AT(struct msg_tls_facts, begin_s) },
	{ "end_s", FIELD_AT(struct msg_tls_facts, end_s) },
};
const struct field_table tls_facts_fields =
	MSG_TABLE(struct msg_tls_facts, tls_facts_rows);

static const struct field tls_status_rows[] = {
	{ "connections", FIELD_AT(struct msg_tls_status, connections) },
	{ "handshakes", FIELD_AT(struct msg_tls_status, handshakes) },
	{ "failed", FIELD_AT(struct msg_tls_status, failed) },
};
const struct field_table tls_status_fields =
	MSG_TABLE(struct msg_tls_status, tls_status_rows);

/* --- scan --- */

static const struct field scan_start_rows[] = {
	{ "address", FIELD_AT(struct msg_scan_start, address) },
};
const struct field_table scan_start_fields =
	MSG_TABLE(struct msg_scan_start, scan_start_rows);

static const struct field scan_ring_rows[] = {
	{ "address", FIELD_AT(struct msg_scan_ring, address) },
	{ "atsc", FIELD_AT(struct msg_scan_ring, atsc) },
};
const struct field_table scan_ring_fields =
	MSG_TABLE(struct msg_scan_ring, scan_ring_rows);

static const struct field scan_adapter_rows[] = {
	{ "scan", FIELD_AT(struct msg_scan_adapter, scan) },
};
const struct field_table scan_adapter_fields =
	MSG_TABLE(struct msg_scan_adapter, scan_adapter_rows);

static const struct field record_rows[] = {
	{ "record", FIELD_AT(struct msg_scan_record, record) },
};
const struct field_table scan_record_fields =
	MSG_TABLE(struct msg_scan_record, record_rows);

static const struct field announcement_rows[] = {
	{ "place", FIELD_AT(struct msg_scan_announcement, place),
	  .max = SCAN_PLACES_MAX - 1 },
	{ "iface", MSG_WORD(struct msg_scan_announcement, iface) },
	{ "sender", MSG_WORD(struct msg_scan_announcement, sender) },
	{ "name", MSG_TEXT(struct msg_scan_announcement, name) },
	{ "input", MSG_TEXT(struct msg_scan_announcement, input) },
	{ "note", MSG_TEXT(struct msg_scan_announcement, note) },
};
const struct field_table scan_announcement_fields =
	MSG_TABLE(struct msg_scan_announcement, announcement_rows);

static const struct field server_system_rows[] = {
	{ "system", MSG_WORD(struct msg_server_system, system) },
	{ "frontends", FIELD_AT(struct msg_server_system, frontends) },
};
static const struct field_table server_system_fields =
	MSG_TABLE(struct msg_server_system, server_system_rows);

#define AT(member) FIELD_AT(struct msg_scan_server, member)
#define TEXT(member) MSG_TEXT(struct msg_scan_server, member)
static const struct field scan_server_rows[] = {
	{ "place", AT(place), .max = SCAN_PLACES_MAX - 1 },
	{ "iface", MSG_WORD(struct msg_scan_server, iface) },
	{ "host", MSG_WORD(struct msg_scan_server, host) },
	{ "port", AT(port), .max = UINT16_MAX },
	{ "uuid", MSG_WORD(struct msg_scan_server, uuid) },
	{ "name", TEXT(name) },
	{ "manufacturer", TEXT(manufacturer) },
	{ "model", TEXT(model) },
	{ "channels", TEXT(channels) },
	{ "systems", FIELD_ITEMS(struct msg_scan_server, systems, n_systems),
	  .of = &server_system_fields },
	{ "note", TEXT(note) },
};
#undef AT
#undef TEXT
const struct field_table scan_server_fields =
	MSG_TABLE(struct msg_scan_server, scan_server_rows);

static const struct field scan_status_rows[] = {
	{ "packets", FIELD_AT(struct msg_scan_status, packets) },
	{ "done", FIELD_AT(struct msg_scan_status, done) },
	{ "total", FIELD_AT(struct msg_scan_status, total) },
	{ "ended", FIELD_AT(struct msg_scan_status, ended) },
	{ "error", MSG_TEXT(struct msg_scan_status, error),
	  .flags = FIELD_MAYBE },
};
const struct field_table scan_status_fields =
	MSG_TABLE(struct msg_scan_status, scan_status_rows);

/* --- querier --- */

static const struct field querier_rows[] = {
	{ "interface", FIELD_AT(struct msg_querier, interface), .min = 1,
	  .max = INT32_MAX },
	{ "mld", FIELD_AT(struct msg_querier, mld) },
	{ "version", FIELD_AT(struct msg_querier, version), .min = 1,
	  .max = 3 },
	{ "address", MSG_WORD(struct msg_querier, address) },
	{ "interval", FIELD_AT(struct msg_querier, interval_s) },
	{ "age", FIELD_AT(struct msg_querier, age_ms) },
};
static const struct field_table querier_fields =
	MSG_TABLE(struct msg_querier, querier_rows);

static const struct field querier_status_rows[] = {
	{ "igmp_error", MSG_TEXT(struct msg_querier_status, igmp_error),
	  .flags = FIELD_MAYBE },
	{ "mld_error", MSG_TEXT(struct msg_querier_status, mld_error),
	  .flags = FIELD_MAYBE },
	{ "listening", FIELD_AT(struct msg_querier_status, listening_ms) },
	{ "queriers", FIELD_ITEMS(struct msg_querier_status, list, n),
	  .of = &querier_fields },
};
const struct field_table querier_status_fields =
	MSG_TABLE(struct msg_querier_status, querier_status_rows);

/* --- adapter --- */

static const struct field adapter_start_rows[] = {
	{ "entry", FIELD_AT(struct msg_adapter_start, entry) },
};
const struct field_table adapter_start_fields =
	MSG_TABLE(struct msg_adapter_start, adapter_start_rows);

const struct field_table adapter_tune_fields =
	MSG_TABLE(struct msg_adapter_start, adapter_start_rows);

static const struct field number_item = { .type = FIELD_UINT,
	.size = sizeof(uint16_t), .min = 1, .max = UINT16_MAX };
static const struct field pid_item = { .type = FIELD_UINT,
	.size = sizeof(uint16_t), .min = 1, .max = 8190 };
static const struct field adapter_programs_rows[] = {
	{ "all", FIELD_AT(struct msg_adapter_programs, all) },
	{ "tables", FIELD_AT(struct msg_adapter_programs, tables) },
	{ "emms", FIELD_AT(struct msg_adapter_programs, emms) },
	{ "numbers", FIELD_ITEMS(struct msg_adapter_programs, numbers, n),
	  .item = &number_item },
	{ "pids", FIELD_ITEMS(struct msg_adapter_programs, pids, n_pids),
	  .item = &pid_item },
};
const struct field_table adapter_programs_fields =
	MSG_TABLE(struct msg_adapter_programs, adapter_programs_rows);

#define AT(member) FIELD_AT(struct msg_adapter_tuner, member)
static const struct field adapter_tuner_rows[] = {
	{ "taken", AT(taken) },
	{ "adapter", AT(adapter), .max = 255 },
	{ "silent", AT(silent) },
	{ "status", AT(status) },
	{ "signal", AT(signal) },
	{ "snr", AT(snr) },
	{ "signal_db", AT(signal_db), .min = INT32_MIN, .max = INT32_MAX },
	{ "snr_db", AT(snr_db), .min = INT32_MIN, .max = INT32_MAX },
	{ "ber", AT(ber) },
	{ "unc", AT(unc) },
	{ "ber_is_rate", AT(ber_is_rate) },
};
#undef AT
static const struct field_table adapter_tuner_fields =
	MSG_TABLE(struct msg_adapter_tuner, adapter_tuner_rows);

static const struct field adapter_status_rows[] = {
	{ "lock", FIELD_AT(struct msg_adapter_status, lock) },
	{ "on_air", FIELD_AT(struct msg_adapter_status, on_air) },
	{ "signal", FIELD_AT(struct msg_adapter_status, signal), .max = 100 },
	{ "snr", FIELD_AT(struct msg_adapter_status, snr), .max = 100 },
	{ "bitrate", FIELD_AT(struct msg_adapter_status, bitrate_kbps) },
	{ "lost", FIELD_AT(struct msg_adapter_status, lost) },
	{ "tuner", FIELD_IN(struct msg_adapter_status, tuner,
			    &adapter_tuner_fields) },
	{ "error", MSG_TEXT(struct msg_adapter_status, error),
	  .flags = FIELD_MAYBE },
};
const struct field_table adapter_status_fields =
	MSG_TABLE(struct msg_adapter_status, adapter_status_rows);

/* --- every worker --- */

static const struct field debug_rows[] = {
	{ "on", FIELD_AT(struct msg_worker_debug, on) },
};
const struct field_table worker_debug_fields =
	MSG_TABLE(struct msg_worker_debug, debug_rows);

static const struct field hello_rows[] = {
	{ "proto", FIELD_AT(struct msg_worker_hello, proto) },
	{ "build", MSG_WORD(struct msg_worker_hello, build) },
	{ "role", MSG_WORD(struct msg_worker_hello, role) },
	{ "flawed", MSG_WORD(struct msg_worker_hello, flawed),
	  .flags = FIELD_MAYBE },
};
const struct field_table worker_hello_fields =
	MSG_TABLE(struct msg_worker_hello, hello_rows);

static const struct field log_rows[] = {
	{ "level", FIELD_AT(struct msg_worker_log, level),
	  .choices = log_level_names },
	{ "component", MSG_WORD(struct msg_worker_log, component) },
	{ "text", MSG_TEXT(struct msg_worker_log, text) },
};
const struct field_table worker_log_fields =
	MSG_TABLE(struct msg_worker_log, log_rows);
