/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/door.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/sockaddr.h"
#include "proto/wire/http_request.h"
#include "worker/deliver/viewer_session.h"

#include <ev.h>
#include <stdlib.h>
#include <string.h>

enum {
	PACE_MS = 10,
	/* the us of a second that a question uses */
	QUESTION_US = 1000000 / DOOR_PER_SECOND,
	/* most unused us that are saved: after a late timer the questions that
	 * it missed may follow */
	SAVED_US = 50000,
	/* 1/4 of the rate is reserved for questions about viewers that watch,
	 * so that new viewers cannot delay these questions without end */
	REVIEW_SHARE = 4,
	/* most open questions about viewers that watch */
	REVIEWS_SENT_MAX = 256,
};

struct door {
	struct door_config cfg;
	bool authorize, real_ip, shared;
	struct ip_prefix proxies[MSG_PROXIES_MAX];
	size_t n_proxies;
	/* questions that are not sent yet: fresh: about new viewers; reviews:
	 * about viewers that watch */
	struct session_asks fresh, reviews;
	/* questions without an answer, oldest first: sent: about new viewers;
	 * reviewed: about viewers that watch */
	struct session_asks sent, reviewed;
	unsigned reviews_of_all;
	uint64_t saved_us;   /* saved time: each question takes QUESTION_US */
	uint64_t reviews_us; /* saved time that is reserved for reviews */
	uint64_t saved_ms;   /* time at which both were last increased */
	uint32_t seq;
	ev_timer pace;
};

static const struct msg_deliver_answer allowed = {
	.verdict = ASK_ALLOWED, .login = "", .location = ""
};
static const struct msg_deliver_answer busy = {
	.verdict = ASK_BUSY, .login = "", .location = ""
};

bool door_is_open(const struct door *d, bool free_entry)
{
	return free_entry || !d->authorize;
}

static bool is_free(const struct door *d, const struct session *s)
{
	return door_is_open(d, s->free_entry);
}

/* Applies an answer to the session.  After ASK_BUSY (no decision now) a viewer
 * that already watches stays, and is asked about again.  Otherwise calls
 * on_verdict(), which may free s, so the caller must not use s after it. */
static void decide(const struct door *d, struct session *s,
		   const struct msg_deliver_answer *a)
{
	s->judged = d->reviews_of_all;
	session_ask_move(s, NULL);
	s->recheck_ms = a->verdict == ASK_ALLOWED && a->recheck_s > 0
		? mono_ms() + 1000 * (uint64_t)a->recheck_s : 0;
	/* a viewer that watches stays until there is an answer */
	if (a->verdict == ASK_BUSY && s->permitted) {
		s->recheck_ms = mono_ms() + DOOR_RETRY_MS;
		return;
	}
	s->permitted = a->verdict == ASK_ALLOWED;
	session_set_login(s, a->login);
	s->events->on_verdict(s, a, s->arg);
}

/* Decides without an answer: allows the session if it needs no permission, and
 * answers ASK_BUSY otherwise.  The caller must not use s after it. */
static void give_up(const struct door *d, struct session *s)
{
	decide(d, s, is_free(d, s) ? &allowed : &busy);
}

static int send_ask(struct door *d, struct session *s)
{
	struct msg m = { .type = MSG_DELIVER_ASK };

	if (++d->seq == 0)
		d->seq = 1;
	m.seq = s->seq = d->seq;
	m.deliver_ask = (struct msg_deliver_ask){
		.client = s->client,
		.stream = s->stream,
		.peer = s->peer,
		.host = s->host,
		.path = s->path,
		.query = s->query,
		.agent = s->agent,
		.protocol = s->protocol,
		.key = s->key,
		.unlimited = s->unlimited,
		.free = is_free(d, s),
		.probe = s->probe,
		.player = s->player,
	};
	return d->cfg.send(&m, d->cfg.arg);
}

/* The session whose question is sent next; NULL: none waits, or too many
 * questions about viewers that watch have no answer yet. */
static struct session *next(const struct door *d)
{
	struct session *review = d->reviewed.n < REVIEWS_SENT_MAX
		? TAILQ_FIRST(&d->reviews.list) : NULL;

	if (d->fresh.n > 0 &&
	    (review == NULL || d->reviews_us < QUESTION_US))
		return TAILQ_FIRST(&d->fresh.list);
	return review;
}

static void save(struct door *d)
{
	uint64_t now_ms = mono_ms(), us = (now_ms - d->saved_ms) * 1000;

	d->saved_ms = now_ms;
	d->saved_us = MIN(d->saved_us + us, (uint64_t)SAVED_US);
	d->reviews_us = MIN(d->reviews_us + us / REVIEW_SHARE,
			    (uint64_t)SAVED_US / REVIEW_SHARE);
}

/* Sends as many questions as the rate allows. */
static void pump(struct door *d)
{
	struct session *s;

	save(d);
	while (d->saved_us >= QUESTION_US && (s = next(d)) != NULL) {
		bool is_review = s->asks == &d->reviews;

		d->saved_us -= QUESTION_US;
		if (is_review && d->reviews_us >= QUESTION_US)
			d->reviews_us -= QUESTION_US;
		s->asked = true;
		s->ask_ms = mono_ms();
		session_ask_move(s, is_review ? &d->reviewed : &d->sent);
		if (send_ask(d, s) < 0)
			give_up(d, s);
	}
}

static void end_late(const struct door *d, struct session_asks *asks,
		     uint64_t now_ms)
{
	struct session *s;

	while ((s = TAILQ_FIRST(&asks->list)) != NULL &&
	       s->ask_ms + DOOR_ASK_MS <= now_ms)
		give_up(d, s);
}

static void on_pace(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct door *d = container_of(t, struct door, pace);
	uint64_t now_ms = mono_ms();

	(void)revents;
	end_late(d, &d->sent, now_ms);
	end_late(d, &d->reviewed, now_ms);
	end_late(d, &d->fresh, now_ms);
	pump(d);
	if (d->fresh.n + d->reviews.n + d->sent.n + d->reviewed.n == 0)
		ev_timer_stop(loop, t);
}

struct door *door_new(const struct door_config *cfg)
{
	struct door *d = xcalloc(1, sizeof *d);

	d->cfg = *cfg;
	d->authorize = true;
	TAILQ_INIT(&d->fresh.list);
	TAILQ_INIT(&d->reviews.list);
	TAILQ_INIT(&d->sent.list);
	TAILQ_INIT(&d->reviewed.list);
	ev_init(&d->pace, on_pace);
	d->pace.repeat = PACE_MS / 1000.;
	return d;
}

void door_free(struct door **d)
{
	if (*d == NULL)
		return;
	ev_timer_stop((*d)->cfg.loop, &(*d)->pace);
	free(*d);
	*d = NULL;
}

static void queue(struct door *d, struct session *s)
{
	if (s->asks == &d->fresh || s->asks == &d->reviews)
		return;
	/* ask again even if a question is sent: its answer may be outdated */
	session_ask_move(s, s->permitted ? &d->reviews : &d->fresh);
	s->ask_ms = mono_ms();
	if (!ev_is_active(&d->pace))
		ev_timer_again(d->cfg.loop, &d->pace);
}

void door_ask(struct door *d, struct session *s)
{
	if (is_free(d, s) && !d->shared) {
		decide(d, s, &allowed);
		return;
	}
	queue(d, s);
	/* a new viewer waits for the answer: send its question at once */
	if (!s->joined)
		pump(d);
}

static struct session *find_asked(const struct session_asks *asks,
				  uint32_t seq)
{
	struct session *s;

	TAILQ_FOREACH(s, &asks->list, in_asks)
		if (s->seq == seq)
			break;
	return s;
}

void door_answer(struct door *d, const struct msg_deliver_answer *a,
		 uint32_t seq)
{
	struct session *s = find_asked(&d->sent, seq);

	if (s == NULL)
		s = find_asked(&d->reviewed, seq);
	if (s != NULL)
		decide(d, s, a);
}

static void review(struct door *d, struct session *s)
{
	if (!is_free(d, s))
		queue(d, s);
}

void door_review(struct door *d, uint64_t client)
{
	struct session *s = NULL;

	if (client != 0) {
		s = sessions_find(d->cfg.sessions, client);
		if (s != NULL)
			review(d, s);
		return;
	}
	d->reviews_of_all++;
	while ((s = sessions_next(d->cfg.sessions, s)) != NULL)
		review(d, s);
}

void door_set_policy(struct door *d, const struct msg_deliver_policy *policy)
{
	bool begins = policy->authorize && !d->authorize;

	d->authorize = policy->authorize;
	d->real_ip = policy->real_ip;
	d->shared = policy->shared;
	if (begins)
		door_review(d, 0);
}

void door_renew(struct door *d)
{
	struct session *s;

	while ((s = TAILQ_FIRST(&d->sent.list)) != NULL ||
	       (s = TAILQ_FIRST(&d->reviewed.list)) != NULL)
		queue(d, s);
	door_review(d, 0);
}

void door_every_second(struct door *d)
{
	uint64_t now_ms = mono_ms();
	struct session *s = NULL;

	while ((s = sessions_next(d->cfg.sessions, s)) != NULL)
		/* door_review(0) may have been called after the verdict and
		 * before the session joined */
		if ((s->recheck_ms != 0 && now_ms >= s->recheck_ms) ||
		    s->judged != d->reviews_of_all)
			review(d, s);
}

void door_set_proxies(struct door *d, const struct ip_prefix *list, size_t n)
{
	d->n_proxies = MIN(n, (size_t)MSG_PROXIES_MAX);
	memcpy(d->proxies, list, d->n_proxies * sizeof *list);
}

struct ip_address door_address(const struct door *d,
			       const struct sockaddr_any *peer,
			       const struct http_request *request)
{
	const char *real = http_request_header(request, "x-real-ip");
	struct ip_address own = ip_of(peer), other;

	if (!d->real_ip || real == NULL || ip_parse(real, &other) < 0)
		return own;
	for (size_t i = 0; i < d->n_proxies; i++)
		if (ip_prefix_has(&d->proxies[i], &own))
			return other;
	return own;
}
