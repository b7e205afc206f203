/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/password_cache.h"

#include "common/base/alloc.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct digest key;
	uint64_t since_ms;
	bool used;
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

struct digest verified_key(const struct verified *v,
			   const struct credential_text *c)
{
	const char *parts[] = { c->login, c->password, c->cipher };
	size_t len = 0, at = 0;
	struct digest d;
	uint8_t *all;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		len += strlen(parts[i]) + 1;
	all = xcalloc(len, 1);
	/* each with its end: no two credentials run into the same text */
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		size_t n = strlen(parts[i]) + 1;

		memcpy(all + at, parts[i], n);
		at += n;
	}
	if (HMAC(EVP_sha256(), v->secret, sizeof v->secret, all, len, d.bytes,
		 NULL) == NULL)
		abort();
	explicit_bzero(all, len);
	free(all);
	return d;
}

bool verified_has(const struct verified *v, const struct digest *key,
		  uint64_t now_ms)
{
	for (size_t i = 0; i < VERIFIED_MAX; i++)
		if (v->entries[i].used &&
		    now_ms - v->entries[i].since_ms < VERIFIED_LIFE_MS &&
		    digest_equal(&v->entries[i].key, key))
			return true;
	return false;
}

void verified_add(struct verified *v, const struct digest *key,
		  uint64_t now_ms)
{
	struct entry *place = &v->entries[0];

	for (size_t i = 0; i < VERIFIED_MAX; i++) {
		struct entry *e = &v->entries[i];

		if (e->used && digest_equal(&e->key, key)) {
			place = e;
			break;
		}
		if (!e->used || (place->used && e->since_ms < place->since_ms))
			place = place->used ? e : place;
	}
	*place = (struct entry){ *key, now_ms, true };
}
