/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alarms that a stream has from the stream that it reads, and its output from
 * its inputs. */
#include "tests/unit/master/status/alarm_events.h"

/* Two streams, of which the second reads the first. */
struct pair {
	struct status_stream *source, *reader;
};

static void pair_init(struct pair *p)
{
	json_t *config = json_pack("{s:b, s:[s, s]}", "enable", 1, "input",
				   "stream://a", "udp://127.0.0.1:1");

	p->source = status_stream_new("a");
	p->source->enabled = true;
	p->reader = status_stream_new("b");
	set_stream(p->reader, config);
	json_decref(config);
}

static void pair_done(struct pair *p)
{
	status_stream_free(&p->source);
	status_stream_free(&p->reader);
}

static void source_second(struct pair *p, alarm_set alarms)
{
	struct msg_stream_status m = { .alarms = alarms };

	status_stream_add(p->source, &m, false);
}

static void reader_second(struct pair *p, uint32_t input, uint32_t output)
{
	struct msg_stream_status m = {
		.alarms = output, .n_inputs = 1, .inputs = { playing },
	};

	m.inputs[0].alarms = input;
	status_stream_add(p->reader, &m, false);
	status_stream_relate(p->reader, 1, p->source);
}

#define CC ALARM_BIT(ALARM_CC)
#define CRC ALARM_BIT(ALARM_CRC)
#define SOCKET ALARM_BIT(ALARM_SOCKET_LOSS)

static const char cc_output[] = "{'place':'output','alarm':'continuity',"
	"'priority':1,'raised':true,'source':'a','cause':1}";
static const char cc_input[] = "{'place':1,'alarm':'continuity',"
	"'priority':1,'raised':true,'source':'a'}";

Test(source_alarms, an_alarm_of_the_source_is_reported_as_such)
{
	struct pair p;

	pair_init(&p);
	source_second(&p, CC);
	reader_second(&p, CC, CC);
	cr_assert_str_eq(next_alarm(p.reader, 1), cc_output);
	cr_assert_str_eq(next_alarm(p.reader, 1), cc_input);
	cr_assert_str_eq(next_alarm(p.reader, 1), "");
	/* the source is the first without an alarm */
	source_second(&p, 0);
	reader_second(&p, CC, CC);
	cr_assert_str_eq(next_alarm(p.reader, 1), "");
	reader_second(&p, 0, 0);
	cr_assert_str_eq(next_alarm(p.reader, 1), "{'place':'output','alarm':"
			 "'continuity','priority':1,'raised':false,"
			 "'source':'a','cause':1}");
	cr_assert_str_eq(next_alarm(p.reader, 1), "{'place':1,'alarm':"
			 "'continuity','priority':1,'raised':false,"
			 "'source':'a'}");
	cr_assert_str_eq(next_alarm(p.reader, 1), "");
	pair_done(&p);
}

/* A consumer finds the end of an alarm by its name and its source. */
Test(source_alarms, an_alarm_ends_with_the_source_it_began_with)
{
	struct msg_stream_status other = { .n_inputs = 1,
		.inputs = { playing } };
	json_t *config = json_pack("{s:b, s:[s]}", "enable", 1, "input",
				   "stream://c");
	struct pair p;

	pair_init(&p);
	source_second(&p, CC);
	reader_second(&p, CC, CC);
	cr_assert_str_eq(next_alarm(p.reader, 1), cc_output);
	cr_assert_str_eq(next_alarm(p.reader, 1), cc_input);
	/* the stream changes to a source without readers */
	other.inputs[0].position = 2;
	status_stream_add(p.reader, &other, false);
	cr_assert_str_eq(next_alarm(p.reader, 1), "{'place':'output','alarm':"
			 "'continuity','priority':1,'raised':false,"
			 "'source':'a','cause':1}");
	/* and is to read another */
	set_stream(p.reader, config);
	status_stream_miss(p.reader);
	cr_assert_str_eq(next_alarm(p.reader, 1), "{'place':1,'alarm':"
			 "'continuity','priority':1,'raised':false,"
			 "'source':'a'}");
	json_decref(config);
	pair_done(&p);
}

/* Whoever is asked first. */
Test(source_alarms, a_reader_that_is_first_to_see_it_waits_for_its_source)
{
	struct pair p;

	pair_init(&p);
	source_second(&p, 0);
	reader_second(&p, CC, CC);
	cr_assert_str_eq(next_alarm(p.reader, 1), "");
	source_second(&p, CC);
	reader_second(&p, CC, CC);
	cr_assert_str_eq(next_alarm(p.reader, 1), cc_output);
	cr_assert_str_eq(next_alarm(p.reader, 1), cc_input);
	cr_assert_str_eq(next_alarm(p.reader, 1), "");
	pair_done(&p);
}

Test(source_alarms, an_alarm_of_the_reader_alone_is_its_own)
{
	struct pair p;

	pair_init(&p);
	source_second(&p, CRC | CC);
	reader_second(&p, CC | SOCKET, CRC);
	source_second(&p, CRC | CC);
	reader_second(&p, CC | SOCKET, CRC);
	/* the source is without an alarm: its cause is here */
	cr_assert_str_eq(next_alarm(p.reader, 1), "{'place':'output','alarm':"
			 "'crc','priority':2,'raised':true}");
	cr_assert_str_eq(next_alarm(p.reader, 1), cc_input);
	cr_assert_str_eq(next_alarm(p.reader, 1), "{'place':1,'alarm':"
			 "'socket_loss','priority':0,'raised':true}");
	cr_assert_str_eq(next_alarm(p.reader, 1), "");
	pair_done(&p);
}

Test(source_alarms, a_source_that_is_off_has_no_alarm_that_replaces_another)
{
	struct pair p;

	pair_init(&p);
	source_second(&p, CC);
	p.source->enabled = false;
	reader_second(&p, CC, 0);
	reader_second(&p, CC, 0);
	cr_assert_str_eq(next_alarm(p.reader, 1), "{'place':1,'alarm':"
			 "'continuity','priority':1,'raised':true}");
	cr_assert_str_eq(next_alarm(p.reader, 1), "");
	pair_done(&p);
}

/* --- of an output, because of an input --- */

static struct status_stream *with_two_inputs(const char *type)
{
	struct status_stream *s = status_stream_new("m");
	json_t *config = json_pack("{s:b, s:s, s:[s, s]}", "enable", 1, "type",
				   type, "input", "udp://127.0.0.1:1",
				   "udp://127.0.0.1:2");

	set_stream(s, config);
	json_decref(config);
	return s;
}

/* The first input is active in a stream of one at a time. */
static void two_seconds(struct status_stream *s, alarm_set output,
			alarm_set first, alarm_set second)
{
	struct msg_stream_status m = {
		.alarms = output, .n_inputs = 2,
		.inputs = { playing, playing },
		.n_changes = first == 0 && second == 0,
		.changes = { { 0, ALARM_CC, true, 7 } },
	};

	m.inputs[0].alarms = first;
	m.inputs[1].alarms = second;
	m.inputs[1].position = 2;
	m.inputs[1].active = false;
	status_stream_add(s, &m, false);
}

#define RAISED(place, rest) "{'place':" place ",'alarm':'continuity'," \
			    "'priority':1,'raised':true" rest "}"

Test(source_alarms, an_output_has_one_because_of_the_active_input)
{
	struct status_stream *s = with_two_inputs("spts");

	two_seconds(s, CC, CC, 0);
	cr_assert_str_eq(next_alarm(s, 1), RAISED("'output'", ",'cause':1"));
	cr_assert_str_eq(next_alarm(s, 1), RAISED("1", ""));
	cr_assert_str_eq(next_alarm(s, 1), "");
	status_stream_free(&s);
	/* that of a standby does not leave the stream */
	s = with_two_inputs("spts");
	two_seconds(s, CC, 0, CC);
	cr_assert_str_eq(next_alarm(s, 1), RAISED("'output'", ""));
	cr_assert_str_eq(next_alarm(s, 1), RAISED("2", ""));
	status_stream_free(&s);
}

/* Their workers report at another moment of the second. */
Test(source_alarms, an_output_of_a_multiplex_waits_for_its_inputs)
{
	struct status_stream *s = with_two_inputs("mpts");

	two_seconds(s, CC | ALARM_BIT(ALARM_MUX_OVERFLOW), 0, 0);
	cr_assert_not_null(strstr(next_alarm(s, 1), "'mux_overflow'"));
	cr_assert_str_eq(next_alarm(s, 1), "");
	two_seconds(s, CC, 0, CC);
	cr_assert_str_eq(next_alarm(s, 1), RAISED("'output'",
						  ",'count':7,'cause':2"));
	cr_assert_not_null(strstr(next_alarm(s, 1), "'mux_overflow'"));
	cr_assert_str_eq(next_alarm(s, 1), RAISED("2", ""));
	cr_assert_str_eq(next_alarm(s, 1), "");
	status_stream_free(&s);
	/* it has one of its own */
	s = with_two_inputs("mpts");
	two_seconds(s, CC, CRC, 0);
	two_seconds(s, CC, CRC, 0);
	cr_assert_str_eq(next_alarm(s, 1), RAISED("'output'", ""));
	status_stream_free(&s);
}

Test(source_alarms, the_next_master_knows_the_cause)
{
	struct status_stream *s = with_two_inputs("mpts");
	struct status_stream *next = with_two_inputs("mpts");
	json_t *list, *bad = json_pack("[[i, s, i, n, i]]", 0, "pat", 1, 9);

	two_seconds(s, CC, 0, CC);
	while (next_alarm(s, 1)[0] != '\0')
		;
	list = status_stream_write_raised(s);
	(void)json_array_extend(list, bad);
	status_stream_take_raised(next, list);
	cr_assert_eq(status_stream_find_raised(next, 0, ALARM_CC)->cause, 2);
	cr_assert_eq(status_stream_find_raised(next, 0, ALARM_PAT)->cause, 0);
	json_decref(list);
	json_decref(bad);
	status_stream_free(&s);
	status_stream_free(&next);
}
