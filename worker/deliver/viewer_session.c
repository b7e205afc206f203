/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/viewer_session.h"

#include "common/base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* A worker may number 2^10 / MSG_DELIVER_MAX viewers per millisecond
	 * of its life.  Numbers stay below MSG_RECEIVER_BIT until 2109. */
	NUMBERS_BITS = 10,
	BUCKETS = 4096,
	JOINED_MAX = 64, /* new sessions in a message, whose size is limited */
};

struct sessions {
	TAILQ_HEAD(session_list, session) joined; /* sorted by number */
	TAILQ_HEAD(, session) news;
	LIST_HEAD(, session) by_client[BUCKETS];
	uint64_t last; /* the highest number of a session so far */
	/* numbers of sessions whose end is not reported yet */
	uint64_t *left;
	size_t n_left, room_left;
	unsigned n;
	sessions_changed_fn *changed;
	void *arg;
};

struct sessions *sessions_new(uint64_t wall_ms, unsigned worker,
			      sessions_changed_fn *changed, void *arg)
{
	struct sessions *s = xcalloc(1, sizeof *s);

	s->changed = changed;
	s->arg = arg;

	TAILQ_INIT(&s->joined);
	TAILQ_INIT(&s->news);
	s->last = wall_ms << NUMBERS_BITS | worker % MSG_DELIVER_MAX;
	return s;
}

void sessions_free(struct sessions **s)
{
	if (*s == NULL)
		return;
	assert((*s)->n == 0);
	free((*s)->left);
	free(*s);
	*s = NULL;
}

static char *cut(const char *text, size_t max)
{
	return text != NULL ? xstrndup(text, strnlen(text, max)) : xstrdup("");
}

struct session *session_new(struct sessions *owner,
			    const struct session_config *cfg)
{
	struct session *s = xcalloc(1, sizeof *s);

	s->owner = owner;
	owner->n++;
	s->events = cfg->events;
	s->arg = cfg->arg;
	owner->last += MSG_DELIVER_MAX;
	s->client = owner->last;
	LIST_INSERT_HEAD(&owner->by_client[s->client % BUCKETS], s, by_client);
	s->stream = xstrdup(cfg->stream);
	ip_format(cfg->peer, s->peer);
	s->protocol = cfg->protocol;
	s->host = cut(cfg->host, SESSION_HOST_MAX);
	s->path = cut(cfg->path, SESSION_QUERY_MAX);
	s->query = cut(cfg->query, SESSION_QUERY_MAX);
	s->agent = cut(cfg->agent, SESSION_AGENT_MAX);
	s->login = xstrdup("");
	s->player = cfg->player;
	s->key = cfg->key;
	s->mount = cfg->mount;
	s->unlimited = cfg->unlimited;
	s->free_entry = cfg->free_entry;
	s->probe = cfg->probe;
	s->begun_ms = cfg->now_ms;
	return s;
}

static void note_left(struct sessions *o, uint64_t client)
{
	if (o->n_left == o->room_left) {
		o->room_left = MAX(2 * o->room_left, (size_t)64);
		o->left = xrealloc(o->left, o->room_left * sizeof *o->left);
	}
	o->left[o->n_left++] = client;
	o->changed(o->arg);
}

void session_free(struct session **sp)
{
	struct session *s = *sp;
	struct sessions *o;

	*sp = NULL;
	if (s == NULL)
		return;
	o = s->owner;
	session_ask_move(s, NULL);
	if (s->in_list_of_news)
		TAILQ_REMOVE(&o->news, s, in_news);
	if (s->joined)
		TAILQ_REMOVE(&o->joined, s, entry);
	LIST_REMOVE(s, by_client);
	/* the master may count this viewer: its end is reported */
	if (s->asked || (s->joined && !s->in_list_of_news))
		note_left(o, s->client);
	o->n--;
	explicit_bzero(s->query, strlen(s->query));
	free(s->query);
	free(s->stream);
	free(s->host);
	free(s->path);
	free(s->agent);
	free(s->login);
	free(s);
}

void session_ask_move(struct session *s, struct session_asks *to)
{
	if (s->asks != NULL) {
		TAILQ_REMOVE(&s->asks->list, s, in_asks);
		s->asks->n--;
	}
	s->asks = to;
	if (to != NULL) {
		TAILQ_INSERT_TAIL(&to->list, s, in_asks);
		to->n++;
	}
}

void session_set_owner(struct session *s, const struct session_events *events,
		       void *arg)
{
	s->events = events;
	s->arg = arg;
}

void session_set_login(struct session *s, const char *login)
{
	if (strcmp(s->login, login) == 0)
		return;
	free(s->login);
	s->login = xstrdup(login);
}

void session_set_stream(struct session *s, const char *stream)
{
	free(s->stream);
	s->stream = xstrdup(stream);
}

static void add_news(struct session *s)
{
	if (!s->in_list_of_news)
		TAILQ_INSERT_TAIL(&s->owner->news, s, in_news);
	s->in_list_of_news = true;
	s->owner->changed(s->owner->arg);
}

void session_join(struct session *s, uint64_t now_ms)
{
	struct sessions *o = s->owner;
	struct session *before = TAILQ_LAST(&o->joined, session_list);

	/* a viewer that asked later may have got its answer earlier */
	while (before != NULL && before->client > s->client)
		before = TAILQ_PREV(before, session_list, entry);
	if (before != NULL)
		TAILQ_INSERT_AFTER(&o->joined, before, s, entry);
	else
		TAILQ_INSERT_HEAD(&o->joined, s, entry);
	s->joined = s->permitted = true;
	s->begun_ms = now_ms;
	add_news(s);
}

struct session *sessions_find(const struct sessions *o, uint64_t client)
{
	struct session *s;

	LIST_FOREACH(s, &o->by_client[client % BUCKETS], by_client)
		if (s->client == client)
			break;
	return s;
}

struct session *sessions_next(const struct sessions *o,
			      const struct session *s)
{
	return s != NULL ? TAILQ_NEXT(s, entry) : TAILQ_FIRST(&o->joined);
}

static struct msg_session describe(const struct session *s, uint64_t now_ms)
{
	return (struct msg_session){
		.client = s->client,
		.stream = s->stream,
		.peer = s->peer,
		.uptime_s = (now_ms - s->begun_ms) / 1000,
		.login = s->login,
		.agent = s->agent,
		.protocol = s->protocol,
		.bytes = s->bytes != NULL ? *s->bytes : 0,
		.key = s->key,
		.mount = s->mount,
		.player = s->player,
		.unlimited = s->unlimited,
	};
}

void sessions_list(const struct sessions *o, uint64_t after, uint64_t now_ms,
		   struct msg_deliver_sessions *ret)
{
	const struct session *s;

	ret->n = 0;
	ret->more = false;
	TAILQ_FOREACH(s, &o->joined, entry) {
		if (s->client <= after)
			continue;
		ret->more = ret->n == MSG_SESSIONS_MAX;
		if (ret->more)
			return;
		ret->list[ret->n++] = describe(s, now_ms);
	}
}

bool sessions_take_changes(struct sessions *o, uint64_t now_ms,
			   struct msg_deliver_changes *ret)
{
	struct session *s;

	ret->n_joined = ret->n_left = 0;
	while (ret->n_joined < JOINED_MAX &&
	       (s = TAILQ_FIRST(&o->news)) != NULL) {
		TAILQ_REMOVE(&o->news, s, in_news);
		s->in_list_of_news = false;
		ret->joined[ret->n_joined++] = describe(s, now_ms);
	}
	while (ret->n_left < MSG_LEFT_MAX && o->n_left > 0)
		ret->left[ret->n_left++] = o->left[--o->n_left];
	if (o->n_left == 0) {
		free(o->left);
		o->left = NULL;
		o->room_left = 0;
	}
	return ret->n_joined + ret->n_left > 0;
}

void sessions_renew(struct sessions *o)
{
	struct session *s;

	TAILQ_FOREACH(s, &o->joined, entry)
		add_news(s);
}
