/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/secret.h"

#include "common/base/alloc.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char hex[] = "0123456789abcdef";

void secret_random(void *data, size_t len)
{
	uint8_t *at = data;

	while (len > 0) {
		ssize_t n = getrandom(at, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		/* without randomness every secret could be guessed */
		if (n <= 0)
			abort();
		at += n;
		len -= (size_t)n;
	}
}

static void format(const uint8_t *bytes, char text[SECRET_TEXT])
{
	for (size_t i = 0; i < DIGEST_LEN; i++) {
		text[2 * i] = hex[bytes[i] >> 4];
		text[2 * i + 1] = hex[bytes[i] & 15];
	}
	text[SECRET_TEXT - 1] = '\0';
}

void secret_new(char text[SECRET_TEXT])
{
	uint8_t bytes[DIGEST_LEN];

	secret_random(bytes, sizeof bytes);
	format(bytes, text);
	explicit_bzero(bytes, sizeof bytes);
}

void secret_new_password(char text[PASSWORD_TEXT])
{
	/* 32 characters, so each stands for five random bits */
	static const char signs[] = "abcdefghijkmnpqrstuvwxyz23456789";
	uint8_t bytes[PASSWORD_TEXT - 1];

	secret_random(bytes, sizeof bytes);
	for (size_t i = 0; i < sizeof bytes; i++)
		text[i] = signs[bytes[i] & 31];
	text[sizeof bytes] = '\0';
	explicit_bzero(bytes, sizeof bytes);
}

struct digest digest_of(const char *text)
{
	struct digest d;

	(void)SHA256((const unsigned char *)text, strlen(text), d.bytes);
	return d;
}

struct digest digest_keyed(const uint8_t key[DIGEST_LEN],
			   const char *const *texts, size_t n)
{
	size_t len = 0, at = 0;
	struct digest d;
	uint8_t *all;

	for (size_t i = 0; i < n; i++)
		len += strlen(texts[i]) + 1;
	all = xcalloc(len + 1, 1);
	for (size_t i = 0; i < n; i++) {
		size_t size = strlen(texts[i]) + 1;

		memcpy(all + at, texts[i], size);
		at += size;
	}
	if (HMAC(EVP_sha256(), key, DIGEST_LEN, all, len, d.bytes, NULL) ==
	    NULL)
		abort();
	explicit_bzero(all, len);
	free(all);
	return d;
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	return CRYPTO_memcmp(a->bytes, b->bytes, DIGEST_LEN) == 0;
}

void digest_format(const struct digest *d, char text[SECRET_TEXT])
{
	format(d->bytes, text);
}

bool digest_parse(const char *text, struct digest *ret)
{
	struct digest d = { 0 };

	if (strlen(text) != SECRET_TEXT - 1)
		return false;
	for (size_t i = 0; i < SECRET_TEXT - 1; i++) {
		const char *digit = strchr(hex, text[i]);

		if (digit == NULL)
			return false;
		d.bytes[i / 2] = (uint8_t)(d.bytes[i / 2] << 4 |
					   (digit - hex));
	}
	*ret = d;
	return true;
}
