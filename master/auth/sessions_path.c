/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/auth/sessions_path.h"

#include "common/alloc.h"

#include <string.h>

char *sessions_path(const char *config_path, const char *state_directory)
{
	if (config_path == NULL)
		return NULL;
	if (state_directory != NULL && state_directory[0] == '/')
		return xasprintf("%.*s/sessions.json",
				 (int)strcspn(state_directory, ":"),
				 state_directory);
	return xasprintf("%s.sessions", config_path);
}
