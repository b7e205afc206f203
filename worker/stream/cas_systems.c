/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/cas_systems.h"

#include "common/base/alloc.h"
#include "common/base/hex.h"
#include "common/base/log.h"
#include "proto/ipc/channel.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Messages of one system in a second, EMMs not counted; more messages
	 * close the channel. */
	MESSAGES_MAX = 500,
	/* EMM messages of one system in a second; more are dropped. */
	EMMS_MAX = 500,
	/* An ECM that is late by this time is an error. */
	LATE_S = 2,
	/* An error is logged only when it has lasted for this time, because the
	 * start of a system takes a moment. */
	LOG_S = 5,
};

_Static_assert((int)CAS_LIST_MAX == (int)CRYPTO_SYSTEMS_MAX &&
		       (int)MSG_CW_COUNT == (int)CRYPTO_WORDS &&
		       (int)MSG_CAS_WORD == (int)CSA_CONTROL_WORD &&
		       (int)MSG_CAS_ECM_PACKETS == (int)CRYPTO_ECM_PACKETS,
	       "messages have room for all systems, words and packets");

struct system {
	struct cas_systems *of;
	/* channel to the worker of the system; NULL: none */
	struct channel *channel;
	unsigned messages, emms; /* received in this second, EMMs apart */
	struct errmsg error;     /* error that its worker reported; "": none */
};

struct cas_systems {
	struct cas_systems_config cfg;
	struct system systems[CAS_LIST_MAX];
	struct errmsg error;  /* the first error of all systems now; "": none */
	struct errmsg logged; /* the error logged last; "": none */
	/* seconds for which `error' differs from `logged' */
	unsigned error_s;
};

static size_t place_of(const struct system *s)
{
	return (size_t)(s - s->of->systems);
}

static void unlink_system(struct system *s)
{
	channel_free(&s->channel);
	crypto_set_down(s->of->cfg.periods, place_of(s));
}

/* --- messages --- */

static void take_terms(struct system *s, const struct msg_cas_terms *t)
{
	s->error.text[0] = '\0';
	if (!t->up || t->error != NULL)
		errmsg_set(&s->error, "%s",
			   t->error != NULL ? t->error : "no ECMs from the ECM "
			   "generator");
	crypto_set_terms(s->of->cfg.periods, place_of(s),
			 &(struct crypto_terms){
				 .up = t->up,
				 .period_ms = t->period_ms,
				 .delay = { t->delay_start_ms,
					    t->delay_stop_ms },
				 .at_criteria = { t->ac_start_ms,
						  t->ac_stop_ms },
				 .transition = t->transition,
				 .at_clear = { t->transition_start_ms,
					       t->transition_stop_ms },
				 .repetition_ms = t->repetition_ms,
			 });
	cas_systems_ask(s->of);
}

/* Decodes the hexadecimal packets of a message into room.  n of the result is 0
 * if there are no whole packets, more than room_packets, or other digits. */
static struct ts_run read_packets(const char *digits, uint8_t *room,
				  size_t room_packets)
{
	size_t n = strlen(digits) / 2 / TS_PACKET;

	if (n > room_packets || n * 2 * TS_PACKET != strlen(digits) ||
	    !hex_read(digits, room, n * TS_PACKET))
		n = 0;
	for (size_t i = 0; i < n; i++)
		if (!ts_sync_ok(room + i * TS_PACKET))
			n = 0;
	return (struct ts_run){ room, n };
}

/* Takes an ECM from the worker of a system.  False: the message is
 * malformed. */
static bool take_ecm(struct system *s, const struct msg_cas_ecm *m)
{
	uint8_t room[CRYPTO_ECM_PACKETS * TS_PACKET];
	struct ts_run run = read_packets(m->packets, room, CRYPTO_ECM_PACKETS);

	if (run.n == 0)
		return false;
	/* the result is ignored: an answer to an earlier request is no error */
	(void)crypto_take_ecm(s->of->cfg.periods, place_of(s),
			      (uint16_t)m->number, run.data, run.n);
	cas_systems_ask(s->of);
	return true;
}

/* Passes on the packets of an EMM, and drops EMMs above EMMS_MAX.  A flood of
 * EMMs does not close the channel, because ECMs share it. */
static void take_emm(struct system *s, const struct msg_cas_emm *m)
{
	uint8_t room[MSG_CAS_EMM_PACKETS * TS_PACKET];
	struct ts_run run;

	if (++s->emms > EMMS_MAX)
		return;
	run = read_packets(m->packets, room, MSG_CAS_EMM_PACKETS);
	if (run.n > 0)
		s->of->cfg.on_emm(place_of(s), run, s->of->cfg.arg);
}

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct system *s = arg;
	bool ok;

	(void)channel, (void)fds, (void)n_fds;
	if (m->type == MSG_CAS_EMM) {
		take_emm(s, &m->cas_emm);
		return;
	}
	ok = ++s->messages <= MESSAGES_MAX;
	if (ok && m->type == MSG_CAS_TERMS)
		take_terms(s, &m->cas_terms);
	else if (ok && m->type == MSG_CAS_ECM)
		ok = take_ecm(s, &m->cas_ecm);
	else
		ok = false;
	if (ok)
		return;
	log_error("stream", "CAS %s: %s: channel closed",
		  s->of->cfg.list->list[place_of(s)].link.id,
		  s->messages > MESSAGES_MAX ? "its worker sends too many "
		  "messages"
					     : "its worker sent a malformed "
					       "message");
	unlink_system(s);
}

static void on_close(struct channel *channel, int err, const char *error,
		     void *arg)
{
	(void)channel, (void)err, (void)error;
	unlink_system(arg);
}

static const struct channel_events events = {
	.on_message = on_message,
	.on_close = on_close,
};

/* --- */

struct cas_systems *cas_systems_new(const struct cas_systems_config *cfg)
{
	struct cas_systems *c = xcalloc(1, sizeof *c);

	c->cfg = *cfg;
	for (size_t i = 0; i < CAS_LIST_MAX; i++)
		c->systems[i].of = c;
	return c;
}

void cas_systems_free(struct cas_systems **pc)
{
	struct cas_systems *c = *pc;

	*pc = NULL;
	if (c == NULL)
		return;
	for (size_t i = 0; i < CAS_LIST_MAX; i++)
		channel_free(&c->systems[i].channel);
	free(c);
}

void cas_systems_link(struct cas_systems *c, size_t system, int fd)
{
	struct system *s = &c->systems[system];

	if (s->channel != NULL)
		unlink_system(s);
	s->messages = s->emms = 0;
	errmsg_set(&s->error, "its worker has not answered yet");
	s->channel = channel_new(&(struct channel_config){
		.loop = c->cfg.loop,
		.fd = fd,
		.receives = MSG_TO_WORKER,
		.events = &events,
		.arg = s,
	});
}

void cas_systems_ask(struct cas_systems *c)
{
	struct crypto_periods *periods = c->cfg.periods;
	char words[2 * CRYPTO_WORDS * CSA_CONTROL_WORD + 1];
	uint16_t number;

	for (size_t i = 0; i < c->cfg.list->n; i++) {
		struct msg m;

		if (c->systems[i].channel == NULL ||
		    !crypto_ask(periods, i, &number))
			continue;
		hex_write(words, crypto_words(periods, number),
			  (size_t)CRYPTO_WORDS * CSA_CONTROL_WORD);
		m = (struct msg){
			.type = MSG_CAS_WORDS,
			.cas_words = { .number = number,
				       .period_ms = crypto_period_ms(periods),
				       .words = words },
		};
		(void)channel_send(c->systems[i].channel, &m, NULL, 0);
		explicit_bzero(words, sizeof words);
	}
}

/* True: writes to ret why the system at this place delivers no ECMs, or no
 * EMMs.  False: the system has no error. */
static bool find_error(const struct cas_systems *c, size_t i, uint64_t now_ns,
		       struct errmsg *ret)
{
	static const char *const effects[] = {
		[CRYPTO_SCRAMBLED] = "the last control word stays in use",
		[CRYPTO_CLEAR] = "the stream is sent in the clear",
		[CRYPTO_STOPPED] = "the scrambled components are not sent",
	};
	const struct cas_spec *spec = &c->cfg.list->list[i];
	const struct system *s = &c->systems[i];
	unsigned late_s = crypto_late_s(c->cfg.periods, i, now_ns);
	bool up = c->cfg.periods->systems[i].terms.up;

	if (spec->error.text[0] != '\0')
		errmsg_set(ret, "CAS %s: %s", spec->link.id, spec->error.text);
	else if (s->channel == NULL)
		errmsg_set(ret, "CAS %s: its worker is not running",
			   spec->link.id);
	else if (!up && s->error.text[0] != '\0')
		errmsg_set(ret, "CAS %s: %s", spec->link.id, s->error.text);
	else if (late_s >= LATE_S)
		errmsg_set(ret, "CAS %s: no ECM for %u s: %s", spec->link.id,
			   late_s, effects[crypto_mode(c->cfg.periods)]);
	else if (s->error.text[0] != '\0')
		errmsg_set(ret, "CAS %s: %s", spec->link.id, s->error.text);
	else
		return false;
	return true;
}

static void log_error_change(struct cas_systems *c)
{
	if (errmsg_is_alike(c->error.text, c->logged.text)) {
		c->error_s = 0;
		return;
	}
	if (c->error.text[0] == '\0')
		log_info("stream", "all CAS systems work again");
	else if (++c->error_s < LOG_S)
		return;
	else
		log_warning("stream", "%s", c->error.text);
	c->error_s = 0;
	c->logged = c->error;
}

unsigned cas_systems_linked(const struct cas_systems *c)
{
	unsigned bits = 0;

	for (size_t i = 0; i < CAS_LIST_MAX; i++)
		bits |= (unsigned)(c->systems[i].channel != NULL) << i;
	return bits;
}

const char *cas_systems_second(struct cas_systems *c, uint64_t now_ns)
{
	c->error.text[0] = '\0';
	for (size_t i = 0; i < c->cfg.list->n; i++) {
		struct system *s = &c->systems[i];

		if (s->emms > EMMS_MAX)
			log_warning("stream", "CAS %s: its worker sends too "
				    "many EMMs: %u messages dropped",
				    c->cfg.list->list[i].link.id,
				    s->emms - EMMS_MAX);
		s->messages = s->emms = 0;
		if (c->error.text[0] == '\0')
			(void)find_error(c, i, now_ns, &c->error);
	}
	log_error_change(c);
	return c->error.text[0] != '\0' ? c->error.text : NULL;
}
