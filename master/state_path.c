/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/state_path.h"

#include "common/base/alloc.h"

#include <string.h>

char *state_path(const char *config_path, const char *state_directory,
		 const char *name)
{
	if (config_path == NULL)
		return NULL;
	if (state_directory != NULL && state_directory[0] == '/')
		return xasprintf("%.*s/%s.json",
				 (int)strcspn(state_directory, ":"),
				 state_directory, name);
	return xasprintf("%s.%s", config_path, name);
}
