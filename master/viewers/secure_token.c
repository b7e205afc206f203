/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/secure_token.h"

#include "common/base/hex.h"
#include "common/base/util.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_BYTES = 20, HASH_TEXT = 2 * HASH_BYTES, TIME_DIGITS = 10 };

/* The parts of a token, without NUL at their ends. */
struct parts {
	uint8_t hash[HASH_BYTES];
	const char *salt, *end, *start;
	size_t salt_len, end_len, start_len;
	int64_t end_s, start_s;
};

static bool read_hash(const char *text, uint8_t hash[HASH_BYTES])
{
	for (size_t i = 0; i < HASH_BYTES; i++) {
		int high = hex_digit(text[2 * i]);
		int low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		hash[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* Reads a Unix time of the years 2001 to 2286, which has ten digits; false: the
 * text is no such time.  The hashed texts follow each other without a
 * separator, so with another number of digits the same hash would be right for
 * other times and addresses as well. */
static bool read_time(const char *text, size_t len, int64_t *ret)
{
	*ret = 0;
	if (len != TIME_DIGITS || text[0] == '0')
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*ret = 10 * *ret + (text[i] - '0');
	}
	return true;
}

static bool split(const char *token, struct parts *p)
{
	const char *dash;

	if (!read_hash(token, p->hash) || token[HASH_TEXT] != '-')
		return false;
	p->salt = token + HASH_TEXT + 1;
	p->salt_len = strcspn(p->salt, "-");
	dash = p->salt + p->salt_len;
	if (p->salt_len == 0 || p->salt_len > SECURE_TOKEN_SALT_MAX ||
	    *dash != '-')
		return false;
	p->end = dash + 1;
	p->end_len = strcspn(p->end, "-");
	dash = p->end + p->end_len;
	if (*dash != '-')
		return false;
	p->start = dash + 1;
	p->start_len = strlen(p->start);
	return read_time(p->end, p->end_len, &p->end_s) &&
	       read_time(p->start, p->start_len, &p->start_s) &&
	       p->start_s < p->end_s;
}

static bool hash_is_right(const struct secure_token_question *q,
			  const struct parts *p)
{
	const struct {
		const char *text;
		size_t len;
	} texts[] = {
		{ q->stream, strlen(q->stream) },
		{ q->address, strlen(q->address) },
		{ p->start, p->start_len },
		{ p->end, p->end_len },
		{ q->secret, strlen(q->secret) },
		{ p->salt, p->salt_len },
	};
	uint8_t hash[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool ok = ctx != NULL && EVP_DigestInit_ex(ctx, EVP_sha1(), NULL);

	for (size_t i = 0; ok && i < ARRAY_LEN(texts); i++)
		ok = EVP_DigestUpdate(ctx, texts[i].text, texts[i].len);
	ok = ok && EVP_DigestFinal_ex(ctx, hash, NULL);
	EVP_MD_CTX_free(ctx);
	return ok && CRYPTO_memcmp(hash, p->hash, HASH_BYTES) == 0;
}

enum secure_token secure_token_check(const struct secure_token_question *q,
				     int64_t *ret_until_s)
{
	struct parts p;

	if (!split(q->token, &p))
		return SECURE_TOKEN_NONE;
	if (!hash_is_right(q, &p))
		return SECURE_TOKEN_WRONG;
	if (q->now_s >= p.end_s + SECURE_TOKEN_SKEW_S)
		return SECURE_TOKEN_EXPIRED;
	if (q->now_s < p.start_s - SECURE_TOKEN_SKEW_S)
		return SECURE_TOKEN_EARLY;
	*ret_until_s = p.end_s + SECURE_TOKEN_SKEW_S;
	return SECURE_TOKEN_VALID;
}
