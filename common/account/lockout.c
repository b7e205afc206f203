/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/lockout.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { BUCKETS = 1024, FAILURES_MAX = LOCKOUT_LOGIN_FAILURES };

struct failure {
	uint64_t at_ms;
	struct digest login;
};

/* The failures of an address, or of a login. */
struct entry {
	/* in table.all: the entry that failed longest ago is first */
	TAILQ_ENTRY(entry) link;
	LIST_ENTRY(entry) bucket;
	struct digest key;
	/* its last failures, the newest last */
	struct failure failed[FAILURES_MAX];
	unsigned n;
};

TAILQ_HEAD(entries, entry);
LIST_HEAD(bucket, entry);

struct table {
	struct entries all;
	struct bucket buckets[BUCKETS];
	size_t n;
	unsigned max; /* failures in a minute that lock an entry */
};

/* A login, and an address from which it may be used even while it is locked. */
struct place {
	bool used;
	struct digest login;
	struct digest address;
};

struct lockout {
	/* secret part of all keys: an attacker cannot fill one hash bucket */
	struct digest seed;
	struct table addresses[LOCKOUT_DOORS];
	struct table logins[LOCKOUT_DOORS];
	struct place places[LOCKOUT_PLACES_MAX];
	/* index in places of the pair that the next lockout_keep() replaces */
	unsigned next_place;
};

struct lockout *lockout_new(void)
{
	struct lockout *l = xcalloc(1, sizeof *l);

	for (unsigned i = 0; i < LOCKOUT_DOORS; i++) {
		TAILQ_INIT(&l->addresses[i].all);
		TAILQ_INIT(&l->logins[i].all);
		l->addresses[i].max = LOCKOUT_FAILURES;
		l->logins[i].max = LOCKOUT_LOGIN_FAILURES;
	}
	secret_random(&l->seed, sizeof l->seed);
	return l;
}

static void drop(struct table *t, struct entry *e)
{
	TAILQ_REMOVE(&t->all, e, link);
	LIST_REMOVE(e, bucket);
	t->n--;
	free(e);
}

void lockout_free(struct lockout **lp)
{
	struct lockout *l = *lp;

	*lp = NULL;
	if (l == NULL)
		return;
	for (unsigned i = 0; i < LOCKOUT_DOORS; i++) {
		while (!TAILQ_EMPTY(&l->addresses[i].all))
			drop(&l->addresses[i],
			     TAILQ_FIRST(&l->addresses[i].all));
		while (!TAILQ_EMPTY(&l->logins[i].all))
			drop(&l->logins[i], TAILQ_FIRST(&l->logins[i].all));
	}
	free(l);
}

/* --- keys --- */

static struct digest key_of(const struct lockout *l, const char *text)
{
	struct digest key = digest_of(text);

	for (size_t i = 0; i < DIGEST_LEN; i++)
		key.bytes[i] ^= l->seed.bytes[i];
	return key;
}

static struct digest address_key(const struct lockout *l,
				 const struct lockout_try *t)
{
	struct ip_address client = ip_client(t->address);
	char text[IP_TEXT_MAX];

	ip_format(&client, text);
	return key_of(l, text);
}

static struct bucket *bucket_of(struct table *t, const struct digest *key)
{
	uint32_t n;

	memcpy(&n, key->bytes, sizeof n);
	return &t->buckets[n % BUCKETS];
}

static bool is_same(const struct digest *a, const struct digest *b)
{
	return memcmp(a->bytes, b->bytes, DIGEST_LEN) == 0;
}

static struct entry *find(const struct table *t, const struct digest *key)
{
	struct entry *e;

	/* the cast removes const only: the bucket is not changed */
	LIST_FOREACH(e, bucket_of((struct table *)(uintptr_t)t, key), bucket)
		if (is_same(&e->key, key))
			return e;
	return NULL;
}

/* --- entries --- */

static bool is_locked(const struct table *t, const struct entry *e,
		      uint64_t now_ms)
{
	uint64_t last;

	if (e == NULL || e->n < t->max)
		return false;
	last = e->failed[e->n - 1].at_ms;
	return last - e->failed[0].at_ms < LOCKOUT_WINDOW_MS &&
	       now_ms - last < LOCKOUT_WINDOW_MS;
}

static unsigned room(const struct table *t, const struct entry *e,
		     uint64_t now_ms)
{
	unsigned recent = 0;

	if (e == NULL)
		return t->max;
	if (is_locked(t, e, now_ms))
		return 0;
	for (unsigned i = 0; i < e->n; i++)
		recent += now_ms - e->failed[i].at_ms < LOCKOUT_WINDOW_MS;
	return t->max - recent;
}

/* Counts a failure of the key; true: this failure locks the key. */
static bool count(struct table *t, const struct digest *key,
		  const struct failure *failure)
{
	struct entry *e = find(t, key);

	if (is_locked(t, e, failure->at_ms))
		return false;
	if (e == NULL) {
		e = xcalloc(1, sizeof *e);
		if (t->n >= LOCKOUT_ENTRIES_MAX)
			drop(t, TAILQ_FIRST(&t->all));
		e->key = *key;
		LIST_INSERT_HEAD(bucket_of(t, key), e, bucket);
		TAILQ_INSERT_TAIL(&t->all, e, link);
		t->n++;
	}
	if (e->n == t->max) {
		e->n--;
		memmove(e->failed, e->failed + 1, e->n * sizeof e->failed[0]);
	}
	e->failed[e->n++] = *failure;
	TAILQ_REMOVE(&t->all, e, link);
	TAILQ_INSERT_TAIL(&t->all, e, link);
	return is_locked(t, e, failure->at_ms);
}

/* --- places --- */

static bool has_place(const struct lockout *l, const struct place *wanted)
{
	for (size_t i = 0; i < LOCKOUT_PLACES_MAX; i++)
		if (l->places[i].used &&
		    is_same(&l->places[i].login, &wanted->login) &&
		    is_same(&l->places[i].address, &wanted->address))
			return true;
	return false;
}

static struct place place_of(const struct lockout *l,
			     const struct lockout_try *t)
{
	return (struct place){
		.used = true,
		.login = key_of(l, t->login),
		.address = address_key(l, t),
	};
}

/* --- the functions of the header --- */

unsigned lockout_room(const struct lockout *l, const struct lockout_try *t,
		      uint64_t now_ms)
{
	const struct table *addresses = &l->addresses[t->door];
	struct digest key = address_key(l, t);

	return room(addresses, find(addresses, &key), now_ms);
}

unsigned lockout_login_room(const struct lockout *l,
			    const struct lockout_try *t, uint64_t now_ms)
{
	const struct table *logins = &l->logins[t->door];
	struct place p = place_of(l, t);

	if (has_place(l, &p))
		return LOCKOUT_LOGIN_FAILURES;
	return room(logins, find(logins, &p.login), now_ms);
}

bool lockout_is_locked(const struct lockout *l, const struct lockout_try *t,
		       uint64_t now_ms)
{
	return lockout_room(l, t, now_ms) == 0 ||
	       lockout_login_room(l, t, now_ms) == 0;
}

unsigned lockout_fail(struct lockout *l, const struct lockout_try *t,
		      uint64_t now_ms)
{
	struct place p = place_of(l, t);
	struct failure failure = { now_ms, p.login };
	unsigned locked = 0;

	/* A failure during a lock counts neither for the address nor for the
	 * login, so it extends no lock. */
	if (lockout_is_locked(l, t, now_ms))
		return 0;
	if (count(&l->addresses[t->door], &p.address, &failure))
		locked |= LOCKOUT_ADDRESS;
	if (count(&l->logins[t->door], &p.login, &failure))
		locked |= LOCKOUT_LOGIN;
	return locked;
}

void lockout_succeed(struct lockout *l, const struct lockout_try *t)
{
	struct place p = place_of(l, t);

	/* deletes the failures of this login; those of other logins stay */
	for (unsigned i = 0; i < LOCKOUT_DOORS; i++) {
		struct table *table = &l->addresses[i];
		struct entry *e = find(table, &p.address);
		unsigned kept = 0;

		if (e == NULL)
			continue;
		for (unsigned k = 0; k < e->n; k++)
			if (!is_same(&e->failed[k].login, &p.login))
				e->failed[kept++] = e->failed[k];
		e->n = kept;
		if (kept == 0)
			drop(table, e);
	}
}

void lockout_keep(struct lockout *l, const struct lockout_try *t)
{
	struct place p = place_of(l, t);

	if (has_place(l, &p))
		return;
	l->places[l->next_place] = p;
	l->next_place = (l->next_place + 1) % LOCKOUT_PLACES_MAX;
}
