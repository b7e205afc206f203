/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the login of a token.
 *
 * The table has keyed hashes of the tokens, with a random key, and compares
 * them in constant time: neither the time of a search nor chosen tokens reveal
 * anything about the stored ones.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>

struct token_index;

struct token_index *token_index_new(void);
/* NULL-safe; sets *t to NULL. */
void token_index_free(struct token_index **);

/* Adds a token (as a hash) of a login (copied).  If two logins have the same
 * token, token_index_find() returns the login that was added first. */
void token_index_put(struct token_index *, const char *token,
		     const char *login);
/* Removes a token of this login, if the table has it. */
void token_index_remove(struct token_index *, const char *token,
			const char *login);

/* Returns the login of a token, borrowed until the next change; NULL: none. */
const char *token_index_find(const struct token_index *, const char *token);
