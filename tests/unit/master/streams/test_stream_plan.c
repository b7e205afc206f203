/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/stream_plan.h"

#include "common/base/ring.h"

#include <criterion/criterion.h>
#include <string.h>

static struct stream_plan *plan_of(const json_t *stream,
				   const json_t *settings)
{
	struct stream_conf *conf = stream_conf_new(stream);
	struct stream_plan *p = stream_plan_new("a001", conf, settings,
						NULL);

	/* the plan borrows nothing of it */
	stream_conf_free(&conf);
	return p;
}

static struct stream_plan *plan(const char *text)
{
	json_t *stream = json_loads(text, 0, NULL);
	struct stream_plan *p;

	cr_assert_not_null(stream, "%s", text);
	p = plan_of(stream, NULL);
	json_decref(stream);
	return p;
}

Test(stream_plan, reads_inputs_outputs_and_paths)
{
	struct stream_plan *p = plan(
		"{\"enable\":true,\"name\":\"News\","
		"\"input\":[\"udp://239.1.1.1\",\"file:///a\"],"
		"\"output\":[\"udp://239.2.2.2\",\"http://0:8100/a\","
		"\"http://127.0.0.1:8200/b\"]}");

	cr_assert(p->enable);
	cr_assert_str_eq(p->start.id, "a001");
	cr_assert_str_eq(p->start.name, "News");
	cr_assert_eq(p->start.n_inputs, 2);
	cr_assert_str_eq(p->start.inputs[1], "file:///a");
	cr_assert_eq(p->start.n_outputs, 3);
	cr_assert(p->start.ring);
	cr_assert_eq(p->ring_size, RING_SIZE_DEFAULT);
	cr_assert_eq(p->n_http, 2);
	cr_assert_eq(p->http[0].position, 2);
	cr_assert_str_eq(p->http[0].path, "/a");
	cr_assert_eq(p->http[1].position, 3);
	cr_assert_eq(sockaddr_port(&p->http[1].listen), 8200);
	stream_plan_free(&p);
	cr_assert_null(p);
}

Test(stream_plan, names_the_programs_of_a_cam)
{
	struct stream_plan *p = plan(
		"{\"enable\":true,\"input\":[\"dvb://a#pnr=7&cam\","
		"\"dvb://a#pnr=8\",\"dvb://b#cam\",\"dvb://a#cam&pnr=9\","
		"\"dvb://a#pnr=6&cam=soft\",\"udp://239.1.1.1#pnr=5&cam\"]}");
	uint16_t list[3] = { 9 };

	cr_assert_eq(stream_plan_modules(p, "dvb://a", list, 1, 3), 2);
	cr_assert_eq(list[1], 7);
	cr_assert_eq(stream_plan_modules(p, "dvb://b", list, 2, 3), 3);
	cr_assert_eq(list[2], 0);
	/* no more fit */
	cr_assert_eq(stream_plan_modules(p, "dvb://a", list, 1, 1), 1);
	cr_assert_eq(stream_plan_modules(p, "dvb://c", list, 0, 3), 0);
	stream_plan_free(&p);
}

/* Those of a T2-MI are in the stream within it. */
Test(stream_plan, names_the_pids_of_options)
{
	struct stream_plan *p = plan(
		"{\"enable\":true,\"input\":["
		"\"dvb://a#pnr=7&cam=soft&ecm_pid=900&set_pcr_pid=901\","
		"\"dvb://a#pnr=8\","
		"\"dvb://a#t2mi&t2mi_pid=902&pnr=1&set_pcr_pid=903\"]}");

	cr_assert_eq(p->programs.n, 3u);
	cr_assert_eq(p->programs.list[0].pnr, 7);
	cr_assert_eq(p->programs.list[0].pids[0], 900);
	cr_assert_eq(p->programs.list[0].pids[1], 901);
	cr_assert(p->programs.list[0].emms && !p->programs.list[1].emms);
	cr_assert_eq(p->programs.list[1].pids[0], 0);
	cr_assert_eq(p->programs.list[1].pids[1], 0);
	cr_assert_eq(p->programs.list[2].pnr, 0);
	cr_assert_eq(p->programs.list[2].pids[0], 902);
	cr_assert_eq(p->programs.list[2].pids[1], 0);
	stream_plan_free(&p);
}

/* The output has the CAT, or softcams have an ECM PID that no PMT names. */
Test(stream_plan, wants_the_emms_that_no_pmt_leads_to)
{
	static const struct { const char *address; bool emms; } cases[] = {
		{ "dvb://a#pnr=7", false },
		{ "dvb://a#pnr=7&cas", true },
		{ "dvb://a#pnr=7&pass_cat", true },
		{ "dvb://a#pnr=7&cas&no_cat", false },
		{ "dvb://a#pnr=7&cam=soft", false },
		{ "dvb://a#pnr=7&cam=soft&ecm_pid=900", true },
		{ "dvb://a#set_tsid=5", false },
		{ "dvb://a#cam=soft", false },
		/* the whole multiplex passes */
		{ "dvb://a", true },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stream_plan *p;
		char text[128];

		(void)snprintf(text, sizeof text,
			       "{\"enable\":true,\"input\":[\"%s\"]}",
			       cases[i].address);
		p = plan(text);
		cr_assert_eq(p->programs.n, 1u, "%s", cases[i].address);
		cr_expect_eq(p->programs.list[0].emms, cases[i].emms, "%s",
			     cases[i].address);
		stream_plan_free(&p);
	}
}

Test(stream_plan, has_a_ring_only_for_viewers_and_as_large_as_wanted)
{
	struct stream_plan *p = plan("{\"enable\":true,"
				     "\"output\":[\"udp://239.2.2.2\"]}");

	cr_assert(!p->start.ring);
	cr_assert_eq(p->ring_size, 0);
	stream_plan_free(&p);

	p = plan("{\"output\":[\"http://0:81/a#buffer_size=65536\","
		 "\"http://0:81/b#buffer_size=1024\"]}");
	cr_assert(!p->enable);
	cr_assert_eq(p->ring_size, 65536 * 1024);
	stream_plan_free(&p);
}

Test(stream_plan, accepts_values_that_no_check_has_seen)
{
	struct stream_plan *p = plan("{\"enable\":1,\"name\":7,\"input\":{},"
				     "\"output\":[7,null,\"nonsense\"]}");

	cr_assert(!p->enable);
	cr_assert_str_eq(p->start.name, "a001");
	cr_assert_eq(p->start.n_inputs, 0);
	cr_assert_eq(p->start.n_outputs, 1);
	cr_assert_eq(p->n_http, 0);
	stream_plan_free(&p);
}

Test(stream_plan, detects_changes_that_need_a_new_worker)
{
	static const char base[] = "{\"enable\":true,\"name\":\"A\","
		"\"input\":[\"udp://239.1.1.1\"],"
		"\"output\":[\"http://0:81/a\"]}";
	static const struct {
		const char *text;
		bool same;
	} cases[] = {
		{ base, true },
		{ "{\"enable\":true,\"name\":\"B\",\"other\":1,"
		  "\"input\":[\"udp://239.1.1.1\"],"
		  "\"output\":[\"http://0:81/a\"]}", true },
		{ "{\"enable\":true,\"input\":[\"udp://239.1.1.1\"],"
		  "\"output\":[\"http://0:81/a\"],\"pmt_version\":3}", true },
		{ "{\"enable\":true,\"input\":[\"udp://239.1.1.1\"],"
		  "\"output\":[\"http://0:81/a\"],\"set_pnr\":3}", false },
		{ "{\"enable\":false,\"input\":[\"udp://239.1.1.1\"],"
		  "\"output\":[\"http://0:81/a\"]}", false },
		{ "{\"enable\":true,\"input\":[\"udp://239.1.1.2\"],"
		  "\"output\":[\"http://0:81/a\"]}", false },
		{ "{\"enable\":true,\"input\":[\"udp://239.1.1.1\","
		  "\"udp://239.1.1.2\"],\"output\":[\"http://0:81/a\"]}",
		  false },
		{ "{\"enable\":true,\"input\":[\"udp://239.1.1.1\"],"
		  "\"output\":[\"http://0:81/b\"]}", false },
		{ "{\"enable\":true,\"input\":[\"udp://239.1.1.1\"],"
		  "\"output\":[]}", false },
	};
	struct stream_plan *a = plan(base);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stream_plan *b = plan(cases[i].text);

		cr_assert_eq(stream_plan_is_same(a, b), cases[i].same, "%s",
			     cases[i].text);
		stream_plan_free(&b);
	}
	stream_plan_free(&a);
}

static struct stream_plan *plan_with(const char *text, const char *settings)
{
	json_t *stream = json_loads(text, 0, NULL);
	json_t *defaults = json_loads(settings, 0, NULL);
	struct stream_plan *p;

	cr_assert(stream != NULL && defaults != NULL);
	p = plan_of(stream, defaults);
	json_decref(stream);
	json_decref(defaults);
	return p;
}

Test(stream_plan, the_feed_of_an_mpts_has_no_playlist)
{
	json_t *settings = json_pack("{s:b}", "http_play_hls", 1);
	json_t *stream = json_pack("{s:[s]}", "input", "udp://239.1.1.1");
	struct stream_conf *conf = stream_conf_new(stream);
	struct stream_plan *p = stream_plan_new("m", conf, settings, NULL);
	struct stream_plan *feed = stream_plan_new("m/1", conf, settings,
						   NULL);

	cr_expect_gt(p->start.hls, 0);
	cr_expect_eq(feed->start.hls, 0);
	stream_plan_free(&p);
	stream_plan_free(&feed);
	stream_conf_free(&conf);
	json_decref(stream);
	json_decref(settings);
}

static json_int_t option(const struct stream_plan *p, const char *key)
{
	return json_integer_value(json_object_get(p->start.options, key));
}

Test(stream_plan, the_settings_apply_where_the_stream_has_no_value)
{
	const char *settings = "{\"backup_start_delay\":7,\"cc_limit\":3,"
			       "\"backup_return_delay\":\"\","
			       "\"instance_name\":\"x\"}";
	struct stream_plan *p = plan_with("{\"cc_limit\":\"\"}", settings);
	struct stream_plan *own = plan_with("{\"cc_limit\":9}", settings);
	struct stream_plan *none = plan_with("{}", "{}");
	json_t *written = stream_plan_write(p);
	struct stream_plan *again = plan_of(written, NULL);

	cr_assert_eq(option(p, "backup_start_delay"), 7);
	cr_assert_eq(option(p, "cc_limit"), 3);
	cr_assert_null(json_object_get(p->options, "backup_return_delay"));
	cr_assert_null(json_object_get(p->options, "instance_name"));
	cr_assert_eq(option(own, "cc_limit"), 9);
	cr_assert_eq(json_object_size(none->options), 0);
	/* a worker with other defaults is replaced, also by a next master */
	cr_assert_not(stream_plan_is_same(p, none));
	cr_assert(stream_plan_is_same(p, again));
	json_decref(written);
	stream_plan_free(&p);
	stream_plan_free(&own);
	stream_plan_free(&none);
	stream_plan_free(&again);
}

/* A worker has no rule for the key that it knew at its start. */
Test(stream_plan, another_key_replaces_the_workers_that_open_files)
{
	static const struct {
		const char *stream;
		bool replaced;
	} cases[] = {
		{ "{\"input\":[\"file:///a/b.ts\"]}", true },
		{ "{\"input\":[\"sdp:///a/b.sdp\"]}", true },
		{ "{\"output\":[\"file:///a/b.ts\"]}", true },
		{ "{\"input\":[\"udp://239.1.1.1\"]}", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stream_plan *old = plan_with(cases[i].stream,
						    "{\"crt_key\":\"/k/old\"}");
		struct stream_plan *new = plan_with(cases[i].stream,
						    "{\"crt_key\":\"/a/new\"}");
		json_t *record = stream_plan_write(old);
		struct stream_plan *kept = plan_of(record, NULL);

		cr_expect_eq(stream_plan_is_same(old, new),
			     !cases[i].replaced, "%s", cases[i].stream);
		cr_expect(stream_plan_is_same(old, kept));
		json_decref(record);
		stream_plan_free(&old);
		stream_plan_free(&new);
		stream_plan_free(&kept);
	}
}
