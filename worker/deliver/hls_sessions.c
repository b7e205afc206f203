/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_sessions.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/hash.h"
#include "proto/wire/http_target.h"
#include "worker/deliver/door.h"
#include "worker/deliver/hls_playlist.h"
#include "worker/deliver/viewer_session.h"
#include "worker/deliver/viewer_conn.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/random.h>

enum { BUCKETS = 4096 };

struct hls_session {
	TAILQ_ENTRY(hls_session) by_use;
	LIST_ENTRY(hls_session) link;
	struct hls_sessions *owner;
	struct session *session; /* NULL: it was ended, and refuses */
	TAILQ_HEAD(, viewer_conn) waiting;
	bool deciding; /* its connections get their answers */
	uint64_t used_ms;
	size_t key_len;
	char key[];
};

struct hls_sessions {
	struct hls_sessions_config cfg;
	uint64_t seed;
	unsigned n;
	TAILQ_HEAD(, hls_session) by_use; /* idle ones first */
	LIST_HEAD(, hls_session) buckets[BUCKETS];
};

struct hls_sessions *hls_sessions_new(const struct hls_sessions_config *cfg)
{
	struct hls_sessions *h = xcalloc(1, sizeof *h);

	h->cfg = *cfg;
	TAILQ_INIT(&h->by_use);
	/* without it clients could choose keys of one bucket */
	if (getrandom(&h->seed, sizeof h->seed, 0) != sizeof h->seed)
		abort();
	return h;
}

static void drop(struct hls_session *s)
{
	struct hls_sessions *h = s->owner;
	struct viewer_conn *c;

	TAILQ_FOREACH(c, &s->waiting, in_shared)
		c->shared = NULL;
	TAILQ_REMOVE(&h->by_use, s, by_use);
	LIST_REMOVE(s, link);
	h->n--;
	session_free(&s->session);
	explicit_bzero(s->key, s->key_len);
	free(s);
}

void hls_sessions_free(struct hls_sessions **h)
{
	struct hls_session *s;

	if (*h == NULL)
		return;
	while ((s = TAILQ_FIRST(&(*h)->by_use)) != NULL)
		drop(s);
	free(*h);
	*h = NULL;
}

static void unlink_conn(struct viewer_conn *c)
{
	if (c->shared != NULL)
		TAILQ_REMOVE(&c->shared->waiting, c, in_shared);
	c->shared = NULL;
}

void hls_sessions_forget(struct viewer_conn *c)
{
	struct hls_session *s = c->shared;

	unlink_conn(c);
	/* no connection waits for its permission now */
	if (s != NULL && !s->deciding && TAILQ_EMPTY(&s->waiting) &&
	    s->session != NULL && !s->session->joined)
		drop(s);
}

void hls_sessions_rename(struct viewer_conn *c, const char *stream)
{
	if (c->shared != NULL && c->shared->session != NULL)
		session_set_stream(c->shared->session, stream);
}

static void on_verdict(struct session *session,
		       const struct msg_deliver_answer *a, void *arg)
{
	struct hls_session *s = arg;
	const struct hls_sessions_config *cfg = &s->owner->cfg;
	struct viewer_conn *c;

	if (a->verdict == ASK_ALLOWED && !session->joined)
		session_join(session, s->used_ms);
	s->deciding = true;
	while ((c = TAILQ_FIRST(&s->waiting)) != NULL) {
		unlink_conn(c);
		if (a->verdict == ASK_ALLOWED)
			cfg->serve(c, session->stream);
		else
			cfg->refuse(c, a);
	}
	s->deciding = false;
	if (a->verdict == ASK_ALLOWED)
		return;
	/* the next request of its client would begin another one at once */
	if (session->kicked && session->joined)
		session_free(&s->session);
	else
		drop(s);
}

static const struct session_events events = { .on_verdict = on_verdict };

static void add_text(struct buf *key, const char *text)
{
	buf_append(key, text, strlen(text) + 1);
}

/* All that the permission depends on.  Each part with its end, so that no two
 * keys run into the same bytes. */
static void make_key(const struct session_config *cfg, const char *playlist,
		     struct buf *key)
{
	static const char *const names[] = { "token", "auth" };
	char value[SESSION_QUERY_MAX + 1];
	bool named = false;

	add_text(key, cfg->stream);
	add_text(key, playlist);
	add_text(key, cfg->free_entry ? "free" : "");
	buf_append(key, cfg->peer->bytes, IP_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		/* the master rejects it twice, each with a session */
		if (http_query_count(cfg->query, names[i]) > 1)
			add_text(key, cfg->query);
		if (!http_query_get(cfg->query, names[i], value,
				    sizeof value))
			value[0] = '\0';
		named = named || value[0] != '\0';
		add_text(key, value);
	}
	/* a backend may decide by anything in it */
	if (!named && !cfg->free_entry) {
		hls_query_strip(cfg->query, value);
		add_text(key, value);
	}
	explicit_bzero(value, sizeof value);
}

static struct hls_session *find(struct hls_sessions *h, const struct buf *key,
				size_t *ret_bucket)
{
	uint64_t hash = hash_add(HASH_INIT ^ h->seed, buf_head(key),
				 buf_len(key));
	struct hls_session *s;

	*ret_bucket = (size_t)(hash ^ hash >> 32) % BUCKETS;
	LIST_FOREACH(s, &h->buckets[*ret_bucket], link)
		if (s->key_len == buf_len(key) &&
		    memcmp(s->key, buf_head(key), s->key_len) == 0)
			break;
	return s;
}

static struct hls_session *add(struct hls_sessions *h, const struct buf *key,
			       size_t bucket, const struct session_config *cfg)
{
	struct hls_session *s = xcalloc(1, sizeof *s + buf_len(key));
	struct session_config own = *cfg;

	s->owner = h;
	s->key_len = buf_len(key);
	memcpy(s->key, buf_head(key), s->key_len);
	TAILQ_INIT(&s->waiting);
	own.events = &events;
	own.arg = s;
	s->session = session_new(h->cfg.sessions, &own);
	TAILQ_INSERT_TAIL(&h->by_use, s, by_use);
	LIST_INSERT_HEAD(&h->buckets[bucket], s, link);
	h->n++;
	return s;
}

void hls_sessions_visit(struct hls_sessions *h, struct viewer_conn *c,
			const struct session_config *cfg, const char *playlist)
{
	static const struct msg_deliver_answer busy = {
		.verdict = ASK_BUSY, .login = "", .location = ""
	}, denied = {
		.verdict = ASK_DENIED, .login = "", .location = ""
	};
	struct buf key = { 0 };
	struct hls_session *s;
	bool is_new = false;
	size_t bucket;

	make_key(cfg, playlist, &key);
	s = find(h, &key, &bucket);
	if (s == NULL && h->n < HLS_SESSIONS_MAX) {
		s = add(h, &key, bucket, cfg);
		is_new = true;
	}
	buf_done(&key);
	if (s == NULL || s->session == NULL) {
		h->cfg.refuse(c, s == NULL ? &busy : &denied);
		return;
	}
	s->used_ms = cfg->now_ms;
	TAILQ_REMOVE(&h->by_use, s, by_use);
	TAILQ_INSERT_TAIL(&h->by_use, s, by_use);
	if (s->session->joined) {
		h->cfg.serve(c, cfg->stream);
		return;
	}
	c->shared = s;
	TAILQ_INSERT_TAIL(&s->waiting, c, in_shared);
	/* s may be gone after this */
	if (is_new)
		door_ask(h->cfg.door, s->session);
}

void hls_sessions_expire(struct hls_sessions *h, uint64_t now_ms)
{
	struct hls_session *s;

	while ((s = TAILQ_FIRST(&h->by_use)) != NULL &&
	       now_ms - s->used_ms >= HLS_SESSION_MS)
		drop(s);
}
