/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/state_path.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

const char *state_folder(const char *state_directory, size_t *len)
{
	static const char end[] = "-state";
	const size_t n = sizeof end - 1;
	const char *folder = state_directory;

	while (folder != NULL) {
		*len = strcspn(folder, ":");
		if (folder[0] == '/' && *len > n &&
		    memcmp(folder + *len - n, end, n) == 0)
			return folder;
		folder = folder[*len] == ':' ? folder + *len + 1 : NULL;
	}
	if (state_directory == NULL || state_directory[0] != '/')
		return NULL;
	*len = strcspn(state_directory, ":");
	return state_directory;
}

char *state_path(const char *config_path, const char *state_directory,
		 const char *name)
{
	const char *folder;
	size_t len;

	if (config_path == NULL)
		return NULL;
	folder = state_folder(state_directory, &len);
	if (folder != NULL)
		return xasprintf("%.*s/%s.json", (int)len, folder, name);
	return xasprintf("%s.%s", config_path, name);
}

char *state_file(const char *config_path, const char *name)
{
	return state_path(config_path, getenv("STATE_DIRECTORY"), name);
}
