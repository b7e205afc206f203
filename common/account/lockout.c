/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/lockout.h"

#include "common/base/alloc.h"
#include "common/account/secret.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { BUCKETS = 1024 };

struct entry {
	TAILQ_ENTRY(entry) link;  /* in all: failed longest ago first */
	LIST_ENTRY(entry) bucket;
	struct ip_address address;
	/* times of the last failures, the newest last */
	uint64_t failed_ms[LOCKOUT_FAILURES];
	unsigned n;
};

struct lockout {
	TAILQ_HEAD(, entry) all;
	LIST_HEAD(, entry) buckets[BUCKETS];
	size_t n;
	uint64_t seed; /* secret: an attacker cannot fill one bucket */
};

struct lockout *lockout_new(void)
{
	struct lockout *l = xcalloc(1, sizeof *l);

	TAILQ_INIT(&l->all);
	secret_random(&l->seed, sizeof l->seed);
	return l;
}

static void drop(struct lockout *l, struct entry *e)
{
	TAILQ_REMOVE(&l->all, e, link);
	LIST_REMOVE(e, bucket);
	l->n--;
	free(e);
}

void lockout_free(struct lockout **lp)
{
	struct lockout *l = *lp;

	*lp = NULL;
	if (l == NULL)
		return;
	while (!TAILQ_EMPTY(&l->all))
		drop(l, TAILQ_FIRST(&l->all));
	free(l);
}

static size_t bucket_of(const struct lockout *l, const struct ip_address *key)
{
	return ip_hash(key, l->seed) % BUCKETS;
}

static struct entry *find(const struct lockout *l, const struct ip_address *a)
{
	struct ip_address key = ip_client(a);
	struct entry *e;

	LIST_FOREACH(e, &l->buckets[bucket_of(l, &key)], bucket)
		if (memcmp(e->address.bytes, key.bytes, IP_BYTES) == 0)
			return e;
	return NULL;
}

static bool is_locked(const struct entry *e, uint64_t now_ms)
{
	const uint64_t *at = e->failed_ms;

	return e->n == LOCKOUT_FAILURES &&
	       at[LOCKOUT_FAILURES - 1] - at[0] < LOCKOUT_WINDOW_MS &&
	       now_ms - at[LOCKOUT_FAILURES - 1] < LOCKOUT_WINDOW_MS;
}

bool lockout_is_locked(const struct lockout *l, const struct ip_address *a,
		       uint64_t now_ms)
{
	const struct entry *e = find(l, a);

	return e != NULL && is_locked(e, now_ms);
}

unsigned lockout_room(const struct lockout *l, const struct ip_address *a,
		      uint64_t now_ms)
{
	const struct entry *e = find(l, a);
	unsigned recent = 0;

	if (e == NULL)
		return LOCKOUT_FAILURES;
	if (is_locked(e, now_ms))
		return 0;
	for (unsigned i = 0; i < e->n; i++)
		recent += now_ms - e->failed_ms[i] < LOCKOUT_WINDOW_MS;
	return LOCKOUT_FAILURES - recent;
}

bool lockout_fail(struct lockout *l, const struct ip_address *a,
		  uint64_t now_ms)
{
	struct entry *e = find(l, a);

	if (e != NULL && is_locked(e, now_ms))
		return false;
	if (e == NULL) {
		if (l->n >= LOCKOUT_ADDRESSES_MAX)
			drop(l, TAILQ_FIRST(&l->all));
		e = xcalloc(1, sizeof *e);
		e->address = ip_client(a);
		LIST_INSERT_HEAD(&l->buckets[bucket_of(l, &e->address)], e,
				 bucket);
		TAILQ_INSERT_TAIL(&l->all, e, link);
		l->n++;
	}
	if (e->n == LOCKOUT_FAILURES) {
		e->n--;
		memmove(e->failed_ms, e->failed_ms + 1,
			e->n * sizeof e->failed_ms[0]);
	}
	e->failed_ms[e->n++] = now_ms;
	TAILQ_REMOVE(&l->all, e, link);
	TAILQ_INSERT_TAIL(&l->all, e, link);
	return is_locked(e, now_ms);
}

void lockout_succeed(struct lockout *l, const struct ip_address *a)
{
	struct entry *e = find(l, a);

	if (e != NULL)
		drop(l, e);
}
