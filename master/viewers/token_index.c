/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/token_index.h"

#include "common/account/secret.h"
#include "common/base/alloc.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { BUCKETS = 16384 }; /* sufficient for about ten thousand tokens */

struct entry {
	TAILQ_ENTRY(entry) link;
	struct digest key;
	char *login;
};

TAILQ_HEAD(bucket, entry);

struct token_index {
	uint8_t secret[DIGEST_LEN];
	struct bucket buckets[BUCKETS];
};

struct token_index *token_index_new(void)
{
	struct token_index *t = xcalloc(1, sizeof *t);

	secret_random(t->secret, sizeof t->secret);
	for (size_t i = 0; i < BUCKETS; i++)
		TAILQ_INIT(&t->buckets[i]);
	return t;
}

static void drop(struct bucket *b, struct entry *e)
{
	TAILQ_REMOVE(b, e, link);
	free(e->login);
	free(e);
}

void token_index_free(struct token_index **tp)
{
	struct token_index *t = *tp;
	struct entry *e;

	*tp = NULL;
	if (t == NULL)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while ((e = TAILQ_FIRST(&t->buckets[i])) != NULL)
			drop(&t->buckets[i], e);
	explicit_bzero(t->secret, sizeof t->secret);
	free(t);
}

static struct digest key_of(const struct token_index *t, const char *token)
{
	struct digest d;

	if (HMAC(EVP_sha256(), t->secret, sizeof t->secret,
		 (const unsigned char *)token, strlen(token), d.bytes,
		 NULL) == NULL)
		abort();
	return d;
}

static size_t bucket_of(const struct digest *key)
{
	return (key->bytes[0] | (size_t)key->bytes[1] << 8) % BUCKETS;
}

void token_index_put(struct token_index *t, const char *token,
		     const char *login)
{
	struct entry *e = xcalloc(1, sizeof *e);

	e->key = key_of(t, token);
	e->login = xstrdup(login);
	TAILQ_INSERT_TAIL(&t->buckets[bucket_of(&e->key)], e, link);
}

void token_index_remove(struct token_index *t, const char *token,
			const char *login)
{
	struct digest key = key_of(t, token);
	struct bucket *b = &t->buckets[bucket_of(&key)];
	struct entry *e;

	TAILQ_FOREACH(e, b, link)
		if (digest_equal(&e->key, &key) &&
		    strcmp(e->login, login) == 0)
			break;
	if (e != NULL)
		drop(b, e);
}

const char *token_index_find(const struct token_index *t, const char *token)
{
	struct digest key = key_of(t, token);
	const struct entry *e;

	TAILQ_FOREACH(e, &t->buckets[bucket_of(&key)], link)
		if (digest_equal(&e->key, &key))
			return e->login;
	return NULL;
}
