/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between the master and the workers of streams. */
#include "proto/ipc/msg.h"
#include "proto/ipc/msg_tables.h"
#include "proto/spec/link_stat.h"
#include "proto/spec/plan_shape.h"
#include "proto/spec/report_shape.h"

#include <errno.h>
#include <string.h>

enum { PID_MAX = 8191 };

static const struct field address_item = { .type = FIELD_STRING,
					   .size = sizeof(const char *) };

static const struct field cas_rows[] = {
	{ "link", FIELD_AT(struct cas_item, link) },
	{ "entry", FIELD_AT(struct cas_item, entry), .flags = FIELD_MAYBE },
};
static const struct field_table cas_fields =
	MSG_TABLE(struct cas_item, cas_rows);

#define AT(member) FIELD_AT(struct msg_stream_start, member)
static const struct field start_rows[] = {
	{ "id", AT(id) },
	{ "name", AT(name) },
	{ "inputs", FIELD_ITEMS(struct msg_stream_start, inputs, n_inputs),
	  .item = &address_item },
	{ "outputs", FIELD_ITEMS(struct msg_stream_start, outputs, n_outputs),
	  .item = &address_item },
	{ "hls", AT(hls), .max = MSG_HLS_MAX },
	{ "first", AT(first), .max = MSG_INPUTS_MAX },
	{ "by_hand", AT(by_hand) },
	{ "mux", AT(mux) },
	{ "feed", AT(feed) },
	{ "guide", AT(guide) },
	{ "ring", AT(ring) },
	{ "memory", AT(memory) },
	{ "options", AT(options), .flags = FIELD_MAYBE },
	{ "cas", FIELD_ITEMS(struct msg_stream_start, cas, n_cas),
	  .of = &cas_fields },
};
const struct field_table stream_start_fields =
	MSG_TABLE(struct msg_stream_start, start_rows);
#undef AT

static const struct field input_rows[] = {
	{ "position", FIELD_AT(struct msg_stream_input, position),
	  .max = MSG_INPUTS_MAX },
};
const struct field_table stream_input_fields =
	MSG_TABLE(struct msg_stream_input, input_rows);

static const struct field link_rows[] = {
	{ "stream", FIELD_AT(struct msg_stream_link, stream) },
	{ "ring", FIELD_AT(struct msg_stream_link, ring) },
};
const struct field_table stream_link_fields =
	MSG_TABLE(struct msg_stream_link, link_rows);

static const struct field rename_rows[] = {
	{ "from", FIELD_AT(struct msg_stream_rename, from) },
	{ "to", FIELD_AT(struct msg_stream_rename, to) },
};
const struct field_table stream_rename_fields =
	MSG_TABLE(struct msg_stream_rename, rename_rows);

static const struct field kick_rows[] = {
	{ "client", FIELD_AT(struct msg_deliver_kick, client) },
};
const struct field_table stream_kick_fields =
	MSG_TABLE(struct msg_deliver_kick, kick_rows);

static const struct field policy_rows[] = {
	{ "authorize", FIELD_AT(struct msg_deliver_policy, authorize) },
};
const struct field_table stream_policy_fields =
	MSG_TABLE(struct msg_deliver_policy, policy_rows);

static const struct field clock_rows[] = {
	{ "synchronised", FIELD_AT(struct msg_stream_clock, synchronised) },
};
const struct field_table stream_clock_fields =
	MSG_TABLE(struct msg_stream_clock, clock_rows);

static const struct field network_rows[] = {
	{ "streams", FIELD_AT(struct msg_stream_network, streams) },
};
const struct field_table stream_network_fields =
	MSG_TABLE(struct msg_stream_network, network_rows);

static const struct field guide_rows[] = {
	{ "place", FIELD_AT(struct msg_stream_guide, place),
	  .max = MSG_INPUTS_MAX },
	{ "stream", FIELD_AT(struct msg_stream_guide, stream) },
	{ "len", FIELD_AT(struct msg_stream_guide, len), .max = EPG_EIT_MAX },
};
const struct field_table stream_guide_fields =
	MSG_TABLE(struct msg_stream_guide, guide_rows);

static const struct field cue_rows[] = {
	{ "record", FIELD_AT(struct msg_stream_cue, record) },
	{ "timed", FIELD_AT(struct msg_stream_cue, timed) },
	{ "pre_roll_ms", FIELD_AT(struct msg_stream_cue, pre_roll_ms) },
};
const struct field_table stream_cue_fields =
	MSG_TABLE(struct msg_stream_cue, cue_rows);

static const struct field answer_rows[] = {
	{ "verdict", FIELD_AT(struct msg_deliver_answer, verdict),
	  .choices = ask_verdict_names },
	{ "login", FIELD_AT(struct msg_deliver_answer, login) },
	{ "recheck", FIELD_AT(struct msg_deliver_answer, recheck_s) },
};
const struct field_table stream_answer_fields =
	MSG_TABLE(struct msg_deliver_answer, answer_rows);

static const struct field review_rows[] = {
	{ "client", FIELD_AT(struct msg_deliver_review, client) },
};
const struct field_table stream_review_fields =
	MSG_TABLE(struct msg_deliver_review, review_rows);

/* Without "stream", because the worker that asks belongs to it, and without
 * "agent", because SRT callers have no User-Agent. */
static const struct field ask_rows[] = {
	{ "client", FIELD_AT(struct msg_deliver_ask, client),
	  .min = MSG_RECEIVER_BIT, .max = 2 * MSG_RECEIVER_BIT - 1 },
	{ "peer", MSG_WORD(struct msg_deliver_ask, peer) },
	{ "host", MSG_TEXT(struct msg_deliver_ask, host) },
	{ "path", MSG_TEXT(struct msg_deliver_ask, path) },
	{ "query", MSG_TEXT(struct msg_deliver_ask, query),
	  .flags = FIELD_SECRET },
	{ "protocol", MSG_WORD(struct msg_deliver_ask, protocol) },
};
const struct field_table stream_ask_fields =
	MSG_TABLE(struct msg_deliver_ask, ask_rows);

static const struct field gone_rows[] = {
	{ "client", FIELD_AT(struct msg_deliver_kick, client),
	  .min = MSG_RECEIVER_BIT, .max = 2 * MSG_RECEIVER_BIT - 1 },
};
const struct field_table stream_left_fields =
	MSG_TABLE(struct msg_deliver_kick, gone_rows);

static const struct field chosen_rows[] = {
	{ "position", FIELD_AT(struct msg_stream_chosen, position),
	  .max = MSG_INPUTS_MAX },
	{ "error", MSG_TEXT(struct msg_stream_chosen, error),
	  .flags = FIELD_MAYBE },
};
const struct field_table stream_chosen_fields =
	MSG_TABLE(struct msg_stream_chosen, chosen_rows);

static const struct field cued_rows[] = {
	{ "error", MSG_TEXT(struct msg_stream_cued, error),
	  .flags = FIELD_MAYBE },
};
const struct field_table stream_cued_fields =
	MSG_TABLE(struct msg_stream_cued, cued_rows);

#define AT(member) FIELD_AT(struct msg_stream_switched, member)
static const struct field switched_rows[] = {
	{ "time", AT(wall_ms) },
	{ "from", AT(from), .max = MSG_INPUTS_MAX },
	{ "to", AT(to), .max = MSG_INPUTS_MAX },
	{ "filler", AT(filler) },
	{ "late", AT(late) },
	{ "reason", MSG_WORD(struct msg_stream_switched, reason) },
	{ "fault", MSG_WORD(struct msg_stream_switched, fault) },
};
const struct field_table stream_switched_fields =
	MSG_TABLE(struct msg_stream_switched, switched_rows);
#undef AT

static const struct field analyze_rows[] = {
	{ "place", FIELD_AT(struct msg_stream_analyze, place),
	  .max = MSG_INPUTS_MAX },
	{ "from", FIELD_AT(struct msg_stream_analyze, from), .max = PID_MAX },
};
const struct field_table stream_analyze_fields =
	MSG_TABLE(struct msg_stream_analyze, analyze_rows);

static const struct field analysis_rows[] = {
	{ "next", FIELD_AT(struct msg_stream_analysis, next), .max = PID_MAX },
	{ "report", FIELD_AT(struct msg_stream_analysis, report),
	  .of = &report_fields },
};
const struct field_table stream_analysis_fields =
	MSG_TABLE(struct msg_stream_analysis, analysis_rows);

static const struct field plan_rows[] = {
	{ "input", FIELD_AT(struct msg_stream_analyze, place), .min = 1,
	  .max = MSG_INPUTS_MAX },
	{ "from", FIELD_AT(struct msg_stream_analyze, from), .max = PID_MAX },
};
const struct field_table stream_plan_fields =
	MSG_TABLE(struct msg_stream_analyze, plan_rows);

static const struct field planned_rows[] = {
	{ "next", FIELD_AT(struct msg_stream_analysis, next), .max = PID_MAX },
	{ "plan", FIELD_AT(struct msg_stream_analysis, report),
	  .of = &plan_fields },
};
const struct field_table stream_planned_fields =
	MSG_TABLE(struct msg_stream_analysis, planned_rows);

static const struct field scan_rows[] = {
	{ "position", FIELD_AT(struct msg_stream_scan, position),
	  .max = MSG_INPUTS_MAX },
	{ "begin", FIELD_AT(struct msg_stream_scan, begin) },
};
const struct field_table stream_scan_fields =
	MSG_TABLE(struct msg_stream_scan, scan_rows);

static const struct field record_rows[] = {
	{ "position", FIELD_AT(struct msg_stream_record, position), .min = 1,
	  .max = MSG_INPUTS_MAX },
	{ "record", FIELD_AT(struct msg_stream_record, record) },
};
const struct field_table stream_record_fields =
	MSG_TABLE(struct msg_stream_record, record_rows);

static const struct field splice_rows[] = {
	{ "record", FIELD_AT(struct msg_stream_splice, record) },
};
const struct field_table stream_splice_fields =
	MSG_TABLE(struct msg_stream_splice, splice_rows);

static const struct field receiver_rows[] = {
	{ "client", FIELD_AT(struct msg_receiver, client),
	  .min = MSG_RECEIVER_BIT, .max = 2 * MSG_RECEIVER_BIT - 1 },
	{ "peer", MSG_WORD(struct msg_receiver, peer) },
	{ "uptime", FIELD_AT(struct msg_receiver, uptime_s) },
	{ "login", FIELD_AT(struct msg_receiver, login), .max = MSG_LOGIN_MAX,
	  .flags = FIELD_MAYBE | FIELD_SPARE },
	{ "bytes", FIELD_AT(struct msg_receiver, bytes) },
};
static const struct field_table receiver_fields =
	MSG_TABLE(struct msg_receiver, receiver_rows);

static const struct field receivers_rows[] = {
	{ "output", FIELD_AT(struct msg_stream_receivers, output), .min = 1,
	  .max = MSG_OUTPUTS_MAX },
	{ "list", FIELD_ITEMS(struct msg_stream_receivers, list, n),
	  .of = &receiver_fields },
};
const struct field_table stream_receivers_fields =
	MSG_TABLE(struct msg_stream_receivers, receivers_rows);

/* --- stream.status --- */

static const char *const input_states[] = {
	[INPUT_IDLE] = "idle",
	[INPUT_OPENING] = "opening",
	[INPUT_ACTIVE] = "active",
	[INPUT_STANDBY] = "standby",
	[INPUT_DOWN] = "down",
	NULL,
};

const char *input_state_name(enum input_state state)
{
	return input_states[state];
}

/*
 * The API (master/status) shows these rows of an input and an output, except
 * the rows with FIELD_INNER.
 *
 * "stats" has the numbers of each link of an input or output.  It is
 * FIELD_SPARE, so that very many links do not make a stream.status too long.
 */
#define AT(member) FIELD_AT(struct msg_input_status, member)
#define TEXT(member) MSG_TEXT(struct msg_input_status, member)
static const struct field input_status_rows[] = {
	{ "position", AT(position), .min = 1, .max = MSG_INPUTS_MAX },
	{ "state", AT(state), .choices = input_states },
	{ "reason", MSG_WORD(struct msg_input_status, reason) },
	{ "since", AT(since_s) },
	{ "penalty", AT(penalty) },
	{ "damped_s", AT(damped_s), .flags = FIELD_INNER },
	{ "active", AT(active) },
	{ "open", AT(open) },
	{ "error", TEXT(error), .flags = FIELD_MAYBE },
	{ "fault_since", AT(fault_s), .flags = FIELD_INNER },
	{ "peer", TEXT(peer), .flags = FIELD_MAYBE | FIELD_SPARE },
	{ "heard", AT(heard), .flags = FIELD_INNER },
	{ "onair", AT(onair) },
	{ "scrambled", AT(scrambled) },
	{ "bitrate", AT(bitrate_kbps) },
	{ "received_bitrate", AT(received_kbps), .flags = FIELD_INNER },
	{ "packets", AT(packets) },
	{ "cc_error", AT(cc_error) },
	{ "pes_error", AT(pes_error) },
	{ "sc_error", AT(sc_error) },
	{ "video_count", AT(video_count) },
	{ "audio_count", AT(audio_count) },
	{ "lost", AT(lost) },
	{ "socket_drops", AT(socket_drops) },
	{ "sync_losses", AT(sync_losses) },
	{ "alarms", AT(alarms), .max = ALARMS_ALL, .flags = FIELD_INNER },
	{ "stats", AT(stats), .of = &link_stat_fields,
	  .flags = FIELD_MAYBE | FIELD_SPARE },
};
const struct field_table input_status_fields =
	MSG_TABLE(struct msg_input_status, input_status_rows);
#undef AT
#undef TEXT

#define AT(member) FIELD_AT(struct msg_output_status, member)
#define TEXT(member) MSG_TEXT(struct msg_output_status, member)
static const struct field output_status_rows[] = {
	{ "position", AT(position), .min = 1, .max = MSG_OUTPUTS_MAX },
	{ "open", AT(open) },
	{ "error", TEXT(error), .flags = FIELD_MAYBE },
	{ "peer", TEXT(peer), .flags = FIELD_MAYBE | FIELD_SPARE },
	{ "bitrate", AT(bitrate_kbps) },
	{ "packets", AT(packets) },
	{ "dropped", AT(dropped) },
	{ "stats", AT(stats), .of = &link_stat_fields,
	  .flags = FIELD_MAYBE | FIELD_SPARE },
};
const struct field_table output_status_fields =
	MSG_TABLE(struct msg_output_status, output_status_rows);
#undef AT
#undef TEXT

#define AT(member) FIELD_AT(struct msg_alarm_change, member)
static const struct field change_rows[] = {
	{ "place", AT(place), .max = MSG_INPUTS_MAX },
	{ "alarm", AT(alarm), .choices = alarm_names },
	{ "raised", AT(raised) },
	{ "count", AT(count) },
};
static const struct field_table change_fields =
	MSG_TABLE(struct msg_alarm_change, change_rows);
#undef AT

#define AT(member) FIELD_AT(struct msg_service_status, member)
static const struct field service_pid = { .type = FIELD_UINT,
					  .size = sizeof(uint16_t),
					  .max = PID_MAX };
static const struct field service_rows[] = {
	{ "pnr", AT(pnr) },
	{ "name", AT(name), .flags = FIELD_MAYBE },
	{ "input", AT(input), .min = 1, .max = MSG_INPUTS_MAX },
	{ "pmt_pid", AT(pmt_pid), .max = 8191 },
	{ "onair", AT(onair) },
	{ "absent", AT(absent) },
	{ "filler", AT(filler), .max = SERVICE_FILLERS - 1 },
	{ "priority", AT(priority) },
	{ "rate_min", AT(rate_min_kbps) },
	{ "rate_max", AT(rate_max_kbps) },
	{ "bitrate", AT(bitrate_kbps) },
	{ "dropped", AT(dropped) },
	{ "excess", AT(excess) },
	{ "eit_dropped", AT(eit_dropped) },
	{ "pids", FIELD_ITEMS(struct msg_service_status, pids, n_pids),
	  .item = &service_pid },
};
static const struct field_table service_fields =
	MSG_TABLE(struct msg_service_status, service_rows);
#undef AT

#define AT(member) FIELD_AT(struct msg_stream_status, member)
#define ITEMS(list, n) FIELD_ITEMS(struct msg_stream_status, list, n)
static const struct field status_rows[] = {
	{ "packets", AT(packets) },
	{ "alarms", AT(alarms), .max = ALARMS_ALL },
	{ "changes", ITEMS(changes, n_changes), .of = &change_fields },
	{ "sent_bitrate", AT(sent_kbps), .flags = FIELD_MAYBE },
	{ "chosen", AT(chosen), .max = MSG_INPUTS_MAX },
	{ "by_hand", AT(by_hand) },
	{ "filler", AT(filler) },
	{ "join", AT(join), .max = JOIN_KINDS - 1 },
	{ "gop", AT(gop_ms) },
	{ "codecs", MSG_TEXT(struct msg_stream_status, codecs),
	  .flags = FIELD_MAYBE },
	{ "width", AT(width), .flags = FIELD_MAYBE },
	{ "height", AT(height), .flags = FIELD_MAYBE },
	{ "cas_linked", AT(cas_linked), .max = (1 << CAS_LIST_MAX) - 1,
	  .flags = FIELD_MAYBE },
	{ "cas_error", MSG_TEXT(struct msg_stream_status, cas_error),
	  .flags = FIELD_MAYBE },
	{ "inputs", ITEMS(inputs, n_inputs), .of = &input_status_fields },
	{ "outputs", ITEMS(outputs, n_outputs), .of = &output_status_fields },
	{ "services", ITEMS(services, n_services), .of = &service_fields,
	  .flags = FIELD_MAYBE | FIELD_SPARE },
};

/* The master writes `codecs' into playlists, so it must not contain a line
 * end. */
static int judge_status(const void *s, struct errmsg *error)
{
	const struct msg_stream_status *m = s;
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789.,-";

	if (m->codecs == NULL || m->codecs[strspn(m->codecs, allowed)] == '\0')
		return 0;
	return errmsg_fail(error, -EINVAL, "codecs: has other characters than "
			   "A-Z a-z 0-9 . , -");
}

const struct field_table stream_status_fields =
	FIELD_TABLE(struct msg_stream_status, status_rows,
		    .flags = FIELD_STRICT, .judge = judge_status);
