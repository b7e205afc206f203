/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alarms that a stream has from the stream that it reads. */
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
	"'priority':1,'raised':true,'source':'a'}";
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
			 "'source':'a'}");
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
			 "'source':'a'}");
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
