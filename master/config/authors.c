/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/authors.h"

#include "common/base/alloc.h"

#include <stdio.h>
#include <string.h>

void authors_next(struct authors *a, const char *login)
{
	(void)snprintf(a->next, sizeof a->next, "%s",
		       login != NULL && strcmp(login, "-") != 0 ? login : "");
}

void authors_add(struct authors *a)
{
	revisions_add_authors(a->list, a->next);
}

char *authors_take(struct authors *a)
{
	char *list = a->list[0] != '\0' ? xstrdup(a->list) : NULL;

	a->list[0] = '\0';
	return list;
}
