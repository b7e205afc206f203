/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/ecmg_session.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "worker/cas/ecm_packets.h"
#include "worker/cas/simulcrypt_conn.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>

enum {
	MESSAGE_MAX = 2048, /* bytes of the longest message to the generator */
	SETUP_MS = 5000,    /* limit for the answer to a set-up */
	GRACE_MS = 2000,    /* added to max_comp_time before a request is
			     * late */
	IDLE_MS = 10000,    /* without a message for so long, a test is sent */
	SILENT_MS = 25000,  /* without a message for so long, the session
			     * ends */
	TICK_MS = 200,
	UNIT_MS = 100,      /* unit of a crypto period in messages */
};

enum stream_state { STREAM_NONE, STREAM_SETUP, STREAM_OPEN };

struct stream {
	enum stream_state state;
	bool knows_ac;    /* the generator has the access criteria */
	bool wants_ac;    /* the generator wants the criteria in each request */
	bool asked;
	uint16_t number;  /* number of the period in the request */
	uint64_t until_ms; /* time limit of the set-up, or of the request */
};

struct ecmg_session {
	struct ecmg_session_config cfg;
	struct simulcrypt_conn *conn;
	ev_timer tick;
	bool up;
	uint64_t until_ms; /* time limit of the channel's set-up */
	uint64_t heard_ms; /* time of the last message */
	uint64_t tested_ms;
	struct ecmg_terms terms;
	struct stream *streams;
	unsigned n_streams;
};

/* Ends the session through on_end, in which the owner may free s.  The caller
 * must not use s afterwards. */
static void end(struct ecmg_session *s, const char *error, unsigned status)
{
	ev_timer_stop(s->cfg.loop, &s->tick);
	s->cfg.events->on_end(error, status, s->cfg.arg);
}

static struct stream *stream_at(struct ecmg_session *s, unsigned i)
{
	if (i >= s->n_streams) {
		unsigned n = MAX(2 * s->n_streams, i + 1);

		s->streams = xrealloc(s->streams, n * sizeof *s->streams);
		memset(s->streams + s->n_streams, 0,
		       (n - s->n_streams) * sizeof *s->streams);
		s->n_streams = n;
	}
	return &s->streams[i];
}

/* --- sending --- */

struct outgoing {
	struct simulcrypt_writer w;
	uint8_t data[MESSAGE_MAX];
};

static void begin(struct ecmg_session *s, struct outgoing *o,
		  enum simulcrypt_type type)
{
	simulcrypt_begin(&o->w, o->data, sizeof o->data, s->cfg.version, type);
	simulcrypt_put(&o->w, ECMG_CHANNEL_ID, s->cfg.channel, 2);
}

static void begin_stream(struct ecmg_session *s, struct outgoing *o,
			 enum simulcrypt_type type, unsigned stream)
{
	begin(s, o, type);
	simulcrypt_put(&o->w, ECMG_STREAM_ID, s->cfg.first_stream + stream, 2);
}

static void send_out(struct ecmg_session *s, struct outgoing *o)
{
	size_t len = simulcrypt_end(&o->w);

	simulcrypt_conn_send(s->conn, o->data, len);
	explicit_bzero(o->data, len);
}

static void put_signed(struct outgoing *o, uint16_t tag, int ms)
{
	simulcrypt_put(&o->w, tag, (uint32_t)ms & 0xffff, 2);
}

/* Sends the channel_status with the negotiated values. */
static void send_status(struct ecmg_session *s)
{
	const struct ecmg_terms *t = &s->terms;
	struct outgoing o;

	begin(s, &o, ECMG_CHANNEL_STATUS);
	simulcrypt_put(&o.w, ECMG_SECTION_TSPKT_FLAG, t->packets, 1);
	put_signed(&o, ECMG_DELAY_START, t->delay_start_ms);
	put_signed(&o, ECMG_DELAY_STOP, t->delay_stop_ms);
	if (t->ac_start_ms != t->delay_start_ms ||
	    t->ac_stop_ms != t->delay_stop_ms) {
		put_signed(&o, ECMG_AC_DELAY_START, t->ac_start_ms);
		put_signed(&o, ECMG_AC_DELAY_STOP, t->ac_stop_ms);
	}
	if (t->transition) {
		put_signed(&o, ECMG_TRANSITION_DELAY_START,
			   t->transition_start_ms);
		put_signed(&o, ECMG_TRANSITION_DELAY_STOP,
			   t->transition_stop_ms);
	}
	simulcrypt_put(&o.w, ECMG_ECM_REP_PERIOD, t->repetition_ms, 2);
	simulcrypt_put(&o.w, ECMG_MAX_STREAMS, 0, 2);
	simulcrypt_put(&o.w, ECMG_MIN_CP_DURATION, t->period_ms / UNIT_MS, 2);
	simulcrypt_put(&o.w, ECMG_LEAD_CW, t->lead, 1);
	simulcrypt_put(&o.w, ECMG_CW_PER_MSG, t->per_msg, 1);
	simulcrypt_put(&o.w, ECMG_MAX_COMP_TIME, t->answer_ms, 2);
	send_out(s, &o);
}

static void send_stream_status(struct ecmg_session *s, unsigned stream)
{
	struct outgoing o;

	begin_stream(s, &o, ECMG_STREAM_STATUS, stream);
	simulcrypt_put(&o.w, ECMG_ECM_ID, s->cfg.first_stream + stream, 2);
	simulcrypt_put(&o.w, ECMG_AC_TRANSFER_MODE,
		       s->streams[stream].wants_ac, 1);
	send_out(s, &o);
}

void ecmg_session_open(struct ecmg_session *s, unsigned stream)
{
	unsigned period_ms = MAX(s->cfg.period_ms, s->terms.period_ms);
	struct stream *t = stream_at(s, stream);
	struct outgoing o;

	if (!s->up || t->state != STREAM_NONE)
		return;
	*t = (struct stream){ .state = STREAM_SETUP,
			      .until_ms = mono_ms() + SETUP_MS };
	begin_stream(s, &o, ECMG_STREAM_SETUP, stream);
	simulcrypt_put(&o.w, ECMG_ECM_ID, s->cfg.first_stream + stream, 2);
	simulcrypt_put(&o.w, ECMG_NOMINAL_CP_DURATION, period_ms / UNIT_MS, 2);
	send_out(s, &o);
}

void ecmg_session_close(struct ecmg_session *s, unsigned stream)
{
	struct stream *t = stream_at(s, stream);
	struct outgoing o;

	if (s->up && t->state != STREAM_NONE) {
		begin_stream(s, &o, ECMG_STREAM_CLOSE, stream);
		send_out(s, &o);
	}
	*t = (struct stream){ 0 };
}

void ecmg_session_ask(struct ecmg_session *s, unsigned stream,
		      const struct ecmg_request *r)
{
	const struct ecmg_terms *t = &s->terms;
	struct stream *to = stream_at(s, stream);
	struct outgoing o;

	if (to->state != STREAM_OPEN)
		return;
	begin_stream(s, &o, ECMG_CW_PROVISION, stream);
	simulcrypt_put(&o.w, ECMG_CP_NUMBER, r->number, 2);
	simulcrypt_put(&o.w, ECMG_CP_DURATION, r->period_ms / UNIT_MS, 2);
	if (r->ac_len > 0 && (to->wants_ac || !to->knows_ac))
		simulcrypt_put_bytes(&o.w, ECMG_ACCESS_CRITERIA, r->ac,
				     r->ac_len);
	/* TS 103 197 5.5: the words from period number + lead - per_msg + 1
	 * on */
	for (unsigned i = 0; i < t->per_msg; i++) {
		unsigned at = t->lead + 2 + i - t->per_msg;
		uint16_t number = (uint16_t)(r->number + at - 1);
		uint8_t value[2 + SIMULCRYPT_WORD] = { (uint8_t)(number >> 8),
						       (uint8_t)number };

		memcpy(value + 2, r->words[at], SIMULCRYPT_WORD);
		simulcrypt_put_bytes(&o.w, ECMG_CP_CW_COMBINATION, value,
				     sizeof value);
		explicit_bzero(value, sizeof value);
	}
	send_out(s, &o);
	to->knows_ac = to->asked = true;
	to->number = r->number;
	to->until_ms = mono_ms() + t->answer_ms + GRACE_MS;
}

/* --- receiving --- */

static int read16(const struct simulcrypt *m, uint16_t tag, unsigned *ret)
{
	uint32_t n;
	int r = simulcrypt_number(m, tag, 2, &n);

	if (r == 0)
		*ret = n;
	return r;
}

/* Reads a delay in ms; *ret is unchanged if the message has none.  False: the
 * delay is malformed. */
static bool read_delay(const struct simulcrypt *m, uint16_t tag, int *ret)
{
	uint32_t n;
	int r = simulcrypt_number(m, tag, 2, &n);

	if (r == 0)
		*ret = (int16_t)n;
	return r == 0 || r == -ENOENT;
}

/* Reads the delays of the ECMs; false: a delay is malformed, or delay_start is
 * missing.  The standard also requires delay_stop, but not all generators send
 * it. */
static bool read_delays(const struct simulcrypt *m, struct ecmg_terms *ret)
{
	struct simulcrypt_parameter p;
	uint32_t start;

	if (simulcrypt_number(m, ECMG_DELAY_START, 2, &start) < 0)
		return false;
	ret->delay_start_ms = ret->delay_stop_ms = (int16_t)start;
	if (!read_delay(m, ECMG_DELAY_STOP, &ret->delay_stop_ms))
		return false;
	ret->ac_start_ms = ret->delay_start_ms;
	ret->ac_stop_ms = ret->delay_stop_ms;
	if (!read_delay(m, ECMG_AC_DELAY_START, &ret->ac_start_ms) ||
	    !read_delay(m, ECMG_AC_DELAY_STOP, &ret->ac_stop_ms))
		return false;
	ret->transition =
		simulcrypt_find(m, ECMG_TRANSITION_DELAY_START, &p) ||
		simulcrypt_find(m, ECMG_TRANSITION_DELAY_STOP, &p);
	ret->transition_start_ms = ret->delay_start_ms;
	ret->transition_stop_ms = ret->delay_stop_ms;
	return read_delay(m, ECMG_TRANSITION_DELAY_START,
			  &ret->transition_start_ms) &&
	       read_delay(m, ECMG_TRANSITION_DELAY_STOP,
			  &ret->transition_stop_ms);
}

/* Reads the terms of the channel; false: a value is missing or not
 * supported. */
static bool read_terms(const struct simulcrypt *m, struct ecmg_terms *ret)
{
	uint32_t packets, lead, per_msg;
	unsigned period = 0, repetition = 0, answer = 0;
	struct ecmg_terms delays = { 0 };

	if (simulcrypt_number(m, ECMG_SECTION_TSPKT_FLAG, 1, &packets) < 0 ||
	    !read_delays(m, &delays) ||
	    simulcrypt_number(m, ECMG_LEAD_CW, 1, &lead) < 0 ||
	    simulcrypt_number(m, ECMG_CW_PER_MSG, 1, &per_msg) < 0 ||
	    read16(m, ECMG_ECM_REP_PERIOD, &repetition) < 0 ||
	    read16(m, ECMG_MIN_CP_DURATION, &period) < 0 ||
	    read16(m, ECMG_MAX_COMP_TIME, &answer) < 0)
		return false;
	if (lead > ECMG_LEAD_MAX || per_msg < 1 || per_msg > lead + 2)
		return false;
	*ret = delays;
	ret->packets = packets & 1;
	ret->repetition_ms = repetition;
	ret->period_ms = period * UNIT_MS;
	ret->lead = lead;
	ret->per_msg = per_msg;
	ret->answer_ms = answer;
	return true;
}

/* Takes the status of the channel.  False: the session has ended, and the owner
 * may have freed s. */
static bool take_channel_status(struct ecmg_session *s,
				const struct simulcrypt *m)
{
	struct ecmg_terms terms;
	bool before = s->up;

	if (!read_terms(m, &terms)) {
		end(s, "the channel_status message lacks a parameter, or has a "
		    "value that is not supported", 0);
		return false;
	}
	if (before)
		return true; /* the status answers a channel_test */
	s->terms = terms;
	s->up = true;
	s->cfg.events->on_up(&s->terms, s->cfg.arg);
	return true;
}

static void take_stream_status(struct ecmg_session *s, unsigned i,
			       const struct simulcrypt *m)
{
	struct stream *t = &s->streams[i];
	uint32_t mode = 0;

	(void)simulcrypt_number(m, ECMG_AC_TRANSFER_MODE, 1, &mode);
	t->wants_ac = mode & 1;
	if (t->state != STREAM_SETUP)
		return;
	t->state = STREAM_OPEN;
	s->cfg.events->on_stream(i, NULL, s->cfg.arg);
}

/* Ends a stream with an error.  The channel stays open, because its other
 * streams may work. */
static void fail_stream(struct ecmg_session *s, unsigned i, const char *error)
{
	ecmg_session_close(s, i);
	s->cfg.events->on_stream(i, error, s->cfg.arg);
}

static void take_ecm(struct ecmg_session *s, unsigned i,
		     const struct simulcrypt *m)
{
	struct stream *t = &s->streams[i];
	uint8_t room[ECMG_PACKETS_MAX * TS_PACKET];
	struct simulcrypt_parameter p;
	struct ts_run run = { room, 0 };
	uint32_t number;

	if (simulcrypt_number(m, ECMG_CP_NUMBER, 2, &number) < 0 ||
	    !simulcrypt_find(m, ECMG_ECM_DATAGRAM, &p)) {
		fail_stream(s, i, "an ECM_response message lacks CP_number or "
			    "the ECM");
		return;
	}
	if (!t->asked || t->number != number)
		return; /* a late answer */
	t->asked = false;
	run.n = s->terms.packets
			? ecm_packets_copy(p.value, p.len, room,
					   ECMG_PACKETS_MAX)
			: ecm_packets_make(p.value, p.len, room,
					   ECMG_PACKETS_MAX);
	if (run.n == 0) {
		fail_stream(s, i, "an ECM is malformed");
		return;
	}
	s->cfg.events->on_ecm(i, (uint16_t)number, run, s->cfg.arg);
}

/* Takes a message about a stream; ignores one about an unknown stream. */
static void take_of_stream(struct ecmg_session *s, const struct simulcrypt *m)
{
	struct errmsg error;
	uint32_t n;
	unsigned i;

	if (simulcrypt_number(m, ECMG_STREAM_ID, 2, &n) < 0 ||
	    n < s->cfg.first_stream)
		return;
	i = n - s->cfg.first_stream;
	if (i >= s->n_streams || s->streams[i].state == STREAM_NONE)
		return;
	if (m->type == ECMG_STREAM_STATUS) {
		take_stream_status(s, i, m);
	} else if (m->type == ECMG_STREAM_ERROR) {
		simulcrypt_explain(m, &error);
		s->streams[i] = (struct stream){ 0 };
		s->cfg.events->on_stream(i, error.text, s->cfg.arg);
	} else if (m->type == ECMG_ECM_RESPONSE &&
		   s->streams[i].state == STREAM_OPEN) {
		take_ecm(s, i, m);
	} else if (m->type == ECMG_STREAM_TEST) {
		send_stream_status(s, i);
	}
}

static bool on_message(const struct simulcrypt *m, void *arg)
{
	struct ecmg_session *s = arg;
	struct errmsg error;

	s->heard_ms = mono_ms();
	switch (m->type) {
	case ECMG_CHANNEL_STATUS:
		return take_channel_status(s, m);
	case ECMG_CHANNEL_ERROR:
		simulcrypt_explain(m, &error);
		end(s, error.text, simulcrypt_error(m));
		return false;
	case ECMG_CHANNEL_TEST:
		if (s->up)
			send_status(s);
		return true;
	case ECMG_CHANNEL_CLOSE:
		end(s, "the ECMG closed the channel", 0);
		return false;
	default:
		if (s->up)
			take_of_stream(s, m);
		return true;
	}
}

static void on_closed(const char *error, void *arg)
{
	end(arg, error, 0);
}

/* --- time --- */

static void on_tick(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct ecmg_session *s = container_of(w, struct ecmg_session, tick);
	uint64_t now_ms = mono_ms(), since_ms = now_ms - s->heard_ms;

	(void)loop, (void)revents;
	if (!s->up && now_ms >= s->until_ms) {
		end(s, "no answer to channel_setup", 0);
		return;
	}
	if (since_ms >= SILENT_MS) {
		end(s, "no message from the ECMG for 25 s", 0);
		return;
	}
	if (s->up && since_ms >= IDLE_MS &&
	    now_ms - s->tested_ms >= IDLE_MS) {
		struct outgoing o;

		s->tested_ms = now_ms;
		begin(s, &o, ECMG_CHANNEL_TEST);
		send_out(s, &o);
	}
	for (unsigned i = 0; i < s->n_streams; i++) {
		struct stream *t = &s->streams[i];

		if (t->state == STREAM_SETUP && now_ms >= t->until_ms) {
			fail_stream(s, i, "no answer to stream_setup");
		} else if (t->asked && now_ms >= t->until_ms) {
			t->asked = false;
			s->cfg.events->on_late(i, s->cfg.arg);
		}
	}
}

struct ecmg_session *ecmg_session_new(const struct ecmg_session_config *cfg)
{
	struct ecmg_session *s = xcalloc(1, sizeof *s);
	struct outgoing o;

	s->cfg = *cfg;
	s->heard_ms = mono_ms();
	s->until_ms = s->heard_ms + SETUP_MS;
	s->conn = simulcrypt_conn_new(&(struct simulcrypt_conn_config){
		.loop = cfg->loop,
		.fd = cfg->fd,
		.on_message = on_message,
		.on_closed = on_closed,
		.arg = s,
	});
	ev_init(&s->tick, on_tick);
	timer_repeat(cfg->loop, &s->tick, TICK_MS / 1e3, TICK_MS / 1e3);
	begin(s, &o, ECMG_CHANNEL_SETUP);
	simulcrypt_put(&o.w, ECMG_SUPER_CAS_ID, s->cfg.super_cas_id, 4);
	send_out(s, &o);
	return s;
}

void ecmg_session_free(struct ecmg_session **ps)
{
	struct ecmg_session *s = *ps;
	struct outgoing o;

	*ps = NULL;
	if (s == NULL)
		return;
	if (s->up) {
		begin(s, &o, ECMG_CHANNEL_CLOSE);
		send_out(s, &o);
	}
	ev_timer_stop(s->cfg.loop, &s->tick);
	simulcrypt_conn_free(&s->conn);
	free(s->streams);
	free(s);
}
