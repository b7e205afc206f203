/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/mono.h"
#include "common/base/util.h"
#include "master/config/stream_conf.h"
#include "master/status/status.h"
#include "master/status/status_stream.h"
#include "tests/unit/master/fakes.h"
#include "tests/unit/master/status/stream_event.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct msg_input_status playing = {
	.position = 1,
	.state = INPUT_ACTIVE,
	.reason = "start",
	.since_s = 1795000000,
	.active = true,
	.open = true,
	.onair = true,
	.bitrate_kbps = 8000, .received_kbps = 9000,
	.packets = 5319,
	.cc_error = 2,
	.pes_error = 1,
	.sc_error = 3,
	.scrambled = true,
	.video_count = 1,
	.audio_count = 2,
	.lost = 4,
};

static struct stream_conf *conf_of(const char *config)
{
	json_auto_t *stream = fakes_json(config);

	return stream_conf_new(stream);
}

static struct status_stream *make_with(const char *config, const char *error)
{
	struct status_stream *s = status_stream_new("a000");
	struct stream_conf *conf = conf_of(config);

	status_stream_set(s, conf, error);
	stream_conf_free(&conf);
	return s;
}

#define make(config) make_with(config, NULL)

static void hear(struct status_stream *s, const struct msg_input_status *in,
		 size_t n)
{
	struct msg_stream_status m = { .n_inputs = n };

	memcpy(m.inputs, in, n * sizeof *in);
	status_stream_add(s, &m, false);
}

static void expect_json(json_t *got, const char *wanted)
{
	json_t *value = fakes_json(wanted);
	char *text = json_dumps(got, 0);

	cr_expect(json_equal(got, value), "%s\ninstead of\n%s", text, wanted);
	free(text);
	json_decref(value);
	json_decref(got);
}

Test(status, makes_the_event_of_a_second)
{
	struct status_stream *s = make("{'enable':true,'type':'spts',"
				       "'input':['udp://:1']}");

	hear(s, &playing, 1);
	cr_assert_eq(status_stream_events(s), 1u);
	expect_json(stream_event(s, 0),
		    "{'scope':'stream_event','channel_id':'a000',"
		    "'input_id':1,'onair':true,'bitrate':8000,"
		    "'scrambled':true,'cc_error':2,'pes_error':1}");
	status_stream_free(&s);
	cr_assert_null(s);
}

Test(status, names_an_input_by_its_own_id)
{
	struct status_stream *s = make(
		"{'enable':true,'type':'spts',"
		"'input':['udp://:1','udp://:2#id=7']}");
	struct msg_input_status in[2] = { playing, playing };

	in[1].position = 2;
	hear(s, in, 2);
	cr_assert_eq(status_stream_events(s), 2u);
	expect_json(stream_event(s, 1),
		    "{'scope':'stream_event','channel_id':'a000',"
		    "'input_id':'7','onair':true,'bitrate':8000,"
		    "'scrambled':true,'cc_error':2,'pes_error':1}");
	in[0].active = false;
	in[0].state = INPUT_IDLE;
	hear(s, in, 2);
	cr_assert_eq(status_stream_events(s), 1u);
	json_t *event = stream_event(s, 0);

	cr_assert_str_eq(json_string_value(json_object_get(event, "input_id")),
			 "7");
	json_decref(event);
	status_stream_free(&s);
}

Test(status, reports_a_silent_worker)
{
	struct status_stream *s = make("{'enable':true,'type':'spts',"
				       "'input':['udp://:1']}");

	status_stream_miss(s);
	expect_json(stream_event(s, 0),
		    "{'scope':'stream_event','channel_id':'a000',"
		    "'input_id':1,'onair':false,'bitrate':0,"
		    "'scrambled':false,'cc_error':0,'pes_error':0}");
	hear(s, &playing, 1);
	status_stream_miss(s);
	json_t *event = stream_event(s, 0);

	cr_assert_eq(json_integer_value(json_object_get(event, "bitrate")),
		     0);
	json_decref(event);
	status_stream_free(&s);
}

static const char two_outputs[] =
	"{'enable':true,'type':'spts','name':'News','input':['udp://:1'],"
	"'output':['http://:8100/x','udp://127.0.0.1:2']}";

Test(status, reports_a_minute_and_all_that_hangs_on_it)
{
	struct status_stream *s = make(two_outputs);
	struct msg_stream_status m = {
		.alarms = ALARM_BIT(ALARM_CC) | ALARM_BIT(ALARM_CRC),
		.n_inputs = 1,
		.inputs = { playing },
		.n_outputs = 1,
		.outputs = { { .position = 2, .open = true,
			       .bitrate_kbps = 3000, .packets = 77,
			       .dropped = 5 } },
	};
	struct stream_proc_info info = {
		.state = "running",
		.pid = 42,
		.restarts = 3,
		.viewers = 9,
		.viewers_cut = 1,
		.n_outputs = 2,
		.output_errors = { "port 8100: Address already in use" },
	};

	status_stream_miss(s);
	status_stream_add(s, &m, false);
	expect_json(status_stream_report(s, &info, STATUS_MINUTE),
		    "{'name':'News','state':'on air','input_id':1,"
		    "'active':true,'waiting':false,'onair':true,'sessions':9,"
		    "'bitrate':4000,'packets':5319,"
		    "'pes_error':1,'sc_error':3,'cc_error':2,"
		    "'video_count':1,'audio_count':2,'sessions_cut':1,"
		    "'alarms':['continuity','crc'],"
		    "'inputs':[{'position':1,'state':'active',"
		    "'since':1795000000,'reason':'start','penalty':0,"
		    "'damped':false,'active':true,'open':true,"
		    "'onair':true,'scrambled':true,'bitrate':8000,"
		    "'received_bitrate':9000,"
		    "'packets':5319,'cc_error':2,'pes_error':1,"
		    "'sc_error':3,'video_count':1,'audio_count':2,'lost':4,"
		    "'socket_drops':0,'sync_losses':0,'alarms':[]}],"
		    "'outputs':[{'position':1,'open':false,'bitrate':0,"
		    "'packets':0,'error':'port 8100: Address already in use'},"
		    "{'position':2,'open':true,'bitrate':3000,'packets':77,"
		    "'dropped':5}],"
		    "'worker':{'state':'running','pid':42,'restarts':3},"
		    "'filler':false,'switches':[]}");
	status_stream_free(&s);
}

Test(status, keeps_copies_of_the_report_of_a_worker)
{
	struct status_stream *s = make(two_outputs);
	char error[] = "no such device";
	struct msg_input_status in = { .position = 1, .active = true,
				       .error = error };
	struct stream_proc_info info = { 0 };
	json_t *report;

	hear(s, &in, 1);
	memset(error, 'x', sizeof error - 1);
	report = status_stream_report(s, &info, STATUS_SECOND);
	cr_assert_str_eq(json_string_value(json_object_get(
				 json_array_get(json_object_get(report,
								"inputs"), 0),
				 "error")),
			 "no such device");
	json_decref(report);
	hear(s, &in, 1);
	status_stream_free(&s);
}

Test(status, drops_the_report_of_a_silent_worker)
{
	struct status_stream *s = make(two_outputs);
	struct msg_stream_status m = {
		.n_inputs = 1,
		.inputs = { playing },
		.n_outputs = 1,
		.outputs = { { .position = 2, .open = true } },
	};
	struct stream_proc_info info = { 0 };
	json_t *report, *input, *output;

	status_stream_add(s, &m, false);
	status_stream_miss(s);
	report = status_stream_report(s, &info, STATUS_SECOND);
	input = json_array_get(json_object_get(report, "inputs"), 0);
	output = json_array_get(json_object_get(report, "outputs"), 1);
	cr_assert(json_is_false(json_object_get(report, "onair")));
	cr_assert(json_is_false(json_object_get(input, "open")));
	cr_assert(json_is_false(json_object_get(output, "open")));
	json_decref(report);
	status_stream_free(&s);
}

Test(status, an_http_output_without_a_ring_is_not_open)
{
	struct status_stream *s = make(two_outputs);
	struct msg_stream_status m = {
		.n_inputs = 1, .inputs = { playing }, .n_outputs = 1,
		.outputs = { { .position = 1, .error = "ring: Bad message" } },
	};
	struct stream_proc_info info = { .n_outputs = 2 };
	json_t *report, *output;

	status_stream_add(s, &m, false);
	report = status_stream_report(s, &info, STATUS_SECOND);
	output = json_array_get(json_object_get(report, "outputs"), 0);
	expect_json(json_incref(output),
		    "{'position':1,'open':false,'bitrate':0,'packets':0,"
		    "'error':'ring: Bad message'}");
	json_decref(report);
	status_stream_free(&s);
}

Test(status, reports_why_a_stream_does_not_run)
{
	struct status_stream *s = make_with(two_outputs,
					    "output[0]: is already taken");
	struct stream_proc_info info = { 0 };
	json_t *report = status_stream_report(s, &info, STATUS_MINUTE);

	expect_json(json_incref(json_object_get(report, "worker")),
		    "{'state':'stopped','pid':0,'restarts':0,"
		    "'alarm':'output[0]: is already taken'}");
	json_decref(report);
	status_stream_free(&s);
}

/* The words have tests of their own. */
static json_t *check(const struct status_stream *s, bool *ret_ok)
{
	json_t *o = status_stream_check(
		s, &(struct stream_proc_info){ .state = "running" }, ret_ok);

	cr_assert(json_is_string(json_object_get(o, "state")));
	(void)json_object_del(o, "state");
	return o;
}

Test(status, checks_a_stream)
{
	struct status_stream *s = make("{'enable':true,'type':'spts',"
				       "'input':['udp://:1','udp://:2']}");
	struct msg_input_status in = playing;
	bool ok = true;

	expect_json(check(s, &ok),
		    "{'ok':false,'onair':false,'active_input':1,"
		    "'alarms':[],'input':["
		    "{'scrambled':false,'cc_error':0,'bitrate':0,"
		    "'pes_error':0,'onair':false,'alarms':[]},"
		    "{'scrambled':false,'cc_error':0,'bitrate':0,"
		    "'pes_error':0,'onair':false,'alarms':[]}],"
		    "'switches':[]}");
	cr_assert_not(ok);
	in.position = 2;
	in.alarms = ALARM_BIT(ALARM_PTS);
	in.damped_s = 61;
	hear(s, &in, 1);
	expect_json(check(s, &ok),
		    "{'ok':true,'onair':true,'active_input':2,"
		    "'alarms':[],'switches':[],"
		    "'input':[{'scrambled':false,'cc_error':0,'bitrate':0,"
		    "'pes_error':0,'onair':false,'alarms':[]},"
		    "{'scrambled':true,'cc_error':2,'bitrate':8000,"
		    "'pes_error':1,'onair':true,'alarms':['pts'],"
		    "'state':'active','since':1795000000,'reason':'start',"
		    "'penalty':0,'damped':true,'damped_s':61}]}");
	cr_assert(ok);
	status_stream_free(&s);
}

/* --- several inputs --- */

static const char two_inputs[] = "{'enable':true,'type':'spts','name':'News',"
				 "'input':['udp://:1','udp://:2#id=b']}";

Test(status, reports_every_running_input_with_the_active_one_first)
{
	struct status_stream *s = make(two_inputs);
	struct msg_input_status in[2] = { playing, playing };
	json_t *event;

	in[0].active = false;
	in[0].state = INPUT_DOWN;
	in[0].onair = false;
	in[1].position = 2;
	hear(s, in, 2);
	cr_assert_eq(status_stream_events(s), 2u);
	event = stream_event(s, 0);
	cr_assert_str_eq(json_string_value(json_object_get(event, "input_id")),
			 "b");
	json_decref(event);
	event = stream_event(s, 1);
	cr_assert_eq(json_integer_value(json_object_get(event, "input_id")),
		     1);
	cr_assert(json_is_false(json_object_get(event, "onair")));
	json_decref(event);
	/* an input that is not needed does not run */
	in[0].state = INPUT_IDLE;
	hear(s, in, 2);
	cr_assert_eq(status_stream_events(s), 1u);
	status_stream_free(&s);
}

/* `active` is false for a stream on demand alone, while it waits. */
Test(status, a_stream_that_sends_nothing_is_active_and_off_air)
{
	struct status_stream *s = make(two_inputs);
	struct stream_proc_info info = { 0 };
	struct msg_input_status in[2] = { playing, playing };
	json_t *report;
	bool ok = true;

	for (size_t i = 0; i < 2; i++) {
		in[i].position = (unsigned)i + 1;
		in[i].active = false;
		in[i].state = INPUT_DOWN;
	}
	hear(s, in, 2);
	report = status_stream_report(s, &info, STATUS_SECOND);
	cr_assert(json_is_true(json_object_get(report, "active")));
	cr_assert(json_is_false(json_object_get(report, "onair")));
	json_decref(report);
	json_decref(status_stream_check(s, &info, &ok));
	cr_assert_not(ok);
	status_stream_free(&s);
}

Test(status, shows_the_inputs_and_when_they_changed)
{
	struct status_stream *s = make(two_inputs);
	struct switch_log log = { 0 };
	struct stream_proc_info info = { .switches = &log };
	const struct msg_stream_switched sw = {
		.wall_ms = 1795000000999, .from = 1, .to = 2,
		.reason = "fault", .fault = "no packets" };
	json_t *report;

	switch_log_add(&log, &sw);
	report = status_stream_inputs(s, &info);
	expect_json(json_incref(json_object_get(report, "switches")),
		    "[{'time':1795000000,'from':1,'to':2,'reason':'fault',"
		    "'fault':'no packets'}]");
	cr_assert_eq(json_array_size(json_object_get(report, "inputs")), 2);
	json_decref(report);
	expect_json(status_stream_switch(s, &sw),
		    "{'scope':'stream_switch','channel_id':'a000',"
		    "'time':1795000000,'from':1,'to':2,'reason':'fault',"
		    "'fault':'no packets'}");
	status_stream_free(&s);
}

/* --- the second hand --- */

struct world {
	struct ev_loop *loop;
	struct status *status;
	unsigned ticks;
};

static void set_up(struct world *w, const char *config)
{
	struct stream_conf *conf = conf_of(config);

	*w = (struct world){ .loop = ev_loop_new(EVFLAG_AUTO) };
	fakes.listeners = true;
	w->status = status_new(&(struct status_config){ .loop = w->loop });
	status_set_stream(w->status, "a000", conf, NULL);
	stream_conf_free(&conf);
}

static void tear_down(struct world *w)
{
	status_free(&w->status);
	ev_loop_destroy(w->loop);
}

static void push(struct world *w, const char *id)
{
	struct msg_stream_status m = { .n_inputs = 1,
				       .inputs = { playing } };

	status_push(w->status, id, &m);
}

static unsigned count_told(const char *text)
{
	unsigned n = 0;

	for (const char *c = fakes.told; (c = strstr(c, text)) != NULL; c++)
		n++;
	return n;
}

static void stop_loop(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)t, (void)revents;
	ev_break(loop, EVBREAK_ALL);
}

static void run_for(struct world *w, double seconds)
{
	ev_timer timer;

	ev_timer_init(&timer, stop_loop, seconds, 0);
	ev_timer_start(w->loop, &timer);
	ev_run(w->loop, 0);
	ev_timer_stop(w->loop, &timer);
}

static const char enabled[] = "{'enable':true,'type':'spts',"
			      "'input':['udp://:1']}";

Test(status, announces_a_report_of_a_worker_at_once)
{
	struct world w;

	set_up(&w, enabled);
	/* past the amendment; no silence is reported while the loop stands */
	(void)poll(NULL, 0, 550);
	push(&w, "a000");
	cr_assert_eq(count_told("soon {'bitrate':8000,"), 1u, "%s",
		     fakes.told);
	push(&w, "unknown");
	cr_assert_eq(count_told("stream_event"), 1u);
	/* a report of a worker is never delayed, even an early one */
	push(&w, "a000");
	cr_assert_eq(count_told("stream_event"), 2u);
	tear_down(&w);
}

static void count_tick(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	++*(unsigned *)w->data;
}

Test(status, announces_silence_once_a_second)
{
	uint64_t began_ms = mono_ms();
	unsigned ticks = 0; /* no more than one during a delay */
	ev_timer tick = { .data = &ticks };
	struct world w;

	set_up(&w, enabled);
	ev_timer_init(&tick, count_tick, 0.1, 0.1);
	ev_timer_start(w.loop, &tick);
	while (count_told("'bitrate':0,") < 3)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_geq(mono_ms() - began_ms, 3 * 940u, "%s", fakes.told);
	/* it looks twice a second */
	cr_assert_leq(ticks, 3 * 15u + 1, "%s", fakes.told);
	ev_timer_stop(w.loop, &tick);
	tear_down(&w);
}

Test(status, reports_nothing_about_a_disabled_stream)
{
	struct world w;

	set_up(&w, "{'enable':false,'type':'spts','input':['udp://:1']}");
	run_for(&w, 0.6);
	push(&w, "a000");
	run_for(&w, 1.2);
	cr_assert_str_eq(fakes.told, "");
	tear_down(&w);
}

static void on_pulse(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)w, (void)revents;
}

/* The report behind an announced silence; how much later at most. */
static uint64_t push_late(struct world *w)
{
	uint64_t before_ms = 0;
	ev_timer pulse;

	fakes.told[0] = '\0';
	ev_timer_init(&pulse, on_pulse, 0.01, 0.01);
	ev_timer_start(w->loop, &pulse);
	while (fakes.told[0] == '\0') {
		before_ms = mono_ms();
		ev_run(w->loop, EVRUN_ONCE);
	}
	ev_timer_stop(w->loop, &pulse);
	cr_assert_eq(count_told("'bitrate':0,"), 1u);
	push(w, "a000");
	return mono_ms() - before_ms;
}

Test(status, announces_a_second_once_when_the_worker_comes_late)
{
	enum { AMENDED_MS = 500 };
	struct world w;
	json_t *report;

	set_up(&w, enabled);
	/* a report that is delayed longer comes in the next second */
	while (push_late(&w) >= AMENDED_MS) {
		tear_down(&w);
		set_up(&w, enabled);
	}
	cr_assert_eq(count_told("stream_event"), 1u, "%s", fakes.told);
	/* but it is remembered, in the place of the silence */
	report = status_stream(w.status, "a000", STATUS_MINUTE, NULL);
	cr_assert_eq(json_integer_value(json_object_get(report, "bitrate")),
		     8000);
	json_decref(report);
	tear_down(&w);
}

Test(status, answers_for_known_streams_only)
{
	struct world w;
	json_t *report;
	bool ok;

	set_up(&w, enabled);
	report = status_stream(w.status, "a000", STATUS_SECOND, "here");
	cr_assert_str_eq(json_string_value(json_object_get(report,
							   "instance")),
			 "here");
	cr_assert_gt(json_integer_value(json_object_get(report, "timestamp")),
		     1700000000);
	json_decref(report);
	cr_assert_null(status_stream(w.status, "b", STATUS_SECOND, NULL));
	cr_assert_null(status_check(w.status, "b", &ok));
	status_remove_stream(w.status, "a000");
	cr_assert_null(status_stream(w.status, "a000", STATUS_SECOND, NULL));
	status_remove_stream(w.status, "a000");
	tear_down(&w);
}

Test(status, finds_any_of_many_streams)
{
	struct world w;
	struct stream_conf *stream = conf_of(enabled);
	char id[16];

	set_up(&w, enabled);
	for (unsigned i = 0; i < 500; i++) {
		(void)snprintf(id, sizeof id, "s%u", i * 7919 % 500);
		status_set_stream(w.status, id, stream, "fault");
	}
	for (unsigned i = 0; i < 500; i += 2) {
		(void)snprintf(id, sizeof id, "s%u", i);
		status_remove_stream(w.status, id);
	}
	for (unsigned i = 0; i < 500; i++) {
		(void)snprintf(id, sizeof id, "s%u", i);
		cr_assert_eq(status_fault(w.status, id) != NULL, i % 2 == 1,
			     "%s", id);
	}
	cr_assert(status_has_faults(w.status));
	stream_conf_free(&stream);
	tear_down(&w);
}
