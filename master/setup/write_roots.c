/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/write_roots.h"

#include "common/base/alloc.h"
#include "master/config/write_paths.h"
#include "master/setup/options.h"
#include "master/setup/state_path.h"

#include <stdlib.h>
#include <string.h>

/* Allows the folders of STATE_DIRECTORY, without the one that has the state,
 * unless it is the only one. */
static void add_recordings(struct write_paths *p, const char *folders)
{
	size_t len;
	const char *state = state_folder(folders, &len);
	char *copy;

	if (state == NULL || strchr(folders, ':') == NULL) {
		write_paths_add(p, folders);
		return;
	}
	copy = xstrdup(folders);
	memset(copy + (state - folders), ':', len);
	write_paths_add(p, copy);
	free(copy);
}

struct write_paths *write_roots_own(const struct options *o)
{
	size_t len;
	const char *state = state_folder(getenv("STATE_DIRECTORY"), &len);
	char *folder = state != NULL ? xasprintf("%.*s", (int)len, state)
				     : NULL;
	struct write_paths *p = write_paths_own(o->config_path, folder);

	free(folder);
	return p;
}

struct write_paths *write_roots_open(const struct options *o,
				     const json_t *document)
{
	struct write_paths *p = write_paths_new();
	for (size_t i = 0; i < o->n_allow_paths; i++)
		write_paths_add(p, o->allow_paths[i]);
	add_recordings(p, getenv("STATE_DIRECTORY"));
	write_paths_add(p, getenv("LOGS_DIRECTORY"));
	write_paths_add_file(p, o->log_file);
	write_paths_set_document(p, document);
	return p;
}
