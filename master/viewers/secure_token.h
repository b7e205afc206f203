/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks a secure token: SHA1 "-" SALT "-" END "-" START, where SHA1 is the
 * hash of channel id, client address, START, END, secret and SALT, without
 * anything between them.
 *
 * START and END are Unix times of ten decimal digits, END the first second in
 * which the token is not valid, after START.  The clocks of the two hosts may
 * differ by SECURE_TOKEN_SKEW_S.  Pure.
 */
#pragma once

#include <stdint.h>

enum {
	SECURE_TOKEN_SKEW_S = 30,
	SECURE_TOKEN_SALT_MAX = 64,
};

enum secure_token {
	SECURE_TOKEN_NONE,  /* the text is no secure token */
	SECURE_TOKEN_VALID,
	/* the hash is that of another address, stream, time or secret */
	SECURE_TOKEN_WRONG,
	SECURE_TOKEN_EXPIRED,
	SECURE_TOKEN_EARLY, /* the token is not valid yet */
};

struct secure_token_question {
	const char *secret;
	const char *token;
	const char *stream;  /* id of the stream */
	const char *address; /* address of the client, as text */
	int64_t now_s;
};

/* Checks a token.  VALID: *ret_until_s is the time at which it expires, with
 * the permitted difference of the clocks. */
enum secure_token secure_token_check(const struct secure_token_question *,
				     int64_t *ret_until_s);
