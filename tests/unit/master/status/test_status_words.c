/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a stream in words, and its error with the time. */
#include "common/base/log.h"
#include "master/config/stream_conf.h"
#include "master/status/status_stream.h"
#include "tests/unit/master/fakes.h"
#include "tests/unit/master/status/overview_row.h"
#include "tests/unit/master/status/stream_event.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* 14:00:00 UTC */
enum { NOW_S = 1795701600 };

static const struct stream_proc_info running = { .state = "running" };

static struct status_stream *make(const char *config)
{
	struct status_stream *s = status_stream_new("a");
	json_auto_t *stream = fakes_json(config);
	struct stream_conf *conf = stream_conf_new(stream);

	setenv("TZ", "UTC", 1);
	tzset();
	status_stream_set(s, conf, NULL);
	stream_conf_free(&conf);
	return s;
}

#define TWO "{'enable':true,'type':'spts','input':['udp://:1','udp://:2']," \
	    "'output':['udp://127.0.0.1:3']}"

static struct msg_stream_status second(unsigned active, bool onair)
{
	struct msg_stream_status m = { .n_inputs = 2 };

	for (unsigned i = 0; i < 2; i++)
		m.inputs[i] = (struct msg_input_status){
			.position = i + 1, .open = true,
			.state = i + 1 == active ? INPUT_ACTIVE : INPUT_DOWN,
			.active = i + 1 == active,
			.onair = i + 1 == active && onair,
			.reason = i + 1 == active ? "fault" : "no packets",
		};
	return m;
}

static void expect_words(struct status_stream *s,
			 const struct stream_proc_info *info,
			 const char *wanted)
{
	struct errmsg words;

	status_stream_words(s, info, NOW_S, &words);
	cr_expect_str_eq(words.text, wanted);
}

Test(status_words, name_the_input_that_plays)
{
	struct status_stream *s = make(TWO);
	struct msg_stream_status m = second(1, true);

	status_stream_add(s, &m, false);
	expect_words(s, &running, "on air");
	m = second(2, true);
	status_stream_add(s, &m, false);
	expect_words(s, &running, "on air (input 2, backup)");
	m.inputs[1].reason = "manual";
	status_stream_add(s, &m, false);
	expect_words(s, &running, "on air (input 2, chosen by hand)");
	status_stream_free(&s);
}

Test(status_words, tell_that_a_stream_on_demand_waits_and_has_no_error)
{
	const struct stream_proc_info stopped = { .state = "stopped" };
	struct status_stream *s = make(TWO);
	struct msg_stream_status m = second(1, true);
	json_t *report;
	bool ok;

	status_stream_add(s, &m, false);
	status_stream_wait(s, true);
	/* the last report of the worker may come later */
	status_stream_add(s, &m, false);
	status_stream_wait(s, true);
	status_stream_note_errors(s, &stopped, NOW_S);
	expect_words(s, &stopped, "waiting for a viewer");
	report = status_stream_check(s, &stopped, &ok);
	cr_expect(ok);
	cr_expect_null(json_object_get(report, "error"));
	cr_expect_null(json_object_get(report, "off_since"));
	cr_expect(json_is_false(json_object_get(report, "onair")));
	cr_expect_eq(status_stream_events(s), 0);
	cr_expect_eq(status_stream_alarms(s), 0);
	json_decref(report);
	status_stream_wait(s, false);
	expect_words(s, &stopped, "OFF AIR (stopped)");
	status_stream_free(&s);
}

/* The master sees it late, and again after a switch. */
Test(status_words, have_the_time_of_a_fault_from_the_worker)
{
	struct status_stream *s = make(TWO);
	struct msg_stream_status m = second(1, false);
	json_t *report, *one;

	m.inputs[0].error = "9 CC errors in a second";
	m.inputs[0].fault_s = NOW_S - 5;
	status_stream_add(s, &m, false);
	status_stream_note_errors(s, &running, NOW_S);
	cr_expect_eq(s->error.since_s, NOW_S - 5);
	cr_expect_eq(s->input_errors[0].since_s, NOW_S - 5);
	/* left: the reason of its state has the same time */
	m = second(2, true);
	m.inputs[0].state = INPUT_DOWN;
	m.inputs[0].reason = "CC errors";
	m.inputs[0].since_s = NOW_S;
	m.inputs[0].fault_s = NOW_S - 5;
	status_stream_add(s, &m, false);
	status_stream_note_errors(s, &running, NOW_S);
	report = overview_row(s, &running);
	one = json_array_get(json_object_get(report, "input_faults"), 0);
	cr_expect_eq(json_integer_value(json_object_get(one, "fault_since")),
		     NOW_S - 5);
	json_decref(report);
	report = status_stream_inputs(s, &running);
	one = json_array_get(json_object_get(report, "inputs"), 0);
	cr_expect_eq(json_integer_value(json_object_get(one, "reason_since")),
		     NOW_S - 5);
	cr_expect_eq(json_integer_value(json_object_get(one, "since")), NOW_S);
	json_decref(report);
	status_stream_free(&s);
}

Test(status_words, tell_until_when_an_input_is_damped)
{
	struct status_stream *s = make(TWO);
	struct msg_stream_status m = second(2, true);

	m.inputs[0].damped_s = 3 * 60 + 5;
	m.inputs[1].damped_s = 9;
	status_stream_add(s, &m, false);
	expect_words(s, &running, "on air (input 2, backup; "
				  "input 1 is damped until 14:03 UTC)");
	m = second(1, true);
	m.inputs[0].damped_s = 3 * 60 + 5;
	/* a later input that is damped delays no return */
	m.inputs[1].damped_s = 9;
	status_stream_add(s, &m, false);
	expect_words(s, &running, "on air (input 1 is damped until 14:03 UTC)");
	status_stream_free(&s);
}

Test(status_words, tell_what_leaves_when_no_input_is_on_air)
{
	struct status_stream *s = make(TWO);
	struct msg_stream_status m = second(1, false);

	status_stream_add(s, &m, false);
	expect_words(s, &running, "OFF AIR");
	m.filler = true;
	status_stream_add(s, &m, false);
	expect_words(s, &running, "OFF AIR (filler plays)");
	m = second(1, true);
	m.filler = true;
	status_stream_add(s, &m, false);
	expect_words(s, &running, "on air (filler still plays)");
	status_stream_free(&s);
}

Test(status_words, tell_the_state_of_a_process_that_does_not_run)
{
	struct status_stream *s = make(TWO);
	const struct stream_proc_info quarantine = { .state = "quarantine" };
	struct msg_stream_status m = second(2, true);

	status_stream_add(s, &m, false);
	status_stream_miss(s);
	expect_words(s, &quarantine, "OFF AIR (quarantine)");
	expect_words(s, &running, "OFF AIR");
	status_stream_free(&s);
	s = make("{'enable':false,'type':'spts','input':['udp://:1']}");
	expect_words(s, &running, "disabled");
	status_stream_free(&s);
}

Test(status_words, tell_that_the_output_does_not_send)
{
	struct status_stream *s = make(TWO);
	struct msg_stream_status m = second(1, true);

	m.n_outputs = 1;
	m.outputs[0] = (struct msg_output_status){ .position = 1,
						   .error = "no route" };
	for (int i = 0; i < OUTPUT_FAULT_RAISE_S; i++) {
		status_stream_add(s, &m, false);
		status_stream_judge(s, &running);
	}
	cr_expect(!status_stream_is_well(s));
	expect_words(s, &running, "on air (the output does not send)");
	status_stream_free(&s);
}

/* One second with an error of the only output. */
static void output_second(struct status_stream *s, unsigned kbps)
{
	struct msg_stream_status m = second(1, true);

	m.n_outputs = 1;
	m.outputs[0] = (struct msg_output_status){
		.position = 1, .open = true, .bitrate_kbps = kbps,
		.error = "cbr=600: overflow: packets are dropped: raise cbr" };
	status_stream_add(s, &m, false);
	status_stream_judge(s, &running);
}

Test(status_words, an_output_that_drops_packets_sends)
{
	struct status_stream *s = make(TWO);

	for (int i = 0; i < OUTPUT_FAULT_RAISE_S; i++)
		output_second(s, 600);
	cr_expect_eq(status_stream_count_faults(s), 1u);
	cr_expect(status_stream_is_well(s));
	expect_words(s, &running, "on air");
	output_second(s, 0);
	cr_expect(!status_stream_is_well(s));
	expect_words(s, &running, "on air (the output does not send)");
	/* a try of a moment */
	output_second(s, 9);
	cr_expect(!status_stream_is_well(s));
	status_stream_free(&s);
}

/* "error" and the seconds of "error_since" since NOW_S, or NULL */
static void expect_error(struct status_stream *s, const char *error, int since)
{
	json_auto_t *o = json_object();

	status_error_add(o, &s->error);
	if (error == NULL) {
		cr_expect_eq(json_object_size(o), 0u);
		return;
	}
	cr_expect_str_eq(json_string_value(json_object_get(o, "error")),
			 error);
	cr_expect_eq(json_integer_value(json_object_get(o, "error_since")),
		     NOW_S + since);
}

/* 0: it is not off air. */
static void expect_off(struct status_stream *s, json_int_t since)
{
	json_auto_t *o = json_object();

	status_stream_add_words(o, s, &running);
	cr_expect_eq(json_integer_value(json_object_get(o, "off_since")),
		     since);
}

Test(status_words, give_the_reason_of_now_and_its_begin)
{
	struct status_stream *s = make(TWO);
	struct stream_proc_info hangs = { .state = "running", .silent_s = 1 };
	struct msg_stream_status m = second(1, false);

	m.inputs[0].error = "no packets";
	status_stream_add(s, &m, false);
	status_stream_note_errors(s, &running, NOW_S);
	status_stream_note_errors(s, &running, NOW_S + 4);
	expect_error(s, "no packets", 0);
	/* a count of seconds is the same error */
	status_stream_miss(s);
	status_stream_note_errors(s, &hangs, NOW_S + 5);
	hangs.silent_s = 12;
	status_stream_note_errors(s, &hangs, NOW_S + 16);
	expect_error(s, "no status for 12 s", 5);
	/* the stream is off air all the time */
	expect_off(s, NOW_S);
	m = second(1, true);
	status_stream_add(s, &m, false);
	status_stream_note_errors(s, &running, NOW_S + 17);
	expect_error(s, NULL, 0);
	expect_off(s, 0);
	/* without an error of its own: why the input is down */
	m = second(2, false);
	m.inputs[1].active = false;
	m.inputs[1].state = INPUT_DOWN;
	m.inputs[1].reason = "scrambled";
	status_stream_add(s, &m, false);
	status_stream_note_errors(s, &running, NOW_S + 18);
	expect_error(s, "no packets", 18);
	expect_off(s, NOW_S + 18);
	status_stream_free(&s);
}

Test(status_words, keep_the_begin_of_an_error_for_the_next_master)
{
	struct status_stream *s = make(TWO), *next = make(TWO);
	struct msg_stream_status m = second(1, false);
	json_auto_t *state, *bad = fakes_json(
		"{'off':-1,'input':9,'logged_off':5,"
		"'errors':[[0,1],[9,1,'x'],[1,'a','b'],7]}");

	m.inputs[0].error = "no packets";
	status_stream_add(s, &m, false);
	status_stream_note_errors(s, &running, NOW_S);
	state = status_stream_write_state(s);
	status_stream_take_state(next, bad);
	cr_expect_eq(next->position, 1);
	expect_off(next, 0);
	status_stream_take_onair(next, bad);
	cr_expect(next->silent);
	status_stream_take_state(next, state);
	status_stream_take_onair(next, state);
	/* before and after its first report */
	status_stream_note_errors(next, &running, NOW_S + 1);
	expect_error(next, "no packets", 0);
	status_stream_add(next, &m, false);
	status_stream_note_errors(next, &running, NOW_S + 2);
	expect_error(next, "no packets", 0);
	cr_expect_eq(next->input_errors[0].since_s, NOW_S);
	expect_off(next, NOW_S);
	status_stream_free(&s);
	status_stream_free(&next);
}

static char lines[512];

static void keep_line(enum log_level level, const char *component,
		      const char *text, void *arg)
{
	size_t len = strlen(lines);

	(void)level, (void)arg;
	(void)snprintf(lines + len, sizeof lines - len, "%s: %s;", component,
		       text);
}

static void report(struct status_stream *s, bool onair, const char *error)
{
	struct msg_stream_status m = second(1, onair);

	m.inputs[0].error = error;
	status_stream_add(s, &m, false);
	status_stream_note_errors(s, &running, NOW_S);
	status_stream_note_report(s, &running);
}

/* Its worker does not know why the source is off air. */
Test(status_words, of_a_reader_are_in_the_log)
{
	struct status_stream *s = make("{'enable':true,'type':'spts',"
				       "'input':['stream://b','udp://:2']}");

	log_open(keep_line, NULL, LOG_LEVEL_INFO);
	report(s, true, NULL);
	report(s, true, NULL);
	cr_expect_str_eq(lines, "stream a: on air, 0 kbit/s;");
	lines[0] = '\0';
	/* one second proves nothing */
	report(s, false, "no packets");
	cr_expect_str_eq(lines, "");
	report(s, false, "b is off air: no packets");
	report(s, false, "b is off air: no packets");
	cr_expect_str_eq(lines,
			 "stream a: off air: b is off air: no packets;");
	lines[0] = '\0';
	/* a reason that lasts is logged after some seconds */
	for (int i = 0; i < 9; i++)
		report(s, false, "b is off air: scrambled");
	cr_expect_str_eq(lines, "stream a: off air: b is off air: scrambled;");
	lines[0] = '\0';
	report(s, true, NULL);
	cr_expect_str_eq(lines, "stream a: on air, 0 kbit/s;");
	status_stream_free(&s);
}

/* The lines of a worker that ended are those of its master. */
Test(status_words, of_a_process_that_ends_are_in_the_log)
{
	struct status_stream *s = make(TWO);
	struct stream_proc_info hangs = { .state = "running", .pid = 7,
					  .silent_s = 2 };

	log_open(keep_line, NULL, LOG_LEVEL_INFO);
	report(s, true, NULL);
	status_stream_note_down(s, "killed by signal 9");
	cr_expect_str_eq(lines, "stream a: off air: killed by signal 9;");
	lines[0] = '\0';
	/* the successor logs its own begin */
	report(s, false, NULL);
	report(s, true, NULL);
	status_stream_note_down(s, NULL);
	cr_expect_str_eq(lines, "");
	report(s, true, NULL);
	for (int i = 0; i < STATUS_HANG_S; i++) {
		cr_expect_str_eq(lines, "");
		status_stream_miss(s);
		status_stream_note_hang(s, &hangs);
	}
	cr_expect_str_eq(lines, "stream a: off air: no status for 2 s;");
	lines[0] = '\0';
	status_stream_note_report(s, &hangs);
	cr_expect_str_eq(lines, "");
	struct msg_stream_status m = second(1, true);

	status_stream_add(s, &m, false);
	status_stream_note_report(s, &hangs);
	cr_expect_str_eq(lines, "stream a: on air, 0 kbit/s;");
	status_stream_free(&s);
}

Test(status_words, give_a_stream_without_a_report_a_reason)
{
	struct status_stream *s = make(TWO);
	struct stream_proc_info info = { .state = "starting" };
	struct msg_stream_status m = second(1, true);

	status_stream_note_errors(s, &info, NOW_S);
	expect_error(s, "starting", 0);
	cr_expect_str_eq(s->input_errors[0].text, "starting");
	info.state = "running";
	status_stream_add(s, &m, false);
	status_stream_note_errors(s, &info, NOW_S);
	expect_error(s, NULL, 0);
	status_stream_miss(s);
	info.silent_s = 2;
	status_stream_note_errors(s, &info, NOW_S);
	expect_error(s, "no status for 2 s", 0);
	status_stream_free(&s);
}

/* As in the first seconds after a start. */
Test(status_words, give_a_stream_whose_inputs_name_no_error_a_reason)
{
	struct status_stream *s = make(TWO);
	struct msg_stream_status m = second(1, false);

	m.inputs[1].reason = NULL;
	status_stream_add(s, &m, false);
	status_stream_note_errors(s, &running, NOW_S);
	expect_words(s, &running, "OFF AIR");
	expect_error(s, "the input was not on air yet", 0);
	status_stream_free(&s);
	s = make("{'enable':true,'type':'spts'}");
	m.n_inputs = 0;
	status_stream_add(s, &m, false);
	status_stream_note_errors(s, &running, NOW_S);
	expect_error(s, "no input is configured", 0);
	status_stream_free(&s);
}

/* Without the second that is late. */
Test(status_words, of_a_process_that_fails_are_at_once)
{
	const struct stream_proc_info ended = { .state = "backoff",
						.fault = "killed" };
	struct status_stream *s = make(TWO);
	struct msg_stream_status m = second(1, true);
	json_t *one;
	bool ok;

	m.inputs[0].bitrate_kbps = 900;
	m.inputs[0].packets = 5;
	status_stream_add(s, &m, false);
	status_stream_fail(s);
	status_stream_note_errors(s, &ended, NOW_S);
	expect_words(s, &ended, "OFF AIR (backoff)");
	expect_error(s, "killed", 0);
	expect_off(s, NOW_S);
	json_decref(status_stream_check(s, &ended, &ok));
	cr_expect(!ok);
	one = overview_row(s, &ended);
	cr_expect(json_is_false(json_object_get(one, "onair")));
	cr_expect_eq(json_integer_value(json_object_get(one, "bitrate")), 0);
	json_decref(one);
	/* the second before counts */
	one = status_stream_report(s, &ended, STATUS_MINUTE);
	cr_expect(json_is_false(json_object_get(one, "onair")));
	cr_expect_eq(json_integer_value(json_object_get(one, "packets")), 5);
	json_decref(one);
	/* again within the second */
	status_stream_fail(s);
	one = status_stream_report(s, &ended, STATUS_MINUTE);
	cr_expect(json_is_false(json_object_get(one, "onair")));
	json_decref(one);
	one = overview_row(s, &ended);
	cr_expect_eq(json_integer_value(json_object_get(one, "bitrate")), 0);
	json_decref(one);
	status_stream_add(s, &m, false);
	expect_words(s, &running, "on air");
	/* nor twice, when a silent worker is killed */
	status_stream_miss(s);
	status_stream_fail(s);
	cr_expect(!s->down);
	status_stream_free(&s);
}

/* The contract has an mpts on air in every stream_event; all else has not. */
Test(status_words, judge_an_mpts_by_its_input)
{
	struct status_stream *s = make("{'enable':true,'type':'mpts',"
				       "'input':['udp://:1']}");
	struct msg_stream_status m = second(1, false);
	json_auto_t *event, *row, *wanted;
	bool ok;

	m.n_inputs = 1;
	m.inputs[0].bitrate_kbps = 8000;
	m.inputs[0].cc_error = 2;
	m.inputs[0].scrambled = true;
	status_stream_add(s, &m, false);
	event = stream_event(s, 0);
	wanted = fakes_json("{'scope':'stream_event','channel_id':'a',"
			    "'onair':true,'bitrate':8000,'scrambled':false,"
			    "'cc_error':0,'pes_error':0}");
	cr_expect(json_equal(event, wanted));
	row = overview_row(s, &running);
	cr_expect(json_is_false(json_object_get(row, "onair")));
	cr_expect_str_eq(json_string_value(json_object_get(row, "state")),
			 "OFF AIR");
	json_decref(status_stream_check(s, &running, &ok));
	cr_expect(!ok);
	status_stream_free(&s);
}

static json_t *overview_of(struct status_stream *s,
			   const struct stream_proc_info *info,
			   const struct msg_stream_status *m)
{
	status_stream_add(s, m, false);
	return overview_row(s, info);
}

/* The entry of a stream without faults, of a headend of thousands of them. */
Test(status_overview, of_a_usual_stream_has_300_bytes)
{
	const struct stream_proc_info info = { .state = "running",
					       .pid = 4194303,
					       .viewers = 9999 };
	struct status_stream *s = make(
		"{'enable':true,'type':'spts','name':'A stream with a name of "
		"40 characters..','input':['udp://:1'],"
		"'output':['udp://127.0.0.1:3']}");
	struct msg_stream_status m = second(1, true);
	json_auto_t *row;
	char *text;

	m.n_inputs = 1;
	m.inputs[0].bitrate_kbps = 20000;
	m.inputs[0].packets = 5;
	row = overview_of(s, &info, &m);
	text = json_dumps(row, JSON_COMPACT);
	cr_expect_not_null(strstr(text, "\"bitrate\":20000"), "%s", text);
	cr_expect_leq(strlen(text), 300u, "%zu: %s", strlen(text), text);
	free(text);
	status_stream_free(&s);
}

Test(status_overview, has_flags_that_are_set_and_counters_that_count)
{
	static const char *const keys[] = { "waiting", "filler", "scrambled",
					    "cc_error", "pes_error",
					    "sc_error" };
	struct status_stream *s = make(TWO);
	struct msg_stream_status m = second(1, true);
	json_auto_t *none = overview_of(s, &running, &m), *all = NULL;

	m.filler = true;
	m.inputs[0].scrambled = true;
	m.inputs[0].cc_error = 2;
	m.inputs[0].pes_error = 3;
	m.inputs[0].sc_error = 4;
	all = overview_of(s, &running, &m);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *value = json_object_get(all, keys[i]);

		cr_expect_null(json_object_get(none, keys[i]), "%s", keys[i]);
		if (i > 2)
			cr_expect_eq(json_integer_value(value),
				     (json_int_t)i - 1, "%s", keys[i]);
		else
			cr_expect_eq(json_is_true(value), i > 0, "%s",
				     keys[i]);
	}
	status_stream_wait(s, true);
	json_decref(all);
	all = overview_row(s, &running);
	cr_expect(json_is_true(json_object_get(all, "waiting")));
	status_stream_free(&s);
}
