/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/ecmg_session.h"

#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STREAMS = 3, CHANNEL = 7, ANSWER_MS = 100 };

/* The linker puts this clock in the place of mono_ms(). */
static uint64_t clock_ms = 1000000;

uint64_t __wrap_mono_ms(void);
uint64_t __wrap_mono_ms(void)
{
	return clock_ms;
}

/* What the session has reported, and the end of the generator. */
static struct {
	struct ev_loop *loop;
	struct ecmg_session *session;
	int generator;
	bool up, ended;
	struct ecmg_terms terms;
	struct errmsg error; /* of a stream */
	unsigned opened[STREAMS], failed[STREAMS], late[STREAMS];
	unsigned ecms[STREAMS];
} g;

static void on_up(const struct ecmg_terms *terms, void *arg)
{
	(void)arg;
	g.terms = *terms;
	g.up = true;
}

static void on_stream(unsigned stream, const char *error, void *arg)
{
	(void)arg;
	errmsg_set(&g.error, "%s", error != NULL ? error : "");
	g.opened[stream] += error == NULL;
	g.failed[stream] += error != NULL;
}

static void on_late(unsigned stream, void *arg)
{
	(void)arg;
	g.late[stream]++;
}

static void on_ecm(unsigned stream, uint16_t number, struct ts_run run,
		   void *arg)
{
	(void)number, (void)arg;
	g.ecms[stream] += run.n == 1;
}

static void on_end(const char *error, unsigned status, void *arg)
{
	(void)error, (void)status, (void)arg;
	g.ended = true;
	ecmg_session_free(&g.session);
}

static const struct ecmg_session_events events = {
	.on_up = on_up,
	.on_stream = on_stream,
	.on_late = on_late,
	.on_ecm = on_ecm,
	.on_end = on_end,
};

struct message {
	struct simulcrypt_writer w;
	uint8_t data[512];
};

static void begin(struct message *m, enum simulcrypt_type type, int stream)
{
	simulcrypt_begin(&m->w, m->data, sizeof m->data, SIMULCRYPT_VERSION,
			 type);
	simulcrypt_put(&m->w, ECMG_CHANNEL_ID, CHANNEL, 2);
	if (stream >= 0)
		simulcrypt_put(&m->w, ECMG_STREAM_ID, (uint32_t)stream, 2);
}

static void end(struct message *m)
{
	size_t len = simulcrypt_end(&m->w);

	cr_assert_eq(write(g.generator, m->data, len), (ssize_t)len);
	(void)ev_run(g.loop, EVRUN_NOWAIT);
}

/* Until the tick of the session has looked at the clock. */
static void tick_at(uint64_t ms)
{
	clock_ms = ms;
	for (unsigned i = 0; i < 2 && !g.ended; i++)
		(void)ev_run(g.loop, EVRUN_ONCE);
}

static void open_stream(unsigned i)
{
	struct message m;

	ecmg_session_open(g.session, i);
	begin(&m, ECMG_STREAM_STATUS, (int)i);
	simulcrypt_put(&m.w, ECMG_AC_TRANSFER_MODE, 0, 1);
	end(&m);
	cr_assert_eq(g.opened[i], 1);
}

static void ask(unsigned i)
{
	const struct ecmg_request r = { .number = 1, .period_ms = 10000 };

	ecmg_session_ask(g.session, i, &r);
}

static void answer(unsigned i, const void *ecm, size_t len)
{
	struct message m;

	begin(&m, ECMG_ECM_RESPONSE, (int)i);
	simulcrypt_put(&m.w, ECMG_CP_NUMBER, 1, 2);
	simulcrypt_put_bytes(&m.w, ECMG_ECM_DATAGRAM, ecm, len);
	end(&m);
}

static void begin_status_of(struct message *m, unsigned lead,
			    unsigned per_msg)
{
	begin(m, ECMG_CHANNEL_STATUS, -1);
	simulcrypt_put(&m->w, ECMG_SECTION_TSPKT_FLAG, 0, 1);
	simulcrypt_put(&m->w, ECMG_DELAY_START, 0xff38, 2);
	simulcrypt_put(&m->w, ECMG_LEAD_CW, lead, 1);
	simulcrypt_put(&m->w, ECMG_CW_PER_MSG, per_msg, 1);
	simulcrypt_put(&m->w, ECMG_ECM_REP_PERIOD, 100, 2);
	simulcrypt_put(&m->w, ECMG_MIN_CP_DURATION, 10, 2);
	simulcrypt_put(&m->w, ECMG_MAX_COMP_TIME, ANSWER_MS, 2);
}

static void begin_status(struct message *m)
{
	begin_status_of(m, 1, 2);
}

/* Connects to a generator that sends nothing yet. */
static void link_up(void)
{
	int fds[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds),
		     0);
	g.generator = fds[1];
	g.session = ecmg_session_new(&(struct ecmg_session_config){
		.loop = g.loop,
		.fd = fds[0],
		.version = SIMULCRYPT_VERSION,
		.channel = CHANNEL,
		.events = &events,
	});
}

static void start(void)
{
	struct message m;

	g.loop = ev_loop_new(0);
	link_up();
	begin_status(&m);
	end(&m);
	cr_assert(g.up);
}

static void stop(void)
{
	ecmg_session_free(&g.session);
	fd_close(&g.generator);
	ev_loop_destroy(g.loop);
}

/* The same with another connection. */
static void restart(void)
{
	ecmg_session_free(&g.session);
	fd_close(&g.generator);
	g.up = g.ended = false;
	link_up();
}

TestSuite(ecmg_session, .init = start, .fini = stop);

static const uint8_t section[] = { 0x80, 0x70, 0x02, 0xaa, 0xbb };

Test(ecmg_session, a_malformed_ecm_ends_its_stream_alone)
{
	static const struct {
		const void *data;
		size_t len;
	} bad[] = { { "", 0 }, { "no section", 10 } };

	open_stream(0);
	open_stream(1);
	ask(1);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		ask(0);
		answer(0, bad[i].data, bad[i].len);
		cr_assert_not(g.ended);
		cr_assert_eq(g.failed[0], 1);
		/* as its owner does after a pause */
		g.failed[0] = g.opened[0] = 0;
		open_stream(0);
	}
	answer(1, section, sizeof section);
	cr_assert_eq(g.ecms[1], 1);
	ask(0);
	answer(0, section, sizeof section);
	cr_assert_eq(g.ecms[0], 1);
}

Test(ecmg_session, a_stream_without_an_answer_ends_alone)
{
	open_stream(0);
	ecmg_session_open(g.session, 1);
	tick_at(clock_ms + 6000);
	cr_assert_not(g.ended);
	cr_assert_eq(g.failed[1], 1);
	ask(0);
	answer(0, section, sizeof section);
	cr_assert_eq(g.ecms[0], 1);
}

Test(ecmg_session, a_generator_that_sends_nothing_is_given_up)
{
	tick_at(clock_ms + 26000);
	cr_assert(g.ended);
}

Test(ecmg_session, all_late_streams_are_reported_at_once)
{
	for (unsigned i = 0; i < STREAMS; i++) {
		open_stream(i);
		ask(i);
	}
	clock_ms += 5000;
	(void)ev_run(g.loop, EVRUN_ONCE);
	for (unsigned i = 0; i < STREAMS; i++)
		cr_assert_eq(g.late[i], 1, "stream %u", i);
}

Test(ecmg_session, the_delays_of_a_generator_have_their_signs)
{
	struct message m;

	cr_assert_eq(g.terms.delay_start_ms, -200);
	cr_assert_eq(g.terms.delay_stop_ms, -200, "absent: the same");
	cr_assert_not(g.terms.transition);
	cr_assert_eq(g.terms.ac_start_ms, -200, "absent: delay_start");
	cr_assert_eq(g.terms.ac_stop_ms, -200, "absent: delay_stop");
	restart();
	begin_status(&m);
	simulcrypt_put(&m.w, ECMG_DELAY_STOP, 300, 2);
	simulcrypt_put(&m.w, ECMG_TRANSITION_DELAY_START, 0xfe0c, 2);
	simulcrypt_put(&m.w, ECMG_AC_DELAY_START, 0xfc18, 2);
	simulcrypt_put(&m.w, ECMG_AC_DELAY_STOP, 700, 2);
	end(&m);
	cr_assert(g.up);
	cr_assert_eq(g.terms.delay_stop_ms, 300);
	cr_assert_eq(g.terms.ac_start_ms, -1000);
	cr_assert_eq(g.terms.ac_stop_ms, 700);
	cr_assert(g.terms.transition);
	cr_assert_eq(g.terms.transition_start_ms, -500);
	cr_assert_eq(g.terms.transition_stop_ms, 300, "absent: delay_stop");
	restart();
	begin_status(&m);
	simulcrypt_put(&m.w, ECMG_TRANSITION_DELAY_STOP, 1, 4);
	end(&m);
	cr_assert(g.ended, "a delay has two bytes");
	restart();
	begin_status(&m);
	simulcrypt_put(&m.w, ECMG_AC_DELAY_START, 1, 1);
	end(&m);
	cr_assert(g.ended, "this one, too");
}

Test(ecmg_session, a_generator_that_requires_encrypted_words_is_named)
{
	static const struct {
		unsigned tag;
		const char *error;
	} cases[] = {
		{ ECMG_CW_ENCRYPTION, "the ECMG requires CW_encryption, which "
				      "is not supported" },
		{ ECMG_CP_DURATION, "missing parameter 0x0013" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct message m;

		g.opened[0] = 0;
		open_stream(0);
		ask(0);
		begin(&m, ECMG_STREAM_ERROR, 0);
		simulcrypt_put(&m.w, SIMULCRYPT_ERROR_STATUS, 0x10, 2);
		simulcrypt_put(&m.w, SIMULCRYPT_ERROR_INFORMATION,
			       cases[i].tag, 2);
		end(&m);
		cr_assert_not(g.ended);
		cr_assert_str_eq(g.error.text, cases[i].error);
	}
}

/* The message that the session has sent last. */
static struct simulcrypt last_sent(uint8_t room[], size_t size)
{
	struct simulcrypt m = { 0 };
	ssize_t n = read(g.generator, room, size);

	for (ssize_t at = 0; at < n;) {
		size_t len = simulcrypt_len(room + at);

		cr_assert_eq(simulcrypt_read(room + at, len, &m), 0);
		at += (ssize_t)len;
	}
	return m;
}

Test(ecmg_session, a_request_has_the_words_that_its_generator_wants)
{
	/* the request of period 65535: numbers wrap */
	static const struct {
		unsigned lead, per_msg;
		uint16_t first;
	} cases[] = { { 0, 1, 65535 }, { 1, 1, 0 }, { 1, 2, 65535 },
		      { 1, 3, 65534 }, { 2, 2, 0 } };
	struct ecmg_request r = { .number = 65535, .period_ms = 10000 };

	/* words[0] is that of the period before */
	for (unsigned i = 0; i < ECMG_WORDS; i++)
		r.words[i][0] = (uint8_t)i;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint8_t room[4096];
		struct simulcrypt sent;
		struct simulcrypt_parameter p;
		struct message m;
		size_t at = 0;
		unsigned n = 0;

		restart();
		begin_status_of(&m, cases[i].lead, cases[i].per_msg);
		end(&m);
		g.opened[0] = 0;
		open_stream(0);
		ecmg_session_ask(g.session, 0, &r);
		sent = last_sent(room, sizeof room);
		cr_assert_eq(sent.type, ECMG_CW_PROVISION);
		while (simulcrypt_next(&sent, &at, &p)) {
			uint16_t number = (uint16_t)(cases[i].first + n);

			if (p.tag != ECMG_CP_CW_COMBINATION)
				continue;
			cr_assert_eq(p.value[0] << 8 | p.value[1], number);
			cr_assert_eq(p.value[2],
				     (uint8_t)(number - 65535 + 1));
			n++;
		}
		cr_assert_eq(n, cases[i].per_msg);
	}
}

Test(ecmg_session, access_criteria_go_with_each_request_if_they_must)
{
	struct ecmg_request r = { .number = 1, .ac = section, .ac_len = 2 };

	for (uint8_t mode = 0; mode < 2; mode++) {
		struct message m;

		ecmg_session_open(g.session, mode);
		begin(&m, ECMG_STREAM_STATUS, mode);
		simulcrypt_put(&m.w, ECMG_AC_TRANSFER_MODE, mode, 1);
		end(&m);
		for (unsigned i = 0; i < 3; i++) {
			uint8_t room[4096];
			struct simulcrypt_parameter p;
			struct simulcrypt sent;

			ecmg_session_ask(g.session, mode, &r);
			sent = last_sent(room, sizeof room);
			cr_assert_eq(simulcrypt_find(&sent,
						     ECMG_ACCESS_CRITERIA, &p),
				     i == 0 || mode == 1);
		}
	}
}
