/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/msg.h"

#include "proto/ipc/contract.h"
#include "proto/spec/link_stat.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One message of each type, every field set. */
static struct msg samples[] = {
	{ .type = MSG_STREAM_START, .seq = 7, .stream_start = {
		.id = "a001", .name = "News \"one\" \\ \x01 \xc3\xa4",
		.n_inputs = 2, .inputs = { "udp://239.1.1.1", "file:///a" },
		.n_outputs = 1, .outputs = { "http://0:8100/a" },
		.first = 2, .ring = true, .memory = true } },
	{ .type = MSG_STREAM_INPUT, .seq = 9, .stream_input = { 3 } },
	{ .type = MSG_STREAM_ANALYZE, .seq = 9,
	  .stream_analyze = { MSG_INPUTS_MAX, 8191 } },
	{ .type = MSG_STREAM_KICK, .stream_kick = { INT64_MAX } },
	{ .type = MSG_STREAM_RING },
	{ .type = MSG_STREAM_LINK, .stream_link = { "a000", true } },
	{ .type = MSG_DELIVER_LISTEN, .deliver_listen = { "[::]:80" } },
	{ .type = MSG_DELIVER_UNLISTEN, .deliver_unlisten = { "[::]:80" } },
	{ .type = MSG_DELIVER_MOUNT, .deliver_mount = {
		.address = "0.0.0.0:80", .path = "/a", .stream = "a001",
		.tls = true } },
	{ .type = MSG_DELIVER_UNMOUNT, .deliver_unmount = {
		.address = "0.0.0.0:80", .path = "/a", .stream = "a001",
		.tls = true } },
	{ .type = MSG_DELIVER_RENEW },
	{ .type = MSG_DELIVER_SETTLE },
	{ .type = MSG_DELIVER_LIST, .seq = 3, .deliver_list = { 5 } },
	{ .type = MSG_DELIVER_KICK, .deliver_kick = { INT64_MAX } },
	{ .type = MSG_DELIVER_TLS },
	{ .type = MSG_AUTH_HASH, .seq = 1, .auth_hash = { "p\x01\"\\" } },
	{ .type = MSG_AUTH_VERIFY, .seq = 2, .auth_verify = {
		.password = "\xc3\xa4", .hash = "$y$j9T$a$b" } },
	{ .type = MSG_TLS_CERTIFICATE, .seq = 1, .tls_certificate = { true } },
	{ .type = MSG_TLS_LINK },
	{ .type = MSG_TLS_SERVE },
	{ .type = MSG_SCAN_START, .scan_start = { "udp://239.1.1.1" } },
	{ .type = MSG_SOFTCAM_TEST, .softcam_test = { "cam.example", 1 } },
	{ .type = MSG_WORKER_DEBUG, .worker_debug = { true } },
	{ .type = MSG_WORKER_HELLO, .worker_hello = {
		.proto = MSG_PROTO_VERSION, .build = "1", .role = "stream" } },
	{ .type = MSG_WORKER_READY, .seq = UINT32_MAX },
	{ .type = MSG_WORKER_LOG, .worker_log = {
		.level = LOG_LEVEL_WARNING, .component = "input",
		.text = "quiet" } },
	{ .type = MSG_STREAM_STATUS, .stream_status = {
		.packets = INT64_MAX, .chosen = 1, .filler = true,
		.n_changes = 1,
		.changes = { { .place = 32, .alarm = ALARM_TWO_SENDERS,
			.raised = true, .count = 3 } },
		.n_inputs = 1,
		.inputs = { { .position = MSG_INPUTS_MAX,
			.state = INPUT_DOWN, .reason = "scrambled",
			.since_s = 1, .penalty = 10, .damped = true,
			.active = true,
			.error = "gone", .peer = "192.0.2.7:9000",
			.heard = true, .onair = true, .scrambled = true,
			.bitrate_kbps = 1, .packets = 2, .cc_error = 3,
			.pes_error = 4, .sc_error = 5, .video_count = 6,
			.audio_count = 7, .lost = 8, .socket_drops = 9,
			.sync_losses = UINT32_MAX } },
		.n_outputs = 1,
		.outputs = { { .position = 1, .open = true,
			.peer = "[2001:db8::1]:9000", .bitrate_kbps = 3,
			.packets = 1, .dropped = 2 } } } },
	{ .type = MSG_STREAM_CHOSEN, .seq = 9, .stream_chosen = {
		.position = 0, .error = "none" } },
	{ .type = MSG_STREAM_SWITCHED, .stream_switched = {
		.wall_ms = 1, .from = 2, .to = MSG_INPUTS_MAX, .filler = true,
		.reason = "fault", .fault = "no packets" } },
	{ .type = MSG_STREAM_ANALYSIS, .seq = 9,
	  .stream_analysis = { .next = 1 } },
	{ .type = MSG_STREAM_RECEIVERS, .stream_receivers = {
		.output = MSG_OUTPUTS_MAX, .n = 2, .list = {
			{ MSG_RECEIVER_BIT, "192.0.2.7", 0 },
			{ 2 * MSG_RECEIVER_BIT - 1, "2001:db8::1",
			  UINT32_MAX } } } },
	{ .type = MSG_DELIVER_STATUS, .deliver_status = {
		.viewers = 1, .bytes = 2, .cut = 3 } },
	{ .type = MSG_DELIVER_VIEWERS, .deliver_viewers = {
		.address = "0.0.0.0:80", .path = "/a", .stream = "a001",
		.viewers = 1, .bytes = 2, .cut = 3 } },
	{ .type = MSG_DELIVER_SESSIONS, .seq = 3, .deliver_sessions = {
		.n = 2, .list = {
			{ 1, "a001", "192.0.2.7", 0 },
			{ INT64_MAX, "b", "2001:db8::1", UINT32_MAX } },
		.more = true } },
	{ .type = MSG_AUTH_RESULT, .seq = 1, .auth_result = {
		.ok = true, .hash = "$y$j9T$a$b" } },
	{ .type = MSG_AUTH_STATUS, .auth_status = { .jobs = 3 } },
	{ .type = MSG_TLS_RESULT, .seq = 1, .tls_result = {
		.field = "crt_key", .why = "is encrypted" } },
	{ .type = MSG_TLS_STATUS, .tls_status = {
		.connections = 1, .handshakes = 2, .failed = 3 } },
	{ .type = MSG_SCAN_RECORD },
	{ .type = MSG_SCAN_ANNOUNCEMENT, .scan_announcement = {
		.place = SCAN_PLACES_MAX - 1, .iface = "eth0",
		.sender = "192.0.2.7", .name = "News",
		.input = "rtp://eth0@239.1.1.1:5004", .note = "" } },
	{ .type = MSG_SCAN_STATUS, .scan_status = { 3, "gone" } },
	{ .type = MSG_SOFTCAM_RESULT, .softcam_result = { "login failed" } },
	{ .type = MSG_QUERIER_STATUS, .querier_status = {
		.mld_error = "no IPv6", .listening_ms = 4, .n = 2, .list = {
			{ 2, false, 3, "192.0.2.1", 125, 17 },
			{ INT32_MAX, true, 2, "fe80::1", UINT32_MAX,
			  INT64_MAX } } } },
};

__attribute__((constructor)) static void fill_samples(void)
{
	samples[MSG_SCAN_RECORD].scan_record.record =
		json_pack("{s:s, s:[i]}", "psi", "pat", "programs", 1);
	samples[MSG_STREAM_ANALYSIS].stream_analysis.report =
		json_pack("{s:b, s:i}", "watched", 1, "packets", 7);
}

static char text[MSG_SIZE_MAX], again[MSG_SIZE_MAX];

static int decode(const char *data, size_t len, enum msg_side side,
		  struct errmsg *error)
{
	struct msg m;
	int err = msg_decode(data, len, side, &m, error);

	if (err == 0)
		msg_done(&m);
	return err;
}

static int decode_json(const json_t *document, enum msg_side side,
		       struct errmsg *error)
{
	char *dump = json_dumps(document, 0);
	int err = decode(dump, strlen(dump), side, error);

	free(dump);
	return err;
}

Test(msg, every_type_survives_the_round_trip)
{
	cr_assert_eq(ARRAY_LEN(samples), MSG_COUNT);
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		const struct msg *m = &samples[i];
		ssize_t len = msg_encode(m, text);
		struct errmsg error = { 0 };
		struct msg back;

		cr_assert_eq(m->type, i);
		cr_assert_gt(len, 0);
		cr_assert_eq(msg_decode(text, (size_t)len,
					msg_type_side(m->type), &back, &error),
			     0, "%s: %s", msg_type_name(m->type), error.text);
		cr_assert_eq(back.type, m->type);
		cr_assert_eq(back.seq, m->seq);
		cr_assert_eq(msg_fds(&back), msg_fds(m));
		cr_assert_eq(msg_encode(&back, again), len);
		cr_assert_arr_eq(text, again, (size_t)len, "%s",
				 msg_type_name(m->type));
		msg_done(&back);
	}
}

Test(msg, the_options_of_a_stream_travel_as_they_are)
{
	struct msg m = samples[MSG_STREAM_START], back;
	json_t *options = json_pack("{siss}", "set_pnr", 5, "map",
				    "pmt=100, \"\xc3\xa4\"");
	ssize_t len;

	m.stream_start.options = options;
	len = msg_encode(&m, text);
	cr_assert_gt(len, 0);
	cr_assert_eq(msg_decode(text, (size_t)len, MSG_TO_WORKER, &back, NULL),
		     0);
	cr_assert(json_equal(back.stream_start.options, options));
	msg_done(&back);

	(void)json_object_set_new(options, "map", json_array());
	for (size_t i = 0; i < 20000; i++)
		(void)json_array_append_new(json_object_get(options, "map"),
					    json_integer(8190));
	cr_assert_eq(msg_encode(&m, text), -EMSGSIZE);
	json_decref(options);
}

static json_t *every_stat(void)
{
	struct link_stats all = { 0 };

	for (int i = 0; i < LINK_STAT_COUNT; i++)
		link_stats_set(&all, (enum link_stat)i, INT64_MAX);
	return link_stats_format(&all);
}

static int decode_stats(json_t *take_stats, struct errmsg *error)
{
	struct msg m = samples[MSG_STREAM_STATUS];
	ssize_t len;

	m.stream_status.outputs[0].stats = take_stats;
	len = msg_encode(&m, text);
	json_decref(take_stats);
	cr_assert_gt(len, 0);
	return decode(text, (size_t)len, MSG_TO_MASTER, error);
}

Test(msg, numbers_of_a_link_are_those_of_the_table)
{
	struct errmsg error;

	cr_assert_eq(decode_stats(every_stat(), &error), 0, "%s", error.text);
	cr_assert_eq(decode_stats(json_pack("{si}", "rtt", 1), &error),
		     -EBADMSG);
	cr_assert_str_eq(error.text, "stream.status: "
			 "outputs[0].stats.rtt: is not known");
	cr_assert_eq(decode_stats(json_pack("{si}", "rtt_us", -1), &error),
		     -EBADMSG);
	cr_assert_eq(decode_stats(json_pack("{ss}", "rtt_us", "1"), &error),
		     -EBADMSG);
}

Test(msg, a_status_of_very_many_links_goes_out_without_their_numbers)
{
	static char error[501];
	struct msg m = samples[MSG_STREAM_STATUS], back;
	struct msg_stream_status *s = &m.stream_status;
	json_t *stats = every_stat();
	ssize_t len;

	memset(error, 'x', sizeof error - 1);
	s->inputs[0].error = error;
	s->n_inputs = MSG_INPUTS_MAX;
	s->n_outputs = MSG_OUTPUTS_MAX;
	for (size_t i = 0; i < MSG_INPUTS_MAX; i++) {
		s->inputs[i] = s->inputs[0];
		s->inputs[i].stats = stats;
	}
	for (size_t i = 0; i < MSG_OUTPUTS_MAX; i++) {
		s->outputs[i] = s->outputs[0];
		s->outputs[i].error = error;
		s->outputs[i].stats = stats;
	}
	len = msg_encode(&m, text);
	cr_assert_gt(len, 0);
	cr_assert_eq(msg_decode(text, (size_t)len, MSG_TO_MASTER, &back, NULL),
		     0);
	cr_assert_eq(back.stream_status.n_outputs, MSG_OUTPUTS_MAX);
	cr_assert_null(back.stream_status.outputs[0].stats);
	msg_done(&back);
	json_decref(stats);
}

Test(msg, values_arrive_in_their_own_fields)
{
	const struct msg *m = &samples[MSG_STREAM_STATUS];
	ssize_t len = msg_encode(m, text);
	struct msg_input_status in;
	struct msg back;

	cr_assert_eq(msg_decode(text, (size_t)len, MSG_TO_MASTER, &back, NULL),
		     0);
	in = back.stream_status.inputs[0];
	cr_assert_eq(back.stream_status.packets, INT64_MAX);
	cr_assert(in.active && in.heard && in.onair && in.scrambled);
	cr_assert_not(in.open);
	cr_assert_str_eq(in.error, "gone");
	cr_assert_eq(in.state, INPUT_DOWN);
	cr_assert_str_eq(in.reason, "scrambled");
	cr_assert_eq(in.since_s, 1);
	cr_assert_eq(in.penalty, 10);
	cr_assert(in.damped);
	cr_assert_eq(in.position, MSG_INPUTS_MAX);
	cr_assert_eq(in.bitrate_kbps, 1);
	cr_assert_eq(in.packets, 2);
	cr_assert_eq(in.cc_error, 3);
	cr_assert_eq(in.pes_error, 4);
	cr_assert_eq(in.sc_error, 5);
	cr_assert_eq(in.video_count, 6);
	cr_assert_eq(in.audio_count, 7);
	cr_assert_eq(in.lost, 8);
	cr_assert_eq(in.socket_drops, 9);
	cr_assert_eq(in.sync_losses, UINT32_MAX);
	cr_assert_null(back.stream_status.outputs[0].error);
	msg_done(&back);
}

Test(msg, a_message_of_the_other_side_is_refused)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		ssize_t len = msg_encode(&samples[i], text);
		enum msg_side other = msg_type_side(samples[i].type) ==
				MSG_TO_MASTER ? MSG_TO_WORKER : MSG_TO_MASTER;

		cr_assert_eq(decode(text, (size_t)len, other, NULL), -EBADMSG);
	}
}

Test(msg, a_datagram_cut_anywhere_is_refused)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		size_t len = (size_t)msg_encode(&samples[i], text);

		for (size_t cut = 0; cut < len; cut++)
			cr_assert_eq(decode(text, cut,
					    msg_type_side(samples[i].type),
					    NULL),
				     -EBADMSG);
	}
}

/* Takes every key of object away, spoils its value and adds a foreign one;
 * each time document, which holds object, must be refused. */
static bool may_be_absent(const char *key)
{
	static const char *const keys[] = { "error", "igmp_error",
					    "mld_error", "peer", "seq" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

static void spoil(const json_t *document, json_t *object, enum msg_side side)
{
	json_t *whole = json_deep_copy(object);
	const char *key;
	json_t *value;

	json_object_set_new(object, "extra", json_integer(1));
	cr_assert_eq(decode_json(document, side, NULL), -EBADMSG);
	json_object_del(object, "extra");
	cr_assert_eq(decode_json(document, side, NULL), 0);

	json_object_foreach(whole, key, value) {
		struct errmsg error = { 0 };

		json_object_set_new(object, key, json_null());
		cr_assert_eq(decode_json(document, side, &error), -EBADMSG,
			     "%s is null", key);
		cr_assert_neq(error.text[0], '\0');
		json_object_del(object, key);
		if (!may_be_absent(key))
			cr_assert_eq(decode_json(document, side, NULL),
				     -EBADMSG, "without %s", key);
		if (json_is_integer(value) && strcmp(key, "packets") != 0) {
			json_object_set_new(object, key, json_integer(-1));
			cr_assert_eq(decode_json(document, side, NULL),
				     -EBADMSG, "%s is -1", key);
		}
		json_object_set(object, key, value);
	}
	json_decref(whole);
}

Test(msg, every_missing_wrong_and_unknown_key_is_refused)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		size_t len = (size_t)msg_encode(&samples[i], text);
		enum msg_side side = msg_type_side(samples[i].type);
		json_t *document = json_loadb(text, len, 0, NULL);
		json_t *body;

		spoil(document, document, side);
		body = json_object_get(document, "body");
		spoil(document, body, side);
		if (samples[i].type == MSG_STREAM_STATUS) {
			json_t *inputs = json_object_get(body, "inputs");
			json_t *outputs = json_object_get(body, "outputs");

			json_t *changes = json_object_get(body, "changes");

			spoil(document, json_array_get(changes, 0), side);
			spoil(document, json_array_get(inputs, 0), side);
			spoil(document, json_array_get(outputs, 0), side);
		}
		json_decref(document);
	}
}

Test(msg, numbers_and_texts_out_of_range_are_refused)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "\"position\":32", "\"position\":33" },
		{ "\"position\":32", "\"position\":0" },
		{ "\"bitrate\":1", "\"bitrate\":4294967296" },
		{ "\"bitrate\":1", "\"bitrate\":1.5" },
		{ "\"bitrate\":1", "\"bitrate\":1e3" },
		{ "\"bitrate\":1", "\"bitrate\":99999999999999999999" },
		{ "\"bitrate\":1", "\"bitrate\":1,\"bitrate\":1" },
		{ "gone", "go\\u0000ne" },
		{ "\"place\":32", "\"place\":33" },
		{ "two_senders", "ten_senders" },
		{ "\"state\":\"down\"", "\"state\":\"up\"" },
	};
	size_t len = (size_t)msg_encode(&samples[MSG_STREAM_STATUS], text);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *place = memmem(text, len, cases[i].from,
					   strlen(cases[i].from));
		size_t head = (size_t)(place - text);
		int n;

		cr_assert_not_null(place);
		n = snprintf(again, sizeof again, "%.*s%s%.*s", (int)head,
			     text, cases[i].to,
			     (int)(len - head - strlen(cases[i].from)),
			     place + strlen(cases[i].from));
		cr_assert_eq(decode(again, (size_t)n, MSG_TO_MASTER, NULL),
			     -EBADMSG, "%s", cases[i].to);
	}
}

Test(msg, lists_are_bounded)
{
	struct msg m = samples[MSG_STREAM_STATUS];
	json_t *document, *inputs;
	size_t len;

	m.stream_status.n_inputs = MSG_INPUTS_MAX;
	for (size_t i = 0; i < MSG_INPUTS_MAX; i++)
		m.stream_status.inputs[i] = m.stream_status.inputs[0];
	len = (size_t)msg_encode(&m, text);
	cr_assert_eq(decode(text, len, MSG_TO_MASTER, NULL), 0);

	document = json_loadb(text, len, 0, NULL);
	inputs = json_object_get(json_object_get(document, "body"), "inputs");
	json_array_append(inputs, json_array_get(inputs, 0));
	cr_assert_eq(decode_json(document, MSG_TO_MASTER, NULL), -EBADMSG);
	json_decref(document);
}

Test(msg, bytes_that_are_not_utf8_are_replaced)
{
	/* cut in the middle, overlong, surrogate, above the last, stray */
	struct msg m = { .type = MSG_WORKER_LOG, .worker_log = {
		.level = LOG_LEVEL_INFO, .component = "x",
		.text = "\xc3|\xc0\x80|\xed\xa0\x80|\xf5\x80\x80\x80|\xbf|"
			"\xf0\x9f\x93\xba|\xe2\x82" } };
	ssize_t len = msg_encode(&m, text);
	struct msg back;

	cr_assert_eq(msg_decode(text, (size_t)len, MSG_TO_MASTER, &back, NULL),
		     0);
	cr_assert_str_eq(back.worker_log.text,
			 "?|\?\?|\?\?\?|\?\?\?\?|?|\xf0\x9f\x93\xba|\?\?");
	msg_done(&back);
}

Test(msg, a_message_that_is_too_long_is_not_encoded)
{
	struct msg m = { .type = MSG_STREAM_START, .stream_start = {
		.id = "a", .name = again } };

	memset(again, 'x', sizeof again - 1);
	again[sizeof again - 1] = '\0';
	cr_assert_eq(msg_encode(&m, text), -EMSGSIZE);
}

Test(msg, every_example_of_the_catalogue_decodes)
{
	bool seen[MSG_COUNT] = { false };
	char path[4096];
	char *page, *start, *end;
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/proto/ipc/MESSAGES.md",
		       getenv("srcdir") ? getenv("srcdir") : ".");
	file = fopen(path, "r");
	cr_assert_not_null(file, "%s", path);
	page = calloc(1, 65536);
	cr_assert_gt(fread(page, 1, 65535, file), 0);
	fclose(file);

	for (start = page; (start = strstr(start, "```json\n")); start = end) {
		struct errmsg error = { 0 };
		struct msg m;
		size_t len;

		start += strlen("```json\n");
		end = strstr(start, "```");
		cr_assert_not_null(end);
		len = (size_t)(end - start);
		if (msg_decode(start, len, MSG_TO_MASTER, &m, &error) < 0)
			cr_assert_eq(msg_decode(start, len, MSG_TO_WORKER, &m,
						&error),
				     0, "%s", error.text);
		seen[m.type] = true;
		msg_done(&m);
		end += 3;
	}
	for (unsigned i = 0; i < MSG_COUNT; i++)
		cr_assert(seen[i], "%s has no example",
			  msg_type_name((enum msg_type)i));
	free(page);
}
