/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/ecmg.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "worker/softcam/dial.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>

enum {
	PEERS = 2,
	CONNECT_MS = 5000,
	PAUSE_MIN_MS = 1000, /* pause before the next connection; doubled after
			      * each failure */
	PAUSE_MAX_MS = 15000,
	REOPEN_MS = 5000, /* pause before a stream that had an error is set up
			   * again */
	TICK_MS = 500,
	VERSION_ERROR = 2, /* error_status of TS 103 197: protocol version not
			    * supported */
};

/* A generator. */
struct peer {
	struct ecmg *of;
	const char *host;
	uint16_t port;
	uint8_t version;
	bool up;
	unsigned pause_ms;
	struct dial *dial;
	/* name queries of earlier dials that have not ended */
	struct dial_lookup *lookups;
	struct ecmg_session *session;
	struct ecmg_terms terms;
	ev_timer pause;
	struct errmsg error; /* why the generator is not connected; "": it is,
			      * or was not tried yet */
	bool logged;
};

struct slot {
	bool used;
	bool open[PEERS];
	bool late[PEERS];    /* index by peer: the last request had no answer in
			      * time */
	/* time when the stream is set up again after an error; 0: no error */
	uint64_t reopen_ms[PEERS];
	/* index of the peer whose terms were reported last; PEERS: an error was
	 * reported; -1: to be reported again */
	int told;
	struct cas_data ac;
	bool pending;
	struct ecmg_request request;
	struct errmsg error; /* last error of the stream at a generator; "":
			      * none */
};

struct ecmg {
	struct ecmg_config cfg;
	size_t n_peers;
	struct peer peers[PEERS];
	ev_timer tick;
	unsigned n_slots;
	struct slot *slots;
};

static size_t place_of(const struct peer *p)
{
	return (size_t)(p - p->of->peers);
}

/* --- streams --- */

/* The index of the peer that serves a stream: the first one that has answered
 * the last request, else the first one that has set up the stream.  PEERS: no
 * peer has set it up. */
static size_t serving(const struct ecmg *e, const struct slot *s)
{
	for (size_t i = 0; i < e->n_peers; i++)
		if (s->open[i] && !s->late[i])
			return i;
	for (size_t i = 0; i < e->n_peers; i++)
		if (s->open[i])
			return i;
	return PEERS;
}

static void ask(struct ecmg *e, unsigned stream)
{
	struct slot *s = &e->slots[stream];
	size_t peer = serving(e, s);

	if (!s->pending || peer == PEERS)
		return;
	s->request.ac = s->ac.bytes;
	s->request.ac_len = s->ac.len;
	ecmg_session_ask(e->peers[peer].session, stream, &s->request);
}

/* Reports the terms of a stream if another peer serves it than at the last
 * report, or none. */
static void report(struct ecmg *e, unsigned stream)
{
	struct slot *s = &e->slots[stream];
	size_t peer = serving(e, s);
	const char *error = s->error.text[0] != '\0' ? s->error.text
						     : ecmg_error(e);

	if (!s->used || (int)peer == s->told)
		return;
	s->told = (int)peer;
	if (peer < PEERS)
		e->cfg.events->on_terms(stream, &e->peers[peer].terms, NULL,
					e->cfg.arg);
	else
		e->cfg.events->on_terms(stream, NULL,
					error != NULL ? error
						      : "ECMG: connecting",
					e->cfg.arg);
}

static void follow(struct ecmg *e, unsigned stream)
{
	report(e, stream);
	ask(e, stream);
}

/* --- events of a session --- */

static void on_up(const struct ecmg_terms *terms, void *arg)
{
	struct peer *p = arg;
	struct ecmg *e = p->of;

	p->terms = *terms;
	p->up = true;
	p->pause_ms = 0;
	if (p->logged)
		log_info("cas", "ECMG %s:%u: connected again", p->host,
			 p->port);
	p->logged = false;
	p->error.text[0] = '\0';
	for (unsigned i = 0; i < e->n_slots; i++)
		if (e->slots[i].used)
			ecmg_session_open(p->session, i);
}

static void on_stream(unsigned stream, const char *error, void *arg)
{
	struct peer *p = arg;
	struct slot *s = &p->of->slots[stream];
	size_t place = place_of(p);

	s->open[place] = error == NULL;
	s->late[place] = false;
	s->reopen_ms[place] = error != NULL ? mono_ms() + REOPEN_MS : 0;
	s->error.text[0] = '\0';
	if (error != NULL) {
		errmsg_set(&s->error, "ECMG %s:%u: ECM stream %u: %s", p->host,
			   p->port, p->of->cfg.entry->first_stream + stream,
			   error);
		log_warning("cas", "%s", s->error.text);
		s->told = -1;
	}
	follow(p->of, stream);
}

static void on_late(unsigned stream, void *arg)
{
	struct peer *p = arg;
	struct slot *s = &p->of->slots[stream];

	if (!s->late[place_of(p)])
		log_warning("cas", "ECMG %s:%u: no ECM for ECM stream %u in "
			    "time",
			    p->host, p->port,
			    p->of->cfg.entry->first_stream + stream);
	s->late[place_of(p)] = true;
	follow(p->of, stream);
}

static void on_ecm(unsigned stream, uint16_t number, struct ts_run run,
		   void *arg)
{
	struct peer *p = arg;
	struct slot *s = &p->of->slots[stream];

	s->late[place_of(p)] = false;
	if (!s->pending || s->request.number != number)
		return;
	s->pending = false;
	explicit_bzero(s->request.words, sizeof s->request.words);
	p->of->cfg.events->on_ecm(stream, number, run, p->of->cfg.arg);
}

/* --- connections --- */

static void connect_later(struct peer *p)
{
	unsigned ms = p->pause_ms;

	p->pause_ms = MAX(MIN(2 * ms, (unsigned)PAUSE_MAX_MS),
			  (unsigned)PAUSE_MIN_MS);
	/* a random addition, so that the two generators are not called at the
	 * same time */
	ms += (unsigned)(mono_ns() / 1000 % 200);
	timer_start(p->of->cfg.loop, &p->pause, ms / 1e3);
}

static void lose(struct peer *p, const char *error)
{
	struct ecmg *e = p->of;
	size_t place = place_of(p);

	ecmg_session_free(&p->session);
	p->up = false;
	errmsg_set(&p->error, "ECMG %s:%u: %s", p->host, p->port, error);
	if (!p->logged)
		log_warning("cas", "%s", p->error.text);
	p->logged = true;
	if (p->pause_ms == 0)
		p->pause_ms = PAUSE_MIN_MS;
	connect_later(p);
	for (unsigned i = 0; i < e->n_slots; i++) {
		struct slot *s = &e->slots[i];

		s->open[place] = s->late[place] = false;
		s->reopen_ms[place] = 0;
		/* the error is now that of the lost connection, so it is
		 * reported again */
		if (serving(e, s) == PEERS)
			s->told = -1;
		if (s->used)
			follow(e, i);
	}
}

static void on_end(const char *error, unsigned status, void *arg)
{
	struct peer *p = arg;

	/* try the other version; both versions have the same messages */
	if (status == VERSION_ERROR)
		p->version = p->version == SIMULCRYPT_VERSION
				     ? SIMULCRYPT_VERSION_MAX
				     : SIMULCRYPT_VERSION;
	lose(p, error);
}

static const struct ecmg_session_events session_events = {
	.on_up = on_up,
	.on_stream = on_stream,
	.on_late = on_late,
	.on_ecm = on_ecm,
	.on_end = on_end,
};

static void on_dialed(int fd, void *arg)
{
	struct peer *p = arg;
	const struct cas_entry *entry = p->of->cfg.entry;

	dial_free(&p->dial);
	if (fd < 0) {
		lose(p, fd == -ENOENT ? "the host has no address"
				      : strerror(-fd));
		return;
	}
	p->session = ecmg_session_new(&(struct ecmg_session_config){
		.loop = p->of->cfg.loop,
		.fd = fd,
		.version = p->version,
		.super_cas_id = entry->super_cas_id,
		.channel = entry->channel_id,
		.first_stream = entry->first_stream,
		.period_ms = entry->period_s * 1000,
		.events = &session_events,
		.arg = p,
	});
}

static void on_pause(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct peer *p = container_of(w, struct peer, pause);

	(void)revents;
	if (p->dial != NULL || p->session != NULL)
		return;
	p->dial = dial_new(&(struct dial_config){
		.loop = loop,
		.host = p->host,
		.port = p->port,
		.timeout_ms = CONNECT_MS,
		.lookups = &p->lookups,
		.on_done = on_dialed,
		.arg = p,
	});
}

/* Sets up again the streams that had an error. */
static void on_tick(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct ecmg *e = container_of(w, struct ecmg, tick);
	uint64_t now_ms = mono_ms();

	(void)loop, (void)revents;
	for (unsigned i = 0; i < e->n_slots; i++)
		for (size_t k = 0; k < e->n_peers; k++) {
			uint64_t *at = &e->slots[i].reopen_ms[k];

			if (*at == 0 || now_ms < *at || !e->peers[k].up)
				continue;
			*at = 0;
			ecmg_session_open(e->peers[k].session, i);
		}
}

/* --- */

struct ecmg *ecmg_new(const struct ecmg_config *cfg)
{
	struct ecmg *e = xcalloc(1, sizeof *e);
	const struct cas_entry *entry = cfg->entry;

	e->cfg = *cfg;
	e->n_peers = entry->host2[0] != '\0' ? 2 : 1;
	for (size_t i = 0; i < e->n_peers; i++) {
		struct peer *p = &e->peers[i];

		p->of = e;
		p->host = i == 0 ? entry->host : entry->host2;
		p->port = i == 0 ? entry->port : entry->port2;
		p->version = entry->version;
		ev_init(&p->pause, on_pause);
		connect_later(p);
	}
	ev_init(&e->tick, on_tick);
	timer_repeat(cfg->loop, &e->tick, TICK_MS / 1e3, TICK_MS / 1e3);
	return e;
}

void ecmg_free(struct ecmg **pe)
{
	struct ecmg *e = *pe;

	*pe = NULL;
	if (e == NULL)
		return;
	ev_timer_stop(e->cfg.loop, &e->tick);
	for (size_t i = 0; i < e->n_peers; i++) {
		ev_timer_stop(e->cfg.loop, &e->peers[i].pause);
		dial_free(&e->peers[i].dial);
		ecmg_session_free(&e->peers[i].session);
	}
	if (e->slots != NULL)
		explicit_bzero(e->slots, e->n_slots * sizeof *e->slots);
	free(e->slots);
	free(e);
}

static struct slot *slot_at(struct ecmg *e, unsigned stream)
{
	if (stream >= e->n_slots) {
		unsigned n = MAX(2 * e->n_slots, stream + 1);

		struct slot *before = e->slots;

		/* realloc() would leave a copy of the control words in freed
		 * memory */
		e->slots = xcalloc(n, sizeof *e->slots);
		if (before != NULL)
			memcpy(e->slots, before, e->n_slots * sizeof *before);
		free_wiped(before);
		e->n_slots = n;
	}
	return &e->slots[stream];
}

void ecmg_add(struct ecmg *e, unsigned stream, const struct cas_data *ac)
{
	*slot_at(e, stream) = (struct slot){ .used = true, .ac = *ac,
					     .told = -1 };
	for (size_t i = 0; i < e->n_peers; i++)
		if (e->peers[i].up)
			ecmg_session_open(e->peers[i].session, stream);
	report(e, stream);
}

void ecmg_remove(struct ecmg *e, unsigned stream)
{
	for (size_t i = 0; i < e->n_peers; i++)
		if (e->peers[i].session != NULL)
			ecmg_session_close(e->peers[i].session, stream);
	explicit_bzero(slot_at(e, stream), sizeof(struct slot));
}

void ecmg_ask(struct ecmg *e, unsigned stream, const struct ecmg_request *r)
{
	struct slot *s = slot_at(e, stream);

	if (!s->used)
		return;
	s->request = *r;
	s->pending = true;
	ask(e, stream);
}

void ecmg_repeat(struct ecmg *e)
{
	for (unsigned i = 0; i < e->n_slots; i++) {
		e->slots[i].told = -1;
		report(e, i);
	}
}

unsigned ecmg_streams(const struct ecmg *e)
{
	unsigned n = 0;

	for (unsigned i = 0; i < e->n_slots; i++)
		n += serving(e, &e->slots[i]) < PEERS;
	return n;
}

const char *ecmg_error(const struct ecmg *e)
{
	for (size_t i = 0; i < e->n_peers; i++)
		if (e->peers[i].up)
			return NULL;
	return e->peers[0].error.text[0] != '\0' ? e->peers[0].error.text
						 : NULL;
}
