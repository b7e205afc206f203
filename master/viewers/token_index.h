/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the login that a token belongs to.
 *
 * The table has keyed hashes of the tokens, under a random key, and compares
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

/* Adds a token (copied as a hash) of a login (copied).  Of two equal tokens the
 * first one counts. */
void token_index_put(struct token_index *, const char *token,
		     const char *login);
/* Removes it again, if it is there. */
void token_index_remove(struct token_index *, const char *token,
			const char *login);

/* The login, borrowed until the next change, or NULL. */
const char *token_index_find(const struct token_index *, const char *token);
