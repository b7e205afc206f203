/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/softcam/cam_client.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/loop/timer.h"
#include "worker/socket/retry.h"
#include "worker/softcam/cam_session.h"
#include "worker/softcam/dial.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>

enum {
	SCAN_MS = 20, /* interval of the checks for overdue answers */
	MINUTE = 60,
	FIRST_TIME_MS = 50, /* upper limit of the first class of answer times;
			     * each further class has twice the limit, the
			     * last one has none */
	SECTION_HEAD = 3,
	ECM_EVEN = 0x80,
	ECM_ODD = 0x81,
};

/* Number of messages in each of the last 60 seconds. */
struct minute {
	uint32_t counts[MINUTE];
};

struct cam_client {
	struct cam_client_config cfg;
	char *host, *user, *password;
	struct dial *dial;
	/* name queries of earlier dials that have not ended */
	struct dial_lookup *lookups;
	struct cam_session *session;
	bool up;
	struct retry retry;
	ev_timer again;   /* starts the next attempt to connect */
	ev_timer overdue; /* runs while an ECM waits for the server */
	struct ecm_table table;
	unsigned second;  /* index of the current second in minute.counts */
	struct minute ecms, emms;
	struct msg_softcam_status totals;
	unsigned emm_room;
	/* hashes of the last EMMs that were sent */
	uint64_t emm_known[CAM_EMM_KNOWN];
	unsigned emm_next;
};

/* --- answers --- */

static const char *const timed_out = "timeout";

/* Answers all requests for an ECM.  keep: the requests still wait for a late
 * answer. */
static void answer(struct cam_client *c, struct ecm *e, const char *error,
		   bool keep)
{
	size_t n = e->n_askers;

	if (!keep)
		e->n_askers = 0;
	for (size_t i = 0; i < n; i++)
		c->cfg.on_words(&e->askers[i],
				error == NULL ? e->words : NULL, error,
				c->cfg.arg);
}

/* Why the answer of the server has no control words; NULL: it has them. */
static const char *judge_words(const struct ecm *e, const struct newcamd_msg *m)
{
	static const uint8_t none[ECM_WORDS];

	if (m->len == 0)
		return "the server found none";
	if (m->type != e->section[0] || m->len != ECM_WORDS)
		return "malformed answer";
	return memcmp(m->body, none, ECM_WORDS) == 0 ? "the server found none"
						       : NULL;
}

static void on_message(const struct newcamd_msg *m, void *arg)
{
	struct cam_client *c = arg;
	struct ecm *e = NULL;
	uint64_t now_ns = mono_ns();
	const char *error;
	size_t i = 0;

	if (m->type == ECM_EVEN || m->type == ECM_ODD)
		e = ecm_table_of_id(&c->table, m->id);
	if (e == NULL)
		return;
	error = judge_words(e, m);
	while (i + 1 < MSG_CAM_TIMES &&
	       now_ns - e->sent_ns > ((uint64_t)FIRST_TIME_MS << i) * MS)
		i++;
	c->totals.times[i]++;
	/* a late refusal changes nothing: the requests were answered with an
	 * error before */
	if (error != NULL && e->state == ECM_LATE) {
		e->state = ECM_REFUSED;
		return;
	}
	e->state = error == NULL ? ECM_FOUND : ECM_REFUSED;
	e->since_ns = now_ns;
	if (error == NULL)
		memcpy(e->words, m->body, ECM_WORDS);
	else
		c->totals.refused++;
	answer(c, e, error, false);
}

static void end_overdue(struct cam_client *c)
{
	uint64_t now_ns = mono_ns();
	bool waiting = false;
	struct ecm *e;

	while ((e = ecm_table_overdue(&c->table, c->cfg.timeout_ms, now_ns))) {
		e->state = ECM_LATE;
		e->since_ns = now_ns;
		c->totals.timeouts++;
		answer(c, e, timed_out, true);
	}
	for (size_t i = 0; i < ECM_TABLE_SIZE; i++)
		waiting |= c->table.list[i].state == ECM_SENT;
	if (!waiting)
		ev_timer_stop(c->cfg.loop, &c->overdue);
}

static void on_overdue(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	end_overdue(container_of(w, struct cam_client, overdue));
}

/* --- the connection --- */

static void fail(struct cam_client *c, const char *error)
{
	uint64_t now_ns = mono_ns();

	c->up = false;
	cam_session_free(&c->session);
	for (size_t i = 0; i < ECM_TABLE_SIZE; i++) {
		struct ecm *e = &c->table.list[i];

		if (e->state == ECM_SENT || e->state == ECM_LATE) {
			e->state = ECM_UNUSED;
			answer(c, e, error, false);
		}
	}
	ev_timer_stop(c->cfg.loop, &c->overdue);
	retry_failed(&c->retry, now_ns);
	timer_start(c->cfg.loop, &c->again,
		    (double)(c->retry.at_ns - now_ns) / 1e9);
	c->cfg.on_error(error, c->cfg.arg);
}

static void on_card(const struct card *card, void *arg)
{
	struct cam_client *c = arg;

	c->up = true;
	retry_worked(&c->retry);
	c->cfg.on_card(card, c->cfg.arg);
}

static void on_end(enum cam_session_end how, void *arg)
{
	static const char *const texts[] = {
		[CAM_CLOSED] = "the server closed the connection",
		[CAM_SILENT] = "the server does not answer",
		[CAM_MALFORMED] = "the answer of the server is malformed",
		[CAM_DENIED] = "login failed",
	};

	fail(arg, texts[how]);
}

/* Called when an attempt to connect ends.  fd: the connection, or -errno. */
static void on_done(int fd, void *arg)
{
	struct cam_client *c = arg;
	struct cam_session_config cfg = {
		.loop = c->cfg.loop,
		.fd = fd,
		.user = c->user,
		.password = c->password,
		.timeout_ms = c->cfg.timeout_ms,
		.on_card = on_card,
		.on_end = on_end,
		.on_message = on_message,
		.arg = c,
	};

	dial_free(&c->dial);
	memcpy(cfg.key, c->cfg.key, sizeof cfg.key);
	if (fd >= 0)
		c->session = cam_session_new(&cfg);
	else if (fd == -ENOENT)
		fail(c, "the host has no address");
	else if (fd == -ETIMEDOUT)
		fail(c, "connection timeout");
	else
		fail(c, "connection failed");
	explicit_bzero(cfg.key, sizeof cfg.key);
}

static void on_again(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct cam_client *c = container_of(w, struct cam_client, again);

	(void)revents;
	c->dial = dial_new(&(struct dial_config){
		.loop = loop,
		.host = c->host,
		.port = c->cfg.port,
		.timeout_ms = c->cfg.timeout_ms,
		.lookups = &c->lookups,
		.on_done = on_done,
		.arg = c,
	});
}

/* --- requests --- */

static int send_section(struct cam_client *c, const struct ecm *e)
{
	struct newcamd_msg m = {
		.sid = e->sid,
		.caid = e->caid,
		.provider = e->provider,
		.type = e->section[0],
		.len = e->len - SECTION_HEAD,
		.body = e->section + SECTION_HEAD,
	};

	return cam_session_send(c->session, &m);
}

/* Answers a request from the table, or adds it to those that wait for the
 * server's answer; false: there is no room for another request. */
static bool answer_known(struct cam_client *c, struct ecm *e,
			 const struct ecm_asker *asker)
{
	bool known = e->state == ECM_FOUND;

	if (e->state == ECM_SENT) {
		known = ecm_add_asker(e, asker->stream, asker->number);
		c->totals.hits += known;
		return known;
	}
	c->totals.hits += known;
	if (e->state == ECM_LATE)
		(void)ecm_add_asker(e, asker->stream, asker->number);
	c->cfg.on_words(asker, known ? e->words : NULL,
			known ? NULL
			: e->state == ECM_LATE ? timed_out : "the server found "
			"none",
			c->cfg.arg);
	return true;
}

void cam_client_ecm(struct cam_client *c, const struct ecm *wanted,
		    const struct ecm_asker *asker)
{
	uint64_t now_ns = mono_ns();
	struct ecm *e = ecm_table_find(&c->table, wanted, now_ns), *old;
	const char *error = "too many ECMs wait for an answer";
	int id;

	if (e != NULL && answer_known(c, e, asker))
		return;
	if (e == NULL && !c->up)
		error = "not connected";
	else if (e == NULL)
		e = ecm_table_add(&c->table, wanted, now_ns);
	else
		e = NULL;
	if (e == NULL) {
		c->cfg.on_words(asker, NULL, error, c->cfg.arg);
		return;
	}
	(void)ecm_add_asker(e, asker->stream, asker->number);
	id = send_section(c, e);
	if (id < 0) {
		e->state = ECM_UNUSED;
		answer(c, e, id == -EPIPE ? "the server accepts no data"
					  : "no random bytes", false);
		return;
	}
	/* ids repeat after 65,536 messages: an older ECM with this id gets no
	 * answer */
	old = ecm_table_of_id(&c->table, (uint16_t)id);
	if (old != NULL && old != e)
		old->state = ECM_UNUSED;
	e->id = (uint16_t)id;
	c->totals.misses++;
	c->ecms.counts[c->second]++;
	if (!ev_is_active(&c->overdue))
		ev_timer_again(c->cfg.loop, &c->overdue);
}

void cam_client_emm(struct cam_client *c, const struct ecm *e)
{
	uint64_t hash = hash_add(HASH_INIT, e->section, e->len);

	for (size_t i = 0; i < CAM_EMM_KNOWN; i++)
		if (c->emm_known[i] == hash)
			return;
	if (!c->up || c->emm_room == 0 || send_section(c, e) < 0)
		return;
	c->emm_room--;
	c->emm_known[c->emm_next++ % CAM_EMM_KNOWN] = hash;
	c->emms.counts[c->second]++;
}

static uint32_t sum(const struct minute *m)
{
	uint32_t n = 0;

	for (size_t i = 0; i < MINUTE; i++)
		n += m->counts[i];
	return n;
}

void cam_client_second(struct cam_client *c, struct msg_softcam_status *ret)
{
	*ret = c->totals;
	ret->up = c->up;
	ret->ecm_rate = sum(&c->ecms);
	ret->emm_rate = sum(&c->emms);
	ret->n_times = MSG_CAM_TIMES;
	ecm_table_expire(&c->table, mono_ns());
	c->second = (c->second + 1) % MINUTE;
	c->ecms.counts[c->second] = c->emms.counts[c->second] = 0;
	c->emm_room = MIN(c->emm_room + CAM_EMM_RATE, (unsigned)CAM_EMM_BURST);
}

/* --- start and end --- */

struct cam_client *cam_client_new(const struct cam_client_config *cfg)
{
	struct cam_client *c = xcalloc(1, sizeof *c);

	c->cfg = *cfg;
	c->host = xstrdup(cfg->host);
	c->user = xstrdup(cfg->user);
	c->password = xstrdup(cfg->password);
	c->cfg.host = c->cfg.user = c->cfg.password = NULL;
	c->emm_room = CAM_EMM_BURST;
	ev_init(&c->again, on_again);
	ev_timer_init(&c->overdue, on_overdue, 0., SCAN_MS / 1e3);
	timer_start(cfg->loop, &c->again, 0.);
	return c;
}

void cam_client_free(struct cam_client **pc)
{
	struct cam_client *c = *pc;

	*pc = NULL;
	if (c == NULL)
		return;
	ev_timer_stop(c->cfg.loop, &c->again);
	ev_timer_stop(c->cfg.loop, &c->overdue);
	dial_free(&c->dial);
	cam_session_free(&c->session);
	explicit_bzero(c->password, strlen(c->password));
	explicit_bzero(c->user, strlen(c->user));
	free(c->host);
	free(c->user);
	free(c->password);
	explicit_bzero(c, sizeof *c);
	free(c);
}
