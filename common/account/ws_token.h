/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One-time tokens, with which clients open the event channel (WebSocket).
 *
 * A token is good for one handshake within a minute.  Only digests are kept, in
 * memory alone.  Pure: the caller passes the monotonic time.
 */
#pragma once

#include "common/base/util.h"
#include "common/account/secret.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	WS_TOKEN_LIFE_MS = 60 * 1000,
	WS_TOKENS_PER_LOGIN = 16,
};

struct ws_tokens;

struct ws_tokens *ws_tokens_new(void);
/* NULL-safe; sets *t to NULL. */
void ws_tokens_free(struct ws_tokens **);

/* The user of a token. */
struct ws_token {
	const char *login;
	struct digest stamp; /* user_stamp() when the token was issued */
};

/* Writes a new token to text.  Above WS_TOKENS_PER_LOGIN it replaces the oldest
 * token of the login. */
void ws_tokens_issue(struct ws_tokens *, const struct ws_token *,
		     uint64_t now_ms, char text[SECRET_TEXT]);

/* Removes the token; false when it is unknown or expired.  The caller frees
 * ret->login. */
bool ws_tokens_redeem(struct ws_tokens *, const char *text, uint64_t now_ms,
		      struct ws_token *ret);

/* Drops the tokens for which keep() is false. */
void ws_tokens_sift(struct ws_tokens *,
		    bool (*keep)(const struct ws_token *, void *arg),
		    void *arg);
