/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/keep_active.h"

#include "common/base/util.h"
#include "master/config/play_conf.h"
#include "master/config/stream_conf.h"

#include <criterion/criterion.h>
#include <string.h>

static json_t *parse(const char *text)
{
	json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

	cr_assert_not_null(value, "%s", text);
	return value;
}

static const struct {
	const char *value;
	int keep_s; /* -2: an error */
} values[] = {
	{ "\"-1\"", -1 },   { "\"0\"", 0 },	{ "\"30\"", 30 },
	{ "-1", -1 },	    { "0", 0 },		{ "86400", 86400 },
	{ "\"\"", -1 },	    { "\"-2\"", -2 },	{ "86401", -2 },
	{ "\"1h\"", -2 },   { "true", -2 },	{ "1.5", -2 },
	{ "\"99999999999999999999\"", -2 },
};

Test(keep_active, reads_seconds_as_text_or_number)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		json_t *value = parse(values[i].value);
		struct errmsg error;
		int keep_s = -2;

		(void)!keep_active_read(value, &keep_s, &error);
		cr_expect_eq(keep_s, values[i].keep_s, "%s: %d",
			     values[i].value, keep_s);
		json_decref(value);
	}
}

#define HTTP "\"http://127.0.0.1:8100/a\""

/* P: play path of MPEG-TS, H: of HLS */
static const struct {
	const char *stream, *settings, *play;
	int keep_s;
} streams[] = {
	{ "{\"output\":[" HTTP "]}", "{}", "", -1 },
	{ "{\"output\":[" HTTP "]}", "{\"http_keep_active\":\"0\"}", "", 0 },
	{ "{\"output\":[" HTTP "],\"http_keep_active\":\"-1\"}",
	  "{\"http_keep_active\":\"0\"}", "", -1 },
	{ "{\"output\":[" HTTP "],\"http_keep_active\":\"7\"}", "{}", "", 7 },
	{ "{\"output\":[" HTTP "],\"http_keep_active\":\"x\"}", "{}", "", -1 },
	/* other outputs always run */
	{ "{\"output\":[" HTTP ",\"udp://239.1.1.1\"],"
	  "\"http_keep_active\":\"0\"}", "{}", "", -1 },
	{ "{\"output\":[" HTTP ",\"x\"],\"http_keep_active\":\"0\"}", "{}",
	  "", -1 },
	{ "{\"output\":[\"http://127.0.0.1:8100/a.m3u8\"],"
	  "\"http_keep_active\":\"0\"}", "{}", "", -1 },
	{ "{\"output\":[" HTTP ",\"http://127.0.0.1:8100/a.m3u8\"],"
	  "\"http_keep_active\":\"0\",\"hls_on_demand\":true}", "{}", "", 0 },
	{ "{\"output\":[\"http://127.0.0.1:8100/a.m3u8\"],"
	  "\"http_keep_active\":\"5\"}", "{\"hls_on_demand\":true}", "H", 5 },
	{ "{\"output\":[\"http://127.0.0.1:8100/a.m3u8\"],"
	  "\"http_keep_active\":\"5\",\"hls_on_demand\":false}",
	  "{\"hls_on_demand\":true}", "", -1 },
	{ "{\"output\":[],\"http_keep_active\":\"0\"}",
	  "{\"hls_on_demand\":true}", "H", 0 },
	{ "{\"output\":[\"udp://239.1.1.1\"],\"http_keep_active\":\"0\","
	  "\"hls_on_demand\":true}", "{}", "H", -1 },
	/* no place for viewers */
	{ "{\"output\":[],\"http_keep_active\":\"0\"}", "{}", "", -1 },
	{ "{\"output\":[],\"http_keep_active\":\"0\"}", "{}", "P", 0 },
	{ "{\"output\":[],\"http_keep_active\":\"0\"}", "{}", "PH", -1 },
	{ "{\"output\":[\"udp://239.1.1.1\"],\"http_keep_active\":\"0\"}",
	  "{}", "P", -1 },
};

Test(keep_active, names_what_leaves_it_without_effect)
{
	static const struct {
		const char *stream, *settings, *reason; /* "": it has effect */
	} cases[] = {
		{ "{\"output\":[" HTTP "],\"http_keep_active\":0}", "{}", "" },
		{ "{\"output\":[\"udp://239.1.1.1\"]}",
		  "{\"http_keep_active\":0}", "" },
		{ "{\"output\":[\"udp://239.1.1.1\"],"
		  "\"http_keep_active\":\"-1\"}", "{}", "" },
		{ "{\"output\":[" HTTP ",\"udp://239.1.1.1\"],"
		  "\"http_keep_active\":0}", "{}", "output 2 is always on" },
		{ "{\"output\":[\"http://127.0.0.1:8100/a.m3u8\"],"
		  "\"http_keep_active\":0}", "{}",
		  "output 1 is always on without hls_on_demand" },
		{ "{\"output\":[" HTTP "],\"http_keep_active\":0}",
		  "{\"http_play_hls\":true}",
		  "HLS of settings.http_play_hls is always on without "
		  "hls_on_demand" },
		{ "{\"http_keep_active\":0,\"hls_on_demand\":true}",
		  "{\"http_play_hls\":true}", "" },
		{ "{\"http_keep_active\":0}", "{}",
		  "no output serves viewers, and the play paths are off" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *stream = parse(cases[i].stream);
		json_t *settings = parse(cases[i].settings);
		struct errmsg reason = { 0 };

		cr_expect_eq(keep_active_is_idle(stream, settings, &reason),
			     cases[i].reason[0] != '\0', "%s",
			     cases[i].stream);
		cr_expect_str_eq(reason.text, cases[i].reason);
		json_decref(settings);
		json_decref(stream);
	}
}

Test(keep_active, is_only_for_streams_whose_outputs_are_all_for_viewers)
{
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		json_t *stream = parse(streams[i].stream);
		json_t *settings = parse(streams[i].settings);
		struct stream_conf *conf = stream_conf_new(stream);
		const struct play_conf play = {
			.ts = strchr(streams[i].play, 'P') != NULL,
			.hls = strchr(streams[i].play, 'H') != NULL,
		};

		cr_expect_eq(keep_active_of(conf, settings, &play),
			     streams[i].keep_s, "%s %s %s", streams[i].stream,
			     streams[i].settings, streams[i].play);
		stream_conf_free(&conf);
		json_decref(settings);
		json_decref(stream);
	}
}
