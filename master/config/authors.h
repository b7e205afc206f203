/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The logins that changed the configuration since its last save.  Embedded,
 * pure; zeroed memory has none. */
#pragma once

#include "common/account/user.h"
#include "common/document/revisions.h"

struct authors {
	char next[USER_LOGIN_MAX + 1]; /* makes the next changes; "": unknown */
	char list[REVISION_AUTHOR_MAX + 1]; /* "olga, carl", each once */
};

/* The next changes are this user's; NULL, or "-" without accounts: unknown. */
void authors_next(struct authors *, const char *login);

/* That user has made a change. */
void authors_add(struct authors *);

/* The list, from malloc(), which is empty then; NULL: it was. */
char *authors_take(struct authors *);
