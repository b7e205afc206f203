/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/private.h"

#include "proto/ipc/contract.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Is the path of len bytes the folder, or below it? */
static bool is_below(const char *path, size_t len, const char *folder,
		     size_t folder_len)
{
	/* "/" ends with what separates */
	if (folder_len == 1)
		return true;
	return len >= folder_len && memcmp(path, folder, folder_len) == 0 &&
	       (len == folder_len || path[folder_len] == '/');
}

/* The first private folder; *ret_len is its length.  NULL: there is none. */
static const char *first(size_t *ret_len)
{
	const char *list = getenv(WORKER_PRIVATE_VARIABLE);

	if (list != NULL)
		*ret_len = strcspn(list, "\n");
	return list;
}

static const char *next(const char *at, size_t *len)
{
	at += *len;
	if (*at == '\0')
		return NULL;
	at++;
	*len = strcspn(at, "\n");
	return at;
}

bool private_has(const char *path)
{
	size_t len;

	for (const char *at = first(&len); at != NULL; at = next(at, &len))
		if (is_below(path, strlen(path), at, len))
			return true;
	return false;
}

bool private_is_in(const char *folder)
{
	char real[PATH_MAX];
	size_t len;

	if (realpath(folder, real) == NULL)
		return false;
	for (const char *at = first(&len); at != NULL; at = next(at, &len))
		if (is_below(at, len, real, strlen(real)))
			return true;
	return false;
}
