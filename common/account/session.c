/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/session.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { SHELVES = 256 };

struct entry {
	TAILQ_ENTRY(entry) link;
	struct digest id;
	struct session session; /* session.login points to the member login */
	/* number of the session: later sessions have greater numbers */
	uint64_t order;
	char login[];
};

TAILQ_HEAD(shelf, entry);

struct sessions {
	/* hash buckets; index: first byte of the digest, which a client cannot
	 * choose */
	struct shelf shelves[SHELVES];
	uint64_t n_added;
};

struct sessions *sessions_new(void)
{
	struct sessions *s = xcalloc(1, sizeof *s);

	for (size_t i = 0; i < SHELVES; i++)
		TAILQ_INIT(&s->shelves[i]);
	return s;
}

static struct shelf *shelf_of(const struct sessions *s,
			      const struct digest *id)
{
	return (struct shelf *)&s->shelves[id->bytes[0]];
}

static void drop(struct sessions *s, struct entry *e)
{
	TAILQ_REMOVE(shelf_of(s, &e->id), e, link);
	free(e);
}

/* The first entry of hash bucket i or of a later one; NULL: there are no
 * more. */
static struct entry *first_from(const struct sessions *s, size_t i)
{
	for (; i < SHELVES; i++)
		if (!TAILQ_EMPTY(&s->shelves[i]))
			return TAILQ_FIRST(&s->shelves[i]);
	return NULL;
}

static struct entry *next(const struct sessions *s, const struct entry *e)
{
	struct entry *n = TAILQ_NEXT(e, link);

	return n != NULL ? n : first_from(s, e->id.bytes[0] + 1U);
}

void sessions_free(struct sessions **sp)
{
	struct sessions *s = *sp;
	struct entry *e;

	*sp = NULL;
	if (s == NULL)
		return;
	while ((e = first_from(s, 0)) != NULL)
		drop(s, e);
	free(s);
}

static struct entry *find(const struct sessions *s, const struct digest *id)
{
	struct entry *e;

	TAILQ_FOREACH(e, shelf_of(s, id), link)
		if (digest_equal(&e->id, id))
			return e;
	return NULL;
}

static void add(struct sessions *s, const struct digest *id,
		const struct session *session)
{
	size_t len = strlen(session->login) + 1, n = 0;
	struct entry *e, *nearest = NULL;

	/* makes room for another session of the login */
	for (e = first_from(s, 0); e != NULL; e = next(s, e)) {
		if (strcmp(e->login, session->login) != 0)
			continue;
		n++;
		if (nearest == NULL ||
		    e->session.expires < nearest->session.expires ||
		    (e->session.expires == nearest->session.expires &&
		     e->order < nearest->order))
			nearest = e;
	}
	e = xcalloc(1, sizeof *e + len);
	if (n >= SESSIONS_PER_LOGIN)
		drop(s, nearest);

	memcpy(e->login, session->login, len);
	e->id = *id;
	e->session = *session;
	e->session.login = e->login;
	e->order = s->n_added++;
	TAILQ_INSERT_TAIL(shelf_of(s, id), e, link);
}

void sessions_open(struct sessions *s, const struct session *session,
		   char text[SECRET_TEXT])
{
	struct digest id;

	secret_new(text);
	id = digest_of(text);
	add(s, &id, session);
}

bool sessions_find(const struct sessions *s, const char *text, int64_t now,
		   struct session *ret)
{
	struct digest id = digest_of(text);
	const struct entry *e = find(s, &id);

	if (e == NULL || e->session.expires <= now)
		return false;
	*ret = e->session;
	return true;
}

bool sessions_end(struct sessions *s, const char *text)
{
	struct digest id = digest_of(text);
	struct entry *e = find(s, &id);

	if (e == NULL)
		return false;
	drop(s, e);
	return true;
}

size_t sessions_sift(struct sessions *s,
		     bool (*keep)(const struct session *, void *arg),
		     void *arg)
{
	struct entry *e, *behind;
	size_t n = 0;

	for (e = first_from(s, 0); e != NULL; e = behind) {
		behind = next(s, e);
		if (keep(&e->session, arg))
			continue;
		drop(s, e);
		n++;
	}
	return n;
}

json_t *sessions_encode(const struct sessions *s, int64_t now)
{
	char id[SECRET_TEXT], stamp[SECRET_TEXT];
	json_t *list = json_array();
	const struct entry *e;

	for (e = first_from(s, 0); e != NULL; e = next(s, e)) {
		if (e->session.expires <= now)
			continue;
		digest_format(&e->id, id);
		digest_format(&e->session.stamp, stamp);
		(void)json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:I}", "id", id,
					"login", e->login, "stamp", stamp,
					"expires",
					(json_int_t)e->session.expires));
	}
	return json_pack("{s:o}", "sessions", list);
}

static bool decode_one(struct sessions *s, json_t *value, int64_t now)
{
	const char *id_text, *stamp_text;
	struct session session;
	json_int_t expires;
	struct digest id;

	if (json_unpack(value, "{s:s, s:s, s:s, s:I}", "id", &id_text, "login",
			&session.login, "stamp", &stamp_text, "expires",
			&expires) < 0 ||
	    !digest_parse(id_text, &id) ||
	    !digest_parse(stamp_text, &session.stamp))
		return false;
	session.expires = expires;
	/* sessions_open() is never called with a later expiry: the clock was
	 * wrong, or the file was edited */
	if (expires <= now || expires > now + SESSION_REMEMBER_S ||
	    find(s, &id) != NULL)
		return false;
	add(s, &id, &session);
	return true;
}

size_t sessions_decode(struct sessions *s, const json_t *file, int64_t now)
{
	json_t *list = json_object_get(file, "sessions");
	size_t left_out = 0;
	json_t *value;
	size_t i;

	json_array_foreach(list, i, value)
		if (!decode_one(s, value, now))
			left_out++;
	return left_out;
}
