/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/authors.h"

#include "common/base/alloc.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool has(const char *list, const char *login)
{
	size_t len = strlen(login);

	for (const char *at = list; (at = strstr(at, login)) != NULL; at++)
		if ((at == list || at[-1] == ' ') &&
		    (at[len] == '\0' || at[len] == ','))
			return true;
	return false;
}

void authors_next(struct authors *a, const char *login)
{
	(void)snprintf(a->next, sizeof a->next, "%s",
		       login != NULL && strcmp(login, "-") != 0 ? login : "");
}

void authors_add(struct authors *a)
{
	size_t len = strlen(a->list);

	if (a->next[0] == '\0' || has(a->list, a->next) ||
	    len + strlen(a->next) + 2 >= sizeof a->list)
		return;
	(void)snprintf(a->list + len, sizeof a->list - len, "%s%s",
		       len > 0 ? ", " : "", a->next);
}

char *authors_take(struct authors *a)
{
	char *list = a->list[0] != '\0' ? xstrdup(a->list) : NULL;

	a->list[0] = '\0';
	return list;
}
