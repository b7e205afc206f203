/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/msg.h"

#include "proto/ipc/contract.h"
#include "proto/spec/link_stat.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values at the bounds of their fields.  The examples in MESSAGES.md are the
 * other messages that every test below takes. */
static const struct msg samples[] = {
	{ .type = MSG_STREAM_START, .seq = 7, .stream_start = {
		.id = "a001", .name = "News \"one\" \\ \x01 \xc3\xa4",
		.n_inputs = 2, .inputs = { "udp://239.1.1.1", "file:///a" },
		.n_outputs = 1, .outputs = { "http://0:8100/a" },
		.first = 2, .by_hand = true, .mux = true, .feed = true,
		.guide = true, .ring = true, .memory = true } },
	{ .type = MSG_STREAM_ANALYZE, .seq = 9,
	  .stream_analyze = { MSG_INPUTS_MAX, 8191 } },
	{ .type = MSG_STREAM_PLAN, .seq = 10,
	  .stream_plan = { MSG_INPUTS_MAX, 8191 } },
	{ .type = MSG_STREAM_KICK, .stream_kick = { INT64_MAX } },
	{ .type = MSG_DELIVER_LIMITS, .deliver_limits = {
		.per_address = 512, .n_proxies = 2,
		.proxies = { "10.0.0.0/8", "::1" } } },
	{ .type = MSG_DELIVER_KICK, .deliver_kick = {
		.client = INT64_MAX, .idle = true, .limit = true } },
	{ .type = MSG_WORKER_READY, .seq = UINT32_MAX },
	{ .type = MSG_WORKER_LOG, .worker_log = {
		.level = LOG_LEVEL_WARNING, .component = "input",
		.text = "quiet" } },
	{ .type = MSG_STREAM_STATUS, .stream_status = {
		.packets = INT64_MAX, .sent_kbps = UINT32_MAX,
		.n_services = 1,
		.services = { { .pnr = 65535, .input = MSG_INPUTS_MAX,
			.name = "Eins", .pmt_pid = 8191, .onair = true,
			.filler = SERVICE_FILLER_FILE,
			.priority = 255, .rate_min_kbps = 1,
			.rate_max_kbps = UINT32_MAX,
			.bitrate_kbps = UINT32_MAX, .dropped = INT64_MAX,
			.n_pids = 2, .pids = { 8190, 32 } } },
		.chosen = 1, .by_hand = true, .filler = true,
		.join = JOIN_GUESS, .gop_ms = UINT32_MAX,
		.codecs = "avc1.64001f,mp4a.40.2", .width = 1280,
		.height = 720,
		.n_changes = 1,
		.changes = { { .place = 32, .alarm = ALARM_TWO_SENDERS,
			.raised = true, .count = 3 } },
		.n_inputs = 1,
		.inputs = { { .position = MSG_INPUTS_MAX,
			.state = INPUT_DOWN, .reason = "scrambled",
			.since_s = 1, .penalty = 10, .damped_s = 11,
			.active = true,
			.error = "gone", .fault_s = 12,
			.peer = "192.0.2.7:9000",
			.heard = true, .onair = true, .scrambled = true,
			.bitrate_kbps = 1, .received_kbps = 10,
			.packets = 2, .cc_error = 3,
			.pes_error = 4, .sc_error = 5, .video_count = 6,
			.audio_count = 7, .lost = 8, .socket_drops = 9,
			.sync_losses = UINT32_MAX } },
		.n_outputs = 1,
		.outputs = { { .position = 1, .open = true,
			.peer = "[2001:db8::1]:9000", .bitrate_kbps = 3,
			.packets = 1, .dropped = 2 } } } },
	{ .type = MSG_STREAM_SWITCHED, .stream_switched = {
		.wall_ms = 1, .from = 2, .to = MSG_INPUTS_MAX, .filler = true,
		.late = true,
		.reason = "fault", .fault = "no packets" } },
	{ .type = MSG_STREAM_RECEIVERS, .stream_receivers = {
		.output = MSG_OUTPUTS_MAX, .n = 2, .list = {
			{ MSG_RECEIVER_BIT, "192.0.2.7", 0, "", 0 },
			{ 2 * MSG_RECEIVER_BIT - 1, "2001:db8::1",
			  UINT32_MAX, "\xc3\xa4", INT64_MAX } } } },
	{ .type = MSG_DELIVER_SESSIONS, .seq = 3, .deliver_sessions = {
		.n = 2, .list = {
			{ 1, "a001", "192.0.2.7", 0, "", "", "http", 0, 0,
			  0, false },
			{ INT64_MAX, "b", "2001:db8::1", UINT32_MAX, "\xc3\xa4",
			  "VLC", "hls", INT64_MAX, INT64_MAX, INT64_MAX,
			  true } },
		.more = true } },
	{ .type = MSG_DELIVER_CHANGES, .deliver_changes = {
		.n_left = 2, .left = { 1, INT64_MAX } } },
	{ .type = MSG_DELIVER_ANSWER, .seq = 1, .deliver_answer = {
		ASK_REDIRECTED, "anna", UINT32_MAX, "http://promo/" } },
	{ .type = MSG_QUERIER_STATUS, .querier_status = {
		.mld_error = "no IPv6", .listening_ms = 4, .n = 2, .list = {
			{ 2, false, 3, "192.0.2.1", 125, 17 },
			{ INT32_MAX, true, 2, "fe80::1", UINT32_MAX,
			  INT64_MAX } } } },
};

static char text[MSG_SIZE_MAX], again[MSG_SIZE_MAX];

static const struct msg *sample(enum msg_type type)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		if (samples[i].type == type)
			return &samples[i];
	abort();
}

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

/* The types that occurred. */
struct seen {
	bool types[MSG_COUNT];
};

/* Calls check with every sample and every example of the catalogue. */
static struct seen for_each_message(void (*check)(const char *data, size_t len,
					       const struct msg *))
{
	char path[4096], *page = calloc(1, MSG_SIZE_MAX), *start, *end;
	const char *srcdir = getenv("srcdir");
	struct seen seen = { { false } };
	FILE *file;

	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		ssize_t len = msg_encode(&samples[i], text);

		cr_assert_gt(len, 0);
		check(text, (size_t)len, &samples[i]);
	}
	(void)snprintf(path, sizeof path, "%s/proto/ipc/MESSAGES.md",
		       srcdir != NULL ? srcdir : ".");
	file = fopen(path, "r");
	cr_assert_not_null(file, "%s", path);
	cr_assert_gt(fread(page, 1, MSG_SIZE_MAX - 1, file), 0);
	fclose(file);

	for (start = page; (start = strstr(start, "```json\n")); start = end) {
		struct errmsg error = { 0 };
		struct msg m;
		ssize_t len;

		start += strlen("```json\n");
		end = strstr(start, "```");
		cr_assert_not_null(end);
		len = end - start;
		if (msg_decode(start, (size_t)len, MSG_TO_MASTER, &m,
			       &error) < 0)
			cr_assert_eq(msg_decode(start, (size_t)len,
						MSG_TO_WORKER, &m, &error),
				     0, "%s", error.text);
		len = msg_encode(&m, text);
		cr_assert_gt(len, 0);
		check(text, (size_t)len, &m);
		seen.types[m.type] = true;
		msg_done(&m);
		end += strlen("```");
	}
	free(page);
	return seen;
}

/* The types of the catalogue to the master begin with worker.hello. */
static enum msg_side side_of(enum msg_type type)
{
	return type < MSG_WORKER_HELLO ? MSG_TO_WORKER : MSG_TO_MASTER;
}

static void make_round_trip(const char *data, size_t len, const struct msg *m)
{
	struct errmsg error = { 0 };
	struct msg back;

	memset(&back, 0xa5, sizeof back);
	cr_assert_eq(msg_decode(data, len, side_of(m->type), &back,
				&error),
		     0, "%s: %s", msg_type_name(m->type), error.text);
	cr_assert_eq(back.type, m->type);
	cr_assert_eq(back.seq, m->seq);
	cr_assert_eq(msg_fds(&back), msg_fds(m));
	cr_assert_eq(msg_encode(&back, again), (ssize_t)len);
	cr_assert_arr_eq(data, again, len, "%s", msg_type_name(m->type));
	msg_done(&back);
}

Test(msg, every_type_has_an_example_and_survives_the_round_trip)
{
	struct seen seen = for_each_message(make_round_trip);

	for (unsigned i = 0; i < MSG_COUNT; i++)
		cr_assert(seen.types[i], "%s has no example in MESSAGES.md",
			  msg_type_name((enum msg_type)i));
}

Test(msg, the_options_of_a_stream_arrive_unchanged)
{
	struct msg m = *sample(MSG_STREAM_START), back;
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
	struct msg m = *sample(MSG_STREAM_STATUS);
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

Test(msg, a_status_of_many_links_has_neither_statistics_nor_services)
{
	static char error[501];
	struct msg m = *sample(MSG_STREAM_STATUS), back;
	struct msg_stream_status *s = &m.stream_status;
	json_t *stats = every_stat();
	ssize_t len;

	memset(error, 'x', sizeof error - 1);
	s->inputs[0].error = error;
	s->n_inputs = MSG_INPUTS_MAX;
	s->n_outputs = MSG_OUTPUTS_MAX;
	s->n_services = MSG_SERVICES_MAX;
	s->n_changes = MSG_CHANGES_MAX;
	for (size_t i = 0; i < MSG_SERVICES_MAX; i++)
		s->services[i] = s->services[0];
	for (size_t i = 0; i < MSG_CHANGES_MAX; i++)
		s->changes[i] = s->changes[0];
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
	cr_assert_eq(back.stream_status.n_services, 0);
	msg_done(&back);
	json_decref(stats);
}

Test(msg, values_arrive_in_their_own_fields)
{
	const struct msg *m = sample(MSG_STREAM_STATUS);
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
	cr_assert_eq(in.damped_s, 11);
	cr_assert_eq(in.fault_s, 12);
	cr_assert_eq(in.position, MSG_INPUTS_MAX);
	cr_assert_eq(in.bitrate_kbps, 1);
	cr_assert_eq(in.received_kbps, 10);
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

/* stream.ask and deliver.ask share a struct: a caller has no stream. */
Test(msg, members_that_a_message_lacks_are_zero)
{
	struct msg m = { .type = MSG_STREAM_ASK, .seq = 1, .stream_ask = {
		.client = MSG_RECEIVER_BIT, .peer = "::1", .host = "",
		.path = "a", .query = "", .protocol = "srt" } }, back;
	ssize_t len = msg_encode(&m, text);

	memset(&back, 0xa5, sizeof back);
	cr_assert_eq(msg_decode(text, (size_t)len, MSG_TO_MASTER, &back, NULL),
		     0);
	cr_assert_str_eq(back.stream_ask.protocol, "srt");
	cr_assert_null(back.stream_ask.stream);
	cr_assert_null(back.stream_ask.agent);
	cr_assert_eq(back.stream_ask.key, 0);
	cr_assert_not(back.stream_ask.free);
	msg_done(&back);
}

static void send_to_wrong_side(const char *data, size_t len,
			       const struct msg *m)
{
	enum msg_side other = side_of(m->type) == MSG_TO_MASTER ?
			MSG_TO_WORKER : MSG_TO_MASTER;

	cr_assert_eq(decode(data, len, other, NULL), -EBADMSG);
}

Test(msg, a_message_of_the_other_side_is_rejected)
{
	(void)for_each_message(send_to_wrong_side);
}

static void cut(const char *data, size_t len, const struct msg *m)
{
	for (size_t n = 0; n < len; n++)
		cr_assert_eq(decode(data, n, side_of(m->type), NULL),
			     -EBADMSG);
}

Test(msg, a_datagram_cut_at_any_byte_is_rejected)
{
	(void)for_each_message(cut);
}

static bool may_be_absent(const char *key)
{
	static const char *const keys[] = { "cas_error", "cas_linked", "codecs",
					    "height", "width", "error",
					    "flawed", "igmp_error",
					    "mld_error", "options",
					    "peer", "sent_bitrate", "seq",
					    "services", "stats", "ua" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* Removes each key of object, changes its value and adds an unknown key; each
 * time document, which contains object, must be rejected. */
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
			json_object_set_new(object, key,
					    json_integer(INT32_MIN));
			cr_assert_eq(decode_json(document, side, NULL),
				     -EBADMSG, "%s is too small", key);
		}
		json_object_set(object, key, value);
	}
	json_decref(whole);
}

static void spoil_message(const char *data, size_t len, const struct msg *m)
{
	static const char *const lists[] = { "changes", "inputs", "outputs" };
	enum msg_side side = side_of(m->type);
	json_t *document = json_loadb(data, len, 0, NULL);
	json_t *body;

	spoil(document, document, side);
	body = json_object_get(document, "body");
	spoil(document, body, side);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		json_t *list = json_object_get(body, lists[i]);

		if (json_is_object(json_array_get(list, 0)))
			spoil(document, json_array_get(list, 0), side);
	}
	json_decref(document);
}

Test(msg, missing_wrong_and_unknown_keys_are_rejected)
{
	(void)for_each_message(spoil_message);
}

Test(msg, numbers_and_texts_out_of_range_are_rejected)
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
		{ "64001f,", "64001f\\n#EXT," }, { "64001f,", "64\\\"," },
		{ "\"state\":\"down\"", "\"state\":\"up\"" },
	};
	size_t len = (size_t)msg_encode(sample(MSG_STREAM_STATUS), text);

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

Test(msg, parts_of_a_message_are_those_of_the_contract)
{
	static const char *const wrong[] = {
		"", "[]", "{}", "{\"type\":\"worker.ready\"}",
		"{\"body\":{},\"type\":\"worker.ready\"}",
		"{\"type\":\"worker.ready\",\"body\":{},\"body\":{}}",
		"{\"type\":\"worker.ready\",\"type\":\"worker.ready\","
		"\"body\":{}}",
		"{\"type\":\"worker.ready\",\"body\":{},\"seq\":0}",
		"{\"type\":\"worker.ready\",\"body\":{},\"seq\":4294967296}",
		"{\"type\":\"worker.ready\",\"body\":{}}}",
		"{\"type\":\"worker.ready\",\"body\":{}} x",
		"{\"type\":\"worker.read\",\"body\":{}}",
		"{\"type\":7,\"body\":{}}",
	};
	static const char right[] = " { \"type\" : \"worker.ready\" , "
		"\"body\" : { } , \"seq\" : 4294967295 } \n";

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct errmsg error = { 0 };

		cr_expect_eq(decode(wrong[i], strlen(wrong[i]), MSG_TO_MASTER,
				    &error), -EBADMSG, "%s", wrong[i]);
		cr_expect_neq(error.text[0], '\0');
	}
	cr_expect_eq(decode(right, strlen(right), MSG_TO_MASTER, NULL), 0);
}

Test(msg, lists_are_bounded)
{
	struct msg m = *sample(MSG_STREAM_STATUS);
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

Test(msg, emms_come_with_the_sockets_of_their_server)
{
	struct msg m = { .type = MSG_CAS_EMMG };

	cr_assert_eq(msg_fds(&m), 1);
	m.cas_emmg.udp = true;
	cr_assert_eq(msg_fds(&m), 2);
	m.cas_emmg.error = "Address already in use";
	cr_assert_eq(msg_fds(&m), 0);
}
