/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_sessions.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/hash.h"
#include "common/base/peers.h"
#include "common/base/session_number.h"
#include "proto/wire/http_target.h"
#include "worker/deliver/door.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/viewer_session.h"
#include "worker/deliver/viewer_conn.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/random.h>

enum {
	BUCKETS = 4096,
	/* a client that has the list of its session, and requests no playlist
	 * within this time, has left */
	INDEX_MS = 2000,
	/* least time between two questions about a refused client */
	REFUSED_ASK_MS = 1000,
};

struct hls_session {
	TAILQ_ENTRY(hls_session) by_use;
	LIST_ENTRY(hls_session) link;
	struct hls_sessions *owner;
	struct session *session; /* NULL: ended; requests are refused */
	struct session *again;   /* question about a refused client, or NULL */
	uint64_t again_ms;       /* when `again' was last asked; 0: never */
	struct mount *mount;
	LIST_ENTRY(hls_session) of_mount;
	TAILQ_HEAD(, viewer_conn) waiting; /* wait for the permission */
	TAILQ_HEAD(, viewer_conn) served;  /* connections whose last request was
					    * of this session */
	struct peer_place place; /* counts the session for its address */
	bool deciding; /* on_verdict() answers its connections: do not free */
	uint64_t bytes; /* sent to the client */
	uint64_t used_ms; /* time of the last request, also a refused one */
	bool limited;    /* a limit of viewers ended the session */
	bool index_only; /* the client requested only the list that names it */
	size_t key_len;
	char key[];
};

struct hls_sessions {
	struct hls_sessions_config cfg;
	struct peers *peers; /* counts the sessions of an address */
	uint64_t seed;
	uint64_t key; /* secret of the session numbers in paths */
	bool named;   /* sessions with a number in the path may begin */
	unsigned n;
	TAILQ_HEAD(, hls_session) by_use; /* least recently used first */
	LIST_HEAD(, hls_session) buckets[BUCKETS];
};

struct hls_sessions *hls_sessions_new(const struct hls_sessions_config *cfg)
{
	struct hls_sessions *h = xcalloc(1, sizeof *h);

	h->cfg = *cfg;
	h->peers = peers_new(&(struct peers_config){ .max = 0 });
	TAILQ_INIT(&h->by_use);
	/* without a seed clients could choose keys that share a bucket */
	if (getrandom(&h->seed, sizeof h->seed, 0) != sizeof h->seed)
		abort();
	h->key = h->seed;
	return h;
}

void hls_sessions_set_seed(struct hls_sessions *h, uint64_t seed)
{
	h->key = seed;
	if (h->n == 0)
		h->seed = seed;
}

void hls_sessions_name(struct hls_sessions *h, bool named)
{
	h->named = named;
}

uint64_t hls_sessions_choose(const struct hls_sessions *h)
{
	return session_number_new(h->key);
}

void hls_sessions_limit(struct hls_sessions *h, unsigned per_address)
{
	peers_limit(h->peers, &(struct peers_config){ .max = per_address });
}

static void end_session(struct hls_session *s)
{
	if (s->session != NULL && s->session->joined)
		s->mount->n_hls--;
	session_free(&s->session);
	session_free(&s->again);
}

static void unlink_served(struct viewer_conn *c)
{
	if (c->served != NULL)
		TAILQ_REMOVE(&c->served->served, c, in_served);
	c->served = NULL;
	c->sent = NULL;
}

static void drop(struct hls_session *s)
{
	struct hls_sessions *h = s->owner;
	struct viewer_conn *c;

	TAILQ_FOREACH(c, &s->waiting, in_shared)
		c->shared = NULL;
	while ((c = TAILQ_FIRST(&s->served)) != NULL)
		unlink_served(c);
	TAILQ_REMOVE(&h->by_use, s, by_use);
	LIST_REMOVE(s, link);
	end_session(s);
	LIST_REMOVE(s, of_mount);
	peer_place_leave(&s->place);
	h->n--;
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
	peers_free(&(*h)->peers);
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
	unlink_served(c);
	/* no connection waits for the permission of s any more */
	if (s != NULL && !s->deciding && TAILQ_EMPTY(&s->waiting) &&
	    s->session != NULL && !s->session->joined)
		drop(s);
}

void hls_sessions_rename(struct mount *m, const char *stream)
{
	struct hls_session *s;

	LIST_FOREACH(s, &m->hls_sessions, of_mount)
		if (s->session != NULL)
			session_set_stream(s->session, stream);
}

void hls_sessions_move(struct mount *from, struct mount *to)
{
	struct hls_session *s;

	while ((s = LIST_FIRST(&from->hls_sessions)) != NULL) {
		LIST_REMOVE(s, of_mount);
		LIST_INSERT_HEAD(&to->hls_sessions, s, of_mount);
		s->mount = to;
	}
	to->n_hls = from->n_hls;
	from->n_hls = 0;
}

void hls_sessions_end(struct mount *m)
{
	struct hls_session *s;
	struct viewer_conn *c;

	while ((s = LIST_FIRST(&m->hls_sessions)) != NULL) {
		while ((c = TAILQ_FIRST(&s->waiting)) != NULL) {
			unlink_conn(c);
			viewer_conn_reject(c, 404);
		}
		drop(s);
	}
}

static void serve(struct hls_session *s, struct viewer_conn *c)
{
	c->served = s;
	c->sent = &s->bytes;
	TAILQ_INSERT_TAIL(&s->served, c, in_served);
	s->owner->cfg.serve(c, s->session->stream);
}

static void on_verdict(struct session *session,
		       const struct msg_deliver_answer *a, void *arg)
{
	struct hls_session *s = arg;
	const struct hls_sessions_config *cfg = &s->owner->cfg;
	struct viewer_conn *c;

	if (a->verdict == ASK_ALLOWED && !session->joined) {
		session_join(session, s->used_ms);
		s->mount->n_hls++;
	}
	s->deciding = true;
	while ((c = TAILQ_FIRST(&s->waiting)) != NULL) {
		unlink_conn(c);
		if (a->verdict == ASK_ALLOWED)
			serve(s, c);
		else
			cfg->refuse(c, a);
	}
	s->deciding = false;
	if (a->verdict == ASK_ALLOWED)
		return;
	/* if s were freed, its client could begin a new session at once */
	if (session->kicked && session->joined) {
		s->limited = session->limited;
		end_session(s);
	} else {
		drop(s);
	}
}

static const struct session_events events = { .on_verdict = on_verdict };

static void add_text(struct buf *key, const char *text)
{
	buf_append(key, text, strlen(text) + 1);
}

/* Writes all that the permission depends on into a key.  Each part has an end
 * mark, so that no two keys have the same bytes. */
static void make_key(const struct hls_sessions *h, const struct viewer_conn *c,
		     const struct session_config *cfg, const struct mount *m,
		     struct buf *key)
{
	static const char *const names[] = { "token", "auth" };
	char value[SESSION_QUERY_MAX + 1];
	bool named = false;

	buf_append(key, &m->number, sizeof m->number);
	buf_append(key, cfg->peer->bytes, IP_BYTES);
	buf_append(key, &c->hls.session, sizeof c->hls.session);
	/* no permission is needed: whatever the query is, the client is the
	 * same */
	if (door_is_open(h->cfg.door, cfg->free_entry))
		return;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		/* the master rejects a query that has the name twice: each such
		 * query has a session of its own */
		if (http_query_count(cfg->query, names[i]) > 1)
			add_text(key, cfg->query);
		if (!http_query_get(cfg->query, names[i], value,
				    sizeof value))
			value[0] = '\0';
		named = named || value[0] != '\0';
		add_text(key, value);
	}
	/* no token or login: a backend may decide by any part of the query */
	if (!named) {
		http_query_strip_hls(cfg->query, value);
		add_text(key, value);
	}
	explicit_bzero(value, sizeof value);
}

static size_t bucket_of(uint64_t hash)
{
	return (size_t)(hash ^ hash >> 32) % BUCKETS;
}

static uint64_t hash_of(const struct hls_sessions *h, const void *data,
			size_t len)
{
	return hash_add(HASH_INIT ^ h->seed, data, len);
}

/* A number above 0 that JSON can hold. */
static uint64_t number_of(uint64_t hash)
{
	return hash >> 1 | 1;
}

/* A hash of the client without the mount: the same for all its streams. */
static uint64_t player_of(const struct hls_sessions *h, const struct buf *key)
{
	size_t mount = sizeof ((struct mount *)NULL)->number;

	return number_of(hash_of(h, (const char *)buf_head(key) + mount,
				 buf_len(key) - mount));
}

static struct hls_session *find(struct hls_sessions *h, const struct buf *key,
				uint64_t *ret_hash)
{
	struct hls_session *s;

	*ret_hash = hash_of(h, buf_head(key), buf_len(key));
	LIST_FOREACH(s, &h->buckets[bucket_of(*ret_hash)], link)
		if (s->key_len == buf_len(key) &&
		    memcmp(s->key, buf_head(key), s->key_len) == 0)
			break;
	return s;
}

/* The configuration of a session for the client of this key: cfg with the
 * numbers of the client, of the key and of the mount. */
static struct session_config config_of(const struct hls_sessions *h,
				       const struct buf *key, uint64_t hash,
				       const struct session_config *cfg,
				       const struct mount *m)
{
	struct session_config own = *cfg;

	own.key = number_of(hash);
	own.player = player_of(h, key);
	own.mount = m->number;
	return own;
}

static struct hls_session *add(struct hls_sessions *h, const struct buf *key,
			       uint64_t hash, const struct session_config *cfg,
			       struct mount *m)
{
	struct hls_session *s = xcalloc(1, sizeof *s + buf_len(key));
	struct session_config own = config_of(h, key, hash, cfg, m);

	s->owner = h;
	s->key_len = buf_len(key);
	memcpy(s->key, buf_head(key), s->key_len);
	TAILQ_INIT(&s->waiting);
	TAILQ_INIT(&s->served);
	s->mount = m;
	LIST_INSERT_HEAD(&m->hls_sessions, s, of_mount);
	own.events = &events;
	own.arg = s;
	s->session = session_new(h->cfg.sessions, &own);
	s->session->bytes = &s->bytes;
	TAILQ_INSERT_TAIL(&h->by_use, s, by_use);
	LIST_INSERT_HEAD(&h->buckets[bucket_of(hash)], s, link);
	h->n++;
	return s;
}

static void use(struct hls_session *s, uint64_t now_ms)
{
	s->used_ms = now_ms;
	TAILQ_REMOVE(&s->owner->by_use, s, by_use);
	TAILQ_INSERT_TAIL(&s->owner->by_use, s, by_use);
	peer_place_use(&s->place);
}

static const struct msg_deliver_answer busy = {
	.verdict = ASK_BUSY, .login = "", .location = ""
};
static const struct msg_deliver_answer denied = {
	.verdict = ASK_DENIED, .login = "", .location = ""
};

/* Counts the address of a new session.  If the address has too many sessions,
 * drops the least recently used one, and refuses the requests that wait for
 * it. */
static void take_place(struct hls_session *s,
		       const struct session_config *cfg)
{
	struct hls_sessions *h = s->owner;
	struct peer_place *place;
	struct hls_session *old;
	struct viewer_conn *c;

	place = cfg->unlimited ? NULL
			       : peers_place(h->peers, cfg->peer, &s->place);
	if (place == NULL)
		return;
	old = container_of(place, struct hls_session, place);
	while ((c = TAILQ_FIRST(&old->waiting)) != NULL) {
		unlink_conn(c);
		h->cfg.refuse(c, &busy);
	}
	drop(old);
}

/* Does a client wait for an answer, or receive one? */
static bool is_busy(const struct hls_session *s)
{
	const struct viewer_conn *c;

	TAILQ_FOREACH(c, &s->served, in_served)
		if (c->state == CONN_ASKED || c->state == CONN_ANSWERING)
			return true;
	return false;
}

/* True if the client has made no request for so long that it does not play any
 * more. */
static bool is_silent(const struct hls_session *s, uint64_t now_ms)
{
	const struct hls_sessions_config *cfg = &s->owner->cfg;
	unsigned most = cfg->reload_ms(s->mount);

	return now_ms - s->used_ms >=
	       (most > 0 ? most : cfg->idle_ms);
}

/* Did a limit close the session, and has its client been silent since?  Then
 * its next request begins a new session.  A client without such a pause is
 * refused. */
static bool has_returned(const struct hls_session *s, uint64_t now_ms)
{
	return s->session == NULL && s->limited && is_silent(s, now_ms);
}

/* Ends the question about a refused client.  The answer does not matter,
 * because the worker refuses the client anyway. */
static void on_again(struct session *session,
		     const struct msg_deliver_answer *a, void *arg)
{
	struct hls_session *s = arg;

	(void)session, (void)a;
	session_free(&s->again);
}

static const struct session_events again_events = { .on_verdict = on_again };

/* Asks the master again about a refused client.  The master makes other workers
 * and other variants refuse the client as long as it receives such questions.
 * A session that a limit ended asks nothing, because only this session is
 * refused. */
static void ask_again(struct hls_session *s, const struct session_config *own)
{
	struct session_config cfg = *own;

	if (s->limited || s->again != NULL ||
	    (s->again_ms > 0 && cfg.now_ms - s->again_ms < REFUSED_ASK_MS))
		return;
	cfg.probe = true;
	cfg.events = &again_events;
	cfg.arg = s;
	s->again_ms = cfg.now_ms;
	s->again = session_new(s->owner->cfg.sessions, &cfg);
	door_ask(s->owner->cfg.door, s->again);
}

static void refuse_ended(struct hls_session *s, struct viewer_conn *c,
			 const struct session_config *own)
{
	use(s, own->now_ms);
	ask_again(s, own);
	s->owner->cfg.refuse(c, &denied);
}

/* May a session with this number in its path begin?  Only with a number that a
 * worker made: otherwise clients could invent sessions, each a viewer. */
static bool may_begin(const struct hls_sessions *h, uint64_t number)
{
	return number == 0 ||
	       (h->named && session_number_is_of(h->key, number));
}

/* Answers a request by HEAD, which begins no session and prolongs none.  False:
 * the number in the path belongs to no session and may begin none. */
static bool probe(struct hls_sessions *h, struct viewer_conn *c,
		  const struct session_config *cfg, struct mount *m)
{
	struct buf key = { 0 };
	struct hls_session *s;
	struct session_config own;
	uint64_t hash;

	make_key(h, c, cfg, m, &key);
	s = find(h, &key, &hash);
	own = config_of(h, &key, hash, cfg, m);
	buf_done(&key);
	if (s != NULL && s->session == NULL && !has_returned(s, cfg->now_ms))
		h->cfg.refuse(c, &denied);
	else if (s != NULL && s->session != NULL && s->session->joined)
		h->cfg.serve(c, s->session->stream);
	else if (s == NULL && !may_begin(h, c->hls.session))
		return false;
	else
		c->session = session_new(h->cfg.sessions, &own);
	/* door_ask() may free c */
	if (c->session != NULL)
		door_ask(h->cfg.door, c->session);
	return true;
}

bool hls_sessions_visit(struct hls_sessions *h, struct viewer_conn *c,
			const struct session_config *cfg, struct mount *m)
{
	struct buf key = { 0 };
	struct session_config own;
	struct hls_session *s;
	bool is_new = false;
	uint64_t hash;

	if (cfg->probe)
		return probe(h, c, cfg, m);
	make_key(h, c, cfg, m, &key);
	s = find(h, &key, &hash);
	if (s != NULL && has_returned(s, cfg->now_ms)) {
		drop(s);
		s = NULL;
	}
	if (s == NULL && !may_begin(h, c->hls.session)) {
		buf_done(&key);
		return false;
	}
	if (s == NULL && h->n < HLS_SESSIONS_MAX) {
		s = add(h, &key, hash, cfg, m);
		take_place(s, cfg);
		is_new = true;
	}
	own = config_of(h, &key, hash, cfg, m);
	buf_done(&key);
	if (s == NULL) {
		h->cfg.refuse(c, &busy);
		return true;
	}
	if (s->session == NULL) {
		refuse_ended(s, c, &own);
		return true;
	}
	use(s, cfg->now_ms);
	s->index_only = c->hls.is_index;
	if (s->session->joined) {
		serve(s, c);
		return true;
	}
	c->shared = s;
	TAILQ_INSERT_TAIL(&s->waiting, c, in_shared);
	/* door_ask() may free s */
	if (is_new)
		door_ask(h->cfg.door, s->session);
	return true;
}

void hls_sessions_end_idle(struct session *session, uint64_t now_ms)
{
	struct hls_session *s = session->arg;

	if (session->events != &events || !session->joined)
		return;
	if (is_busy(s))
		use(s, now_ms);
	else if ((s->index_only && now_ms - s->used_ms >= INDEX_MS) ||
		 is_silent(s, now_ms))
		drop(s);
}

void hls_sessions_expire(struct hls_sessions *h, uint64_t now_ms)
{
	struct hls_session *s;

	while ((s = TAILQ_FIRST(&h->by_use)) != NULL &&
	       now_ms - s->used_ms >= h->cfg.idle_ms)
		if (is_busy(s))
			use(s, now_ms);
		else
			drop(s);
}

void hls_sessions_judge_anew(struct hls_sessions *h)
{
	struct hls_session *s, *next;

	for (s = TAILQ_FIRST(&h->by_use); s != NULL; s = next) {
		next = TAILQ_NEXT(s, by_use);
		if (s->session != NULL && s->session->joined &&
		    !s->session->free_entry)
			drop(s);
	}
}
