/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/password_cache.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	struct verified_key key;
	uint64_t since_ms; /* time of its verification by the auth worker */
	uint64_t used_ms; /* time of its last use */
	bool used; /* false: the entry is free */
	/* number of other passwords of this login that were tried from this
	 * address */
	unsigned misses;
	/* time of the first miss; the count starts again a minute later */
	uint64_t missed_ms;
	struct digest missed[VERIFIED_MISSES_MAX];
};

struct verified {
	uint8_t secret[DIGEST_LEN];
	struct entry entries[VERIFIED_MAX];
};

struct verified *verified_new(void)
{
	struct verified *v = xcalloc(1, sizeof *v);

	secret_random(v->secret, sizeof v->secret);
	return v;
}

void verified_free(struct verified **vp)
{
	if (*vp == NULL)
		return;
	explicit_bzero(*vp, sizeof **vp);
	free(*vp);
	*vp = NULL;
}

struct verified_key verified_key(const struct verified *v,
				 const struct credential_text *c)
{
	const char *credential[] = { c->login, c->password, c->cipher };
	const char *place[] = { c->login, c->address };

	return (struct verified_key){
		.credential = digest_keyed(v->secret, credential,
					   ARRAY_LEN(credential)),
		.place = digest_keyed(v->secret, place, ARRAY_LEN(place)),
	};
}

bool verified_key_equal(const struct verified_key *a,
			const struct verified_key *b)
{
	return digest_equal(&a->credential, &b->credential) &&
	       digest_equal(&a->place, &b->place);
}

/* Of the entries with this credential, the one that was verified last; NULL:
 * none was verified within VERIFIED_LIFE_MS. */
static const struct entry *find(const struct verified *v,
				const struct verified_key *key,
				uint64_t now_ms)
{
	const struct entry *best = NULL;

	for (size_t i = 0; i < VERIFIED_MAX; i++) {
		const struct entry *e = &v->entries[i];

		if (e->used && now_ms - e->since_ms < VERIFIED_LIFE_MS &&
		    (best == NULL || e->since_ms > best->since_ms) &&
		    digest_equal(&e->key.credential, &key->credential))
			best = e;
	}
	return best;
}

bool verified_has(const struct verified *v, const struct verified_key *key,
		  uint64_t now_ms)
{
	return find(v, key, now_ms) != NULL;
}

static bool is_of_place(const struct entry *e, const struct verified_key *key,
			uint64_t now_ms)
{
	return e->used && now_ms - e->used_ms < VERIFIED_THERE_MS &&
	       digest_equal(&e->key.place, &key->place);
}

bool verified_has_there(struct verified *v, const struct verified_key *key,
			uint64_t now_ms)
{
	struct entry *found = NULL;
	bool guessed = false, repeated = false;

	for (size_t i = 0; i < VERIFIED_MAX; i++) {
		struct entry *e = &v->entries[i];

		if (!is_of_place(e, key, now_ms))
			continue;
		if (now_ms - e->missed_ms >= VERIFIED_LIFE_MS)
			e->misses = 0;
		guessed = guessed || e->misses >= VERIFIED_MISSES_MAX;
		for (unsigned k = 0; k < e->misses && !repeated; k++)
			repeated = digest_equal(&e->missed[k],
						&key->credential);
		if (digest_equal(&e->key.credential, &key->credential))
			found = e;
	}
	/* a further wrong password does not extend the minute */
	if (guessed)
		return false;
	if (found != NULL) {
		found->used_ms = now_ms;
		return true;
	}

	/* counts the miss in each entry with this login and address, because
	 * any entry may be replaced */
	for (size_t i = 0; i < VERIFIED_MAX && !repeated; i++) {
		struct entry *e = &v->entries[i];

		if (!is_of_place(e, key, now_ms))
			continue;
		if (e->misses == 0)
			e->missed_ms = now_ms;
		e->missed[e->misses++] = key->credential;
	}
	return false;
}

/* The entry of this credential and its address, or a new one instead of the
 * entry that was not used for longest. */
static struct entry *place_of(struct verified *v,
			      const struct verified_key *key)
{
	struct entry *oldest = &v->entries[0];

	for (size_t i = 0; i < VERIFIED_MAX; i++) {
		struct entry *e = &v->entries[i];

		if (e->used && verified_key_equal(&e->key, key))
			return e;
		if (oldest->used && (!e->used || e->used_ms < oldest->used_ms))
			oldest = e;
	}
	*oldest = (struct entry){ .key = *key, .used = true };
	return oldest;
}

void verified_add(struct verified *v, const struct verified_key *key,
		  uint64_t now_ms)
{
	struct entry *e = place_of(v, key);

	e->since_ms = e->used_ms = now_ms;
}

void verified_use(struct verified *v, const struct verified_key *key,
		  uint64_t now_ms)
{
	const struct entry *known = find(v, key, now_ms);
	uint64_t since_ms = known != NULL ? known->since_ms : 0;
	struct entry *e;

	if (known == NULL)
		return;
	e = place_of(v, key);
	e->since_ms = since_ms;
	e->used_ms = now_ms;
}
