/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the logins of the users who changed the configuration since its last
 * save.  Embedded, pure; zeroed memory has none. */
#pragma once

#include "common/account/user.h"
#include "common/document/revisions.h"

struct authors {
	/* login for the next changes; "": unknown */
	char next[USER_LOGIN_MAX + 1];
	/* the logins, each once: "olga, carl" */
	char list[REVISION_AUTHOR_MAX + 1];
};

/* Sets the login for the next changes; NULL, or "-" without accounts:
 * unknown. */
void authors_next(struct authors *, const char *login);

/* Adds the login of authors_next() to the list: its user has made a change. */
void authors_add(struct authors *);

/* Returns the list, from malloc(), and empties it; NULL: it was empty. */
char *authors_take(struct authors *);
