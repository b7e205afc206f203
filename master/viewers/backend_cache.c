/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/backend_cache.h"

#include "common/base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { BUCKETS = 4096 };

struct entry {
	TAILQ_ENTRY(entry) by_age;
	LIST_ENTRY(entry) link;
	struct digest key;
	struct backend_verdict verdict; /* owns its texts */
};

struct backend_cache {
	uint8_t secret[DIGEST_LEN];
	size_t n;
	TAILQ_HEAD(, entry) by_age; /* oldest first */
	LIST_HEAD(, entry) buckets[BUCKETS];
};

int backend_verdict_read(const struct msg_backend_result *r, uint64_t now_ms,
			 struct backend_verdict *ret, struct errmsg *error)
{
	bool denied = r->status / 100 == 4;

	if (r->status == 0)
		return errmsg_fail(error, -EREMOTEIO, "%s", r->error);
	if (r->status != 200 && !denied)
		return errmsg_fail(error, -EREMOTEIO, "its answer has the HTTP "
						      "status %u",
				   (unsigned)r->status);
	*ret = (struct backend_verdict){
		.allowed = !denied,
		.login = r->login,
		.user = r->user,
		.location = r->location,
		.max_sessions = r->max_sessions,
		.duration_s = denied ? BACKEND_DENY_S : BACKEND_ALLOW_S,
	};
	if (r->duration_s > 0)
		ret->duration_s = MIN(r->duration_s,
				      (uint32_t)BACKEND_DURATION_MAX_S);
	ret->fresh_until_ms = now_ms + 1000 * (uint64_t)ret->duration_s;
	return 0;
}

struct backend_cache *backend_cache_new(void)
{
	struct backend_cache *c = xcalloc(1, sizeof *c);

	secret_random(c->secret, sizeof c->secret);
	TAILQ_INIT(&c->by_age);
	return c;
}

static void drop(struct backend_cache *c, struct entry *e)
{
	TAILQ_REMOVE(&c->by_age, e, by_age);
	LIST_REMOVE(e, link);
	c->n--;
	free((char *)(uintptr_t)e->verdict.login);
	free((char *)(uintptr_t)e->verdict.user);
	free((char *)(uintptr_t)e->verdict.location);
	free(e);
}

void backend_cache_clear(struct backend_cache *c)
{
	struct entry *e;

	while ((e = TAILQ_FIRST(&c->by_age)) != NULL)
		drop(c, e);
}

void backend_cache_free(struct backend_cache **c)
{
	if (*c == NULL)
		return;
	backend_cache_clear(*c);
	explicit_bzero((*c)->secret, sizeof (*c)->secret);
	free(*c);
	*c = NULL;
}

struct digest backend_cache_key(const struct backend_cache *c,
				const char *const *texts, size_t n)
{
	return digest_keyed(c->secret, texts, n);
}

static size_t bucket_of(const struct digest *key)
{
	return (key->bytes[0] | (size_t)key->bytes[1] << 8) % BUCKETS;
}

static struct entry *find(const struct backend_cache *c,
			  const struct digest *key)
{
	struct entry *e;

	LIST_FOREACH(e, &c->buckets[bucket_of(key)], link)
		if (digest_equal(&e->key, key))
			break;
	return e;
}

void backend_cache_put(struct backend_cache *c, const struct digest *key,
		       const struct backend_verdict *v)
{
	struct entry *old = find(c, key), *e = xcalloc(1, sizeof *e);

	e->key = *key;
	e->verdict = *v;
	e->verdict.login = xstrdup(v->login);
	e->verdict.user = xstrdup(v->user);
	e->verdict.location = xstrdup(v->location);
	if (old == NULL && c->n >= BACKEND_CACHE_MAX)
		old = TAILQ_FIRST(&c->by_age);
	if (old != NULL)
		drop(c, old);
	TAILQ_INSERT_TAIL(&c->by_age, e, by_age);
	LIST_INSERT_HEAD(&c->buckets[bucket_of(key)], e, link);
	c->n++;
}

const struct backend_verdict *
backend_cache_find(struct backend_cache *c, const struct digest *key,
		   uint64_t now_ms)
{
	struct entry *e = find(c, key);

	if (e != NULL &&
	    now_ms >= e->verdict.fresh_until_ms + BACKEND_STALE_MS) {
		drop(c, e);
		return NULL;
	}
	return e != NULL ? &e->verdict : NULL;
}
