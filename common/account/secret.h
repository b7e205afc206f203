/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes random secrets, and the digests by which the service recognises them:
 * it stores no secret itself.
 *
 * Comparing digests takes the same time for every guess.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SECRET_TEXT = 64 + 1,   /* 32 bytes in hex, and the NUL */
	/* 16 characters of secret_new_password(), and the NUL */
	PASSWORD_TEXT = 16 + 1,
	DIGEST_LEN = 32,
};

struct digest {
	uint8_t bytes[DIGEST_LEN];
};

/* Makes a secret of 256 random bits of the kernel, as 64 lower-case hex
 * characters. */
void secret_new(char text[SECRET_TEXT]);

/* Makes a password of 80 random bits, of letters and digits of which no two
 * look alike. */
void secret_new_password(char text[PASSWORD_TEXT]);

/* Fills data with random bytes of the kernel.  The process ends if there are
 * none. */
void secret_random(void *data, size_t len);

/* The SHA-256 of the text. */
struct digest digest_of(const char *text);

/* HMAC-SHA-256 of the texts.  It covers the end of each text, so that no two
 * lists have the same bytes.  Erases its copy of the texts. */
struct digest digest_keyed(const uint8_t key[DIGEST_LEN],
			   const char *const *texts, size_t n);

/* Are both digests equal?  Takes the same time for all digests. */
bool digest_equal(const struct digest *, const struct digest *);

/* digest_format() writes a digest as hex; digest_parse() reads it (lower case;
 * false for any other text). */
void digest_format(const struct digest *, char text[SECRET_TEXT]);
bool digest_parse(const char *text, struct digest *ret);
