/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alarms of a stream as events. */
#include "master/streams/queriers.h"
#include "tests/unit/master/status/alarm_events.h"
#include "tests/unit/master/status/overview_row.h"
#include "tests/unit/master/status/stream_event.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(status, reports_alarms_when_they_are_raised_and_cleared)
{
	struct status_stream *s = status_stream_new("a");
	struct msg_stream_status m = {
		.alarms = ALARM_BIT(ALARM_CC), .n_inputs = 1,
		.inputs = { playing }, .n_changes = 1,
		.changes = { { 1, ALARM_PAT, true, 7 } },
	};

	m.inputs[0].alarms = ALARM_BIT(ALARM_PAT);
	status_stream_add(s, &m, false);
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'continuity','priority':1,'raised':true}");
	cr_assert_str_eq(next_alarm(s, 1), "{'place':1,'alarm':'pat',"
			 "'priority':1,'raised':true,'count':7}");
	cr_assert_str_eq(next_alarm(s, 1), "");
	/* the same again is no news, nor is a late report; the end of the
	 * process is */
	status_stream_add(s, &m, false);
	cr_assert_str_eq(next_alarm(s, 1), "");
	for (int i = 1; i < STATUS_GONE_S; i++) {
		status_stream_miss(s);
		cr_assert_str_eq(next_alarm(s, 1), "");
	}
	status_stream_miss(s);
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'continuity','priority':1,'raised':false}");
	cr_assert_str_eq(next_alarm(s, 1), "{'place':1,'alarm':'pat',"
			 "'priority':1,'raised':false}");
	cr_assert_str_eq(next_alarm(s, 1), "");
	status_stream_free(&s);
}

static struct status_stream *with_input(void)
{
	struct status_stream *s = status_stream_new("a");
	json_t *config = json_pack("{s:b, s:[s]}", "enable", 1, "input",
				   "udp://127.0.0.1:1");

	set_stream(s, config);
	json_decref(config);
	return s;
}

Test(status, the_rate_while_the_filler_plays_is_that_of_the_filler)
{
	struct status_stream *s = with_input();
	struct msg_stream_status m = {
		.n_inputs = 1, .filler = true, .sent_kbps = 996,
		.inputs = { { .position = 1, .state = INPUT_DOWN } },
	};
	json_t *event;

	status_stream_add(s, &m, false);
	cr_expect_eq(status_stream_sum(s, 1).bitrate_kbps, 996u);
	cr_expect_not(status_stream_sum(s, 1).onair);
	/* the event is that of an input */
	event = stream_event(s, 0);
	cr_expect_eq(json_integer_value(json_object_get(event, "bitrate")), 0);
	json_decref(event);
	status_stream_free(&s);
}

/* A stream with a udp and an http output; the first cannot send. */
static struct status_stream *with_outputs(void)
{
	struct status_stream *s = status_stream_new("a");
	json_t *config = json_pack("{s:b, s:[s, s]}", "enable", 1, "output",
				   "udp://127.0.0.1:1",
				   "http://127.0.0.1:2/x");

	set_stream(s, config);
	json_decref(config);
	return s;
}

static void second(struct status_stream *s, const char *error,
		   const char *http_error)
{
	struct msg_stream_status m = {
		.n_inputs = 1, .inputs = { playing }, .n_outputs = 2,
		.outputs = { { .position = 1, .open = true, .error = error },
			     { .position = 2, .open = true } },
	};
	struct stream_proc_info info = {
		.n_outputs = 2,
		.output_errors = { NULL, http_error },
	};

	m.inputs[0].onair = true;
	status_stream_add(s, &m, false);
	status_stream_judge(s, &info);
}

static bool check_is_ok(const struct status_stream *s)
{
	bool ok;

	json_decref(
		status_stream_check(s, &(struct stream_proc_info){ 0 }, &ok));
	return ok;
}

Test(status, an_output_that_cannot_send_raises_an_alarm_with_its_number)
{
	struct status_stream *s = with_outputs();

	second(s, "no route", NULL);
	second(s, NULL, NULL);
	second(s, "no route", NULL);
	second(s, "no route", NULL);
	cr_assert_eq(status_stream_alarms(s), 0, "it was cleared in between");
	second(s, "refused", NULL);
	cr_assert_eq(status_stream_alarms(s), ALARM_BIT(ALARM_OUTPUT_FAULT));
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'output_fault','priority':0,'raised':true,"
			 "'output':1,'reason':'refused'}");
	cr_assert_str_eq(next_alarm(s, 1), "");
	cr_assert(check_is_ok(s), "it leaves by the other one");
	for (int i = 0; i < OUTPUT_FAULT_RAISE_S; i++)
		second(s, "refused", "port in use");
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'output_fault','priority':0,'raised':true,"
			 "'output':2,'reason':'port in use'}");
	cr_assert(!check_is_ok(s));
	status_stream_free(&s);
}

Test(status, the_alarm_of_an_output_ends_when_it_works_or_is_removed)
{
	struct status_stream *s = with_outputs();
	json_t *none = json_pack("{s:b, s:[]}", "enable", 1, "output");

	for (int i = 0; i < OUTPUT_FAULT_RAISE_S; i++)
		second(s, "no route", "port in use");
	while (next_alarm(s, 1)[0] != '\0')
		;
	for (int i = 0; i < OUTPUT_FAULT_CLEAR_S; i++) {
		cr_assert_str_eq(next_alarm(s, 1), "");
		second(s, NULL, "port in use");
	}
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'output_fault','priority':0,'raised':false,"
			 "'output':1}");
	cr_assert_eq(status_stream_alarms(s), ALARM_BIT(ALARM_OUTPUT_FAULT));
	set_stream(s, none);
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'output_fault','priority':0,'raised':false,"
			 "'output':2}");
	cr_assert_eq(status_stream_alarms(s), 0);
	json_decref(none);
	status_stream_free(&s);
}

Test(status, the_alarm_of_an_output_begins_with_its_first_error)
{
	struct status_stream *s = with_outputs();
	struct output_fault *f = &s->outputs[0].fault;

	second(s, "no route", NULL);
	cr_assert(!f->raised);
	cr_assert_gt(f->since_s, 0);
	f->since_s = 5;
	for (int i = 1; i < OUTPUT_FAULT_RAISE_S; i++)
		second(s, "no route", NULL);
	cr_assert(f->raised);
	cr_assert_eq(f->since_s, 5);
	status_stream_free(&s);
}

static json_int_t reason_since(struct status_stream *s, const char *wanted)
{
	const struct stream_proc_info info = { 0 };
	json_auto_t *o = overview_row(s, &info);
	json_t *one = json_array_get(json_object_get(o, "output_faults"), 0);

	cr_expect_str_eq(json_string_value(json_object_get(one, "fault")),
			 wanted);
	return json_integer_value(json_object_get(one, "reason_since"));
}

Test(status, another_reason_of_an_output_is_reported_with_its_begin)
{
	struct status_stream *s = with_outputs(), *next = with_outputs();
	struct output_fault *f = &s->outputs[0].fault;

	second(s, "refused", NULL);
	f->since_s = 5;
	for (int i = 1; i < OUTPUT_FAULT_RAISE_S; i++)
		second(s, "refused", NULL);
	cr_assert_str_neq(next_alarm(s, 1), "");
	cr_expect_eq(reason_since(s, "refused"), 5);
	second(s, "the server answers 403", NULL);
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'output_fault','priority':0,'raised':true,"
			 "'output':1,'reason':'the server answers 403'}");
	cr_expect_gt(reason_since(s, "the server answers 403"), 5);
	f->reason_s = 7;
	json_auto_t *faults = status_stream_write_faults(s);
	second(s, "the server answers 500", NULL);
	cr_assert_str_eq(next_alarm(s, 1), "");
	cr_expect_eq(reason_since(s, "the server answers 500"), 7);
	/* the end is reported even if the last reason was not */
	second(s, "refused", NULL);
	for (int i = 0; i < OUTPUT_FAULT_CLEAR_S; i++)
		second(s, NULL, NULL);
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'output_fault','priority':0,'raised':false,"
			 "'output':1}");
	status_stream_take_faults(next, faults);
	cr_expect_eq(reason_since(next, "the server answers 403"), 7);
	status_stream_free(&s);
	status_stream_free(&next);
}

static size_t output_faults(const struct status_stream *s)
{
	const struct stream_proc_info info = { 0 };
	json_auto_t *o = overview_row(s, &info);

	return json_array_size(json_object_get(o, "output_faults"));
}

Test(status, an_output_that_sends_again_has_its_alarm_and_no_fault)
{
	struct status_stream *s = with_outputs();

	for (int i = 0; i < OUTPUT_FAULT_RAISE_S; i++)
		second(s, "no route", NULL);
	cr_expect_eq(output_faults(s), 1);
	second(s, NULL, NULL);
	cr_expect_eq(output_faults(s), 0);
	cr_expect_eq(status_stream_alarms(s), ALARM_BIT(ALARM_OUTPUT_FAULT));
	second(s, "no route", NULL);
	cr_expect_eq(output_faults(s), 1);
	status_stream_free(&s);
}

Test(status, the_alarm_of_an_output_outlives_a_missed_report)
{
	struct status_stream *s = with_outputs();

	for (int i = 0; i < OUTPUT_FAULT_RAISE_S; i++)
		second(s, "no route", NULL);
	(void)next_alarm(s, 1);
	for (int i = 1; i < STATUS_GONE_S; i++)
		status_stream_miss(s);
	second(s, "no route", NULL);
	cr_assert_str_eq(next_alarm(s, 1), "");
	cr_assert_eq(status_stream_alarms(s), ALARM_BIT(ALARM_OUTPUT_FAULT));
	/* the state of the outputs of a process that ended is unknown */
	for (int i = 0; i < STATUS_GONE_S; i++)
		status_stream_miss(s);
	cr_assert_eq(status_stream_alarms(s), 0);
	status_stream_free(&s);
}

/* What the list of raised alarms of the overview says of place and alarm. */
static json_t *listed(struct status_stream *s, json_int_t place,
		      const char *alarm)
{
	json_auto_t *list = json_array();
	json_t *one;
	size_t i;

	status_stream_list_alarms(s, list);
	json_array_foreach(list, i, one)
		if (json_integer_value(json_object_get(one, "place")) ==
			    place &&
		    strcmp(json_string_value(json_object_get(one, "alarm")),
			   alarm) == 0)
			return json_incref(one);
	return NULL;
}

Test(status, the_next_master_reports_no_alarm_again)
{
	struct status_stream *s = with_input(), *next = with_input();
	struct stream_proc_info down = { .fault = "killed" };
	struct msg_stream_status m = { .n_inputs = 1, .inputs = { playing } };
	json_t *list, *worker, *one, *bad;

	m.inputs[0].alarms = ALARM_BIT(ALARM_PAT) | ALARM_BIT(ALARM_CC);
	status_stream_add(s, &m, false);
	status_stream_judge_worker(s, &down);
	while (next_alarm(s, 1)[0] != '\0')
		;
	s->raised->since_s = 7;
	list = status_stream_write_raised(s);
	worker = status_stream_write_worker(s);
	bad = json_pack("[i, [], [i, s, i, n], [i, s, i, n], [i, s, i, n]]", 1,
			1, "x", 1, 33, "pat", 1, -1, "pat", 1);
	(void)json_array_extend(list, bad);
	status_stream_take_raised(next, list);
	status_stream_take_worker(next, worker);
	next->silent = false;
	next->missed_s = 0;
	cr_assert_str_eq(next_alarm(next, 1), "");
	/* also while the first report is late */
	status_stream_miss(next);
	cr_assert_str_eq(next_alarm(next, 1), "");
	status_stream_add(next, &m, false);
	status_stream_judge_worker(next, &down);
	cr_assert_str_eq(next_alarm(next, 1), "");
	one = listed(next, 1, alarm_name(s->raised->alarm));
	cr_assert_not_null(one);
	cr_assert_eq(json_integer_value(json_object_get(one, "since")), 7);
	json_decref(one);
	/* the ends are reported */
	m.inputs[0].alarms = 0;
	down.fault = NULL;
	status_stream_add(next, &m, false);
	status_stream_judge_worker(next, &down);
	cr_assert_not_null(strstr(next_alarm(next, 1), "'raised':false"));
	cr_assert_not_null(strstr(next_alarm(next, 1), "'raised':false"));
	cr_assert_str_eq(next_alarm(next, 1), "{'place':'output','alarm':"
			 "'worker','priority':0,'raised':false}");
	json_decref(list);
	json_decref(worker);
	json_decref(bad);
	status_stream_free(&s);
	status_stream_free(&next);
}

/* The last alarm, whose bit is above 31. */
Test(status, an_overflow_of_a_multiplex_names_the_services_that_lose_packets)
{
	struct status_stream *s = with_input();
	struct msg_stream_status m = {
		.alarms = ALARM_BIT(ALARM_MUX_OVERFLOW), .n_services = 2,
		.services = { { .pnr = 101, .input = 1, .dropped = 9 },
			      { .pnr = 201, .input = 2, .dropped = 9,
				.excess = 4 } },
		.n_changes = 1,
		.changes = { { 0, ALARM_MUX_OVERFLOW, true, 7 } },
	};

	cr_assert_gt((int)ALARM_MUX_OVERFLOW, 31);
	status_stream_add(s, &m, false);
	cr_expect_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'mux_overflow','priority':0,'raised':true,'count':7,"
			 "'services':[{'pnr':201,'input':2,'excess':4}]}");
	m.alarms = m.n_services = 0;
	status_stream_add(s, &m, false);
	cr_expect_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'mux_overflow','priority':0,'raised':false,"
			 "'count':7}");
	status_stream_free(&s);
}

Test(status, a_renamed_stream_reports_its_raised_alarms_again)
{
	struct status_stream *s = with_outputs();
	struct msg_stream_status m = { .alarms = ALARM_BIT(ALARM_CC) };

	for (int i = 0; i < OUTPUT_FAULT_RAISE_S; i++)
		second(s, "no route", NULL);
	status_stream_add(s, &m, false);
	while (next_alarm(s, 1)[0] != '\0')
		;
	status_stream_rename(s, "news");
	cr_assert_str_eq(s->id, "news");
	cr_assert_str_eq(next_alarm(s, 1), "", "its id is not announced yet");
	status_stream_forget_reported(s);
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'continuity','priority':1,'raised':true}");
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':"
			 "'output_fault','priority':0,'raised':true,"
			 "'output':1,'reason':'no route'}");
	cr_assert_str_eq(next_alarm(s, 1), "");
	status_stream_free(&s);
}

/* The error of the first input in the status, or "". */
static const char *reason_of(struct status_stream *s,
			     const struct stream_proc_info *info)
{
	static char text[256];
	const char *error;
	json_t *o;

	status_stream_note_errors(s, info, 1);
	o = status_stream_inputs(s, info);
	error = json_string_value(json_object_get(
		json_array_get(json_object_get(o, "inputs"), 0), "error"));
	(void)snprintf(text, sizeof text, "%s", error != NULL ? error : "");
	json_decref(o);
	return text;
}

Test(status, a_failed_process_is_an_alarm_of_the_stream)
{
	struct status_stream *s = with_input();
	struct stream_proc_info info = {
		.state = "backoff", .fault = "killed by signal 9",
	};
	json_t *off = json_pack("{s:b}", "enable", 0);

	status_stream_judge_worker(s, &info);
	cr_assert_eq(status_stream_alarms(s), ALARM_BIT(ALARM_WORKER));
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':'worker',"
			 "'priority':0,'raised':true,"
			 "'reason':'killed by signal 9'}");
	cr_assert_str_eq(next_alarm(s, 1), "");
	cr_assert_str_eq(reason_of(s, &info), "killed by signal 9");
	info.fault = NULL;
	status_stream_judge_worker(s, &info);
	cr_assert_str_eq(next_alarm(s, 1), "{'place':'output','alarm':'worker',"
			 "'priority':0,'raised':false}");
	/* a stream that is disabled has no process to lack */
	info.fault = "killed by signal 9";
	status_stream_judge_worker(s, &info);
	(void)next_alarm(s, 1);
	set_stream(s, off);
	cr_assert_eq(status_stream_alarms(s), 0);
	json_decref(off);
	status_stream_free(&s);
}

Test(status, limits_a_flood_of_alarms_but_reports_its_end)
{
	struct status_stream *s = status_stream_new("a");
	struct msg_stream_status m = { 0 };
	unsigned told = 0;

	for (unsigned i = 0; i < 1000; i++) {
		m.alarms ^= ALARM_BIT(ALARM_CC);
		status_stream_add(s, &m, false);
		told += next_alarm(s, 1)[0] != '\0';
	}
	cr_assert_leq(told, 100);
	m.alarms = ALARM_BIT(ALARM_CC);
	status_stream_add(s, &m, false);
	while (next_alarm(s, 20000)[0] != '\0')
		;
	m.alarms = 0;
	status_stream_add(s, &m, false);
	cr_assert_str_eq(next_alarm(s, 20000), "{'place':'output','alarm':"
			 "'continuity','priority':1,'raised':false}");
	status_stream_free(&s);
}

/* Returns the number of inputs on the only network. */
static json_int_t inputs_of_network(const struct status_stream *s,
				    struct queriers *known)
{
	json_t *report;
	json_int_t n;

	queriers_count_none(known);
	status_stream_count_networks(s, known, 1);
	report = queriers_report(known, 1);
	n = json_integer_value(json_object_get(
		json_array_get(json_object_get(report, "interfaces"), 0),
		"inputs"));
	json_decref(report);
	return n;
}

Test(status, a_late_report_takes_no_input_off_its_network)
{
	struct queriers *known = queriers_new(10);
	struct status_stream *s = status_stream_new("a");
	json_t *config = json_pack("{s:b, s:[s]}", "enable", 1, "input",
				   "udp://239.1.1.1:1");
	struct msg_stream_status m = { .n_inputs = 1, .inputs = { playing } };

	set_stream(s, config);
	json_decref(config);
	s->networks[0].ifindex = 1;
	queriers_use(known, (struct querier_net){ .ifindex = 1 }, 1);
	status_stream_add(s, &m, false);
	for (int i = 1; i < STATUS_GONE_S; i++) {
		status_stream_miss(s);
		cr_assert_eq(inputs_of_network(s, known), 1);
	}
	status_stream_miss(s);
	cr_assert_eq(inputs_of_network(s, known), 0);
	status_stream_free(&s);
	queriers_free(&known);
}
