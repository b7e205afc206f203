/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/private.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "proto/ipc/contract.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Is the path, of len bytes, that of the folder or below it? */
static bool is_below(const char *path, size_t len, const char *folder,
		     size_t folder_len)
{
	/* the folder is "/": it contains every path */
	if (folder_len == 1)
		return true;
	return len >= folder_len && memcmp(path, folder, folder_len) == 0 &&
	       (len == folder_len || path[folder_len] == '/');
}

/* The first folder in a variable; *ret_len is its length.  NULL: the variable
 * has none. */
static const char *first(const char *variable, size_t *ret_len)
{
	const char *list = getenv(variable);

	if (list == NULL || list[0] == '\0')
		return NULL;
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

/* Resolves the symbolic links of a folder, whose name has len bytes; false:
 * they cannot be resolved. */
static bool resolve(const char *folder, size_t len, char ret[PATH_MAX])
{
	char name[PATH_MAX];

	if (len >= sizeof name)
		return false;
	memcpy(name, folder, len);
	name[len] = '\0';
	return realpath(name, ret) != NULL;
}

bool private_has(const char *path)
{
	size_t len;

	for (const char *at = first(WORKER_PRIVATE_VARIABLE, &len); at != NULL;
	     at = next(at, &len))
		if (is_below(path, strlen(path), at, len))
			return true;
	return false;
}

bool private_is_in(const char *folder)
{
	const char *key = getenv(WORKER_KEY_VARIABLE);
	char real[PATH_MAX], key_real[PATH_MAX];
	size_t len;

	if (realpath(folder, real) == NULL)
		return false;
	for (const char *at = first(WORKER_PRIVATE_VARIABLE, &len); at != NULL;
	     at = next(at, &len))
		if (is_below(at, len, real, strlen(real)))
			return true;
	return key != NULL && realpath(key, key_real) != NULL &&
	       is_below(key_real, strlen(key_real), real, strlen(real));
}

bool private_is_key(const char *file)
{
	const char *key = getenv(WORKER_KEY_VARIABLE);
	struct stat a, b;

	return key != NULL && stat(key, &a) == 0 && stat(file, &b) == 0 &&
	       fd_same_file(&a, &b);
}

void private_forget_recordings(const char *folder)
{
	const char *before = getenv(WORKER_RECORDINGS_VARIABLE);
	size_t len, n = 0, folder_len = strlen(folder);
	char *kept;

	if (before == NULL)
		return;
	kept = xcalloc(1, strlen(before) + 1);
	for (const char *at = first(WORKER_RECORDINGS_VARIABLE, &len);
	     at != NULL; at = next(at, &len)) {
		if (len == folder_len && memcmp(at, folder, len) == 0)
			continue;
		if (n > 0)
			kept[n++] = '\n';
		memcpy(kept + n, at, len);
		n += len;
	}
	(void)setenv(WORKER_RECORDINGS_VARIABLE, kept, 1);
	free(kept);
}

bool private_has_recordings(const char *folder)
{
	char real[PATH_MAX], one[PATH_MAX];
	size_t len;

	if (realpath(folder, real) == NULL)
		return false;
	for (const char *at = first(WORKER_RECORDINGS_VARIABLE, &len);
	     at != NULL; at = next(at, &len))
		if (resolve(at, len, one) &&
		    is_below(one, strlen(one), real, strlen(real)))
			return true;
	return false;
}

/* Is the file, without symbolic links, in a folder of recordings?  "/" stands
 * for all folders. */
static bool is_recording(const char *file)
{
	const size_t folder = (size_t)(strrchr(file, '/') - file);
	char one[PATH_MAX];
	size_t len;

	for (const char *at = first(WORKER_RECORDINGS_VARIABLE, &len);
	     at != NULL; at = next(at, &len))
		if (resolve(at, len, one) &&
		    (strcmp(one, "/") == 0 ||
		     (strlen(one) == folder && memcmp(one, file, folder) == 0)))
			return true;
	return false;
}

bool private_list_may(const char *list, const char *file)
{
	char real[PATH_MAX], folder[PATH_MAX], *slash;

	if (realpath(file, real) == NULL)
		return true;
	if (private_is_key(real))
		return false;
	if (!private_has(real) && !is_recording(real))
		return true;
	if (realpath(list, folder) == NULL ||
	    (slash = strrchr(folder, '/')) == NULL)
		return false;
	*slash = '\0';
	return !private_is_in(folder) &&
	       is_below(real, strlen(real), folder, strlen(folder));
}
