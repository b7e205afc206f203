/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/write_roots.h"

#include "master/config/write_paths.h"
#include "master/setup/options.h"

#include <stdlib.h>
#include <string.h>

struct write_paths *write_roots_open(const struct options *o,
				     const json_t *document)
{
	struct write_paths *p = write_paths_new();
	const char *state = getenv("STATE_DIRECTORY");

	/* of several the first has the state of the service itself */
	if (state != NULL && strchr(state, ':') != NULL)
		state = strchr(state, ':');
	for (size_t i = 0; i < o->n_allow_paths; i++)
		write_paths_add(p, o->allow_paths[i]);
	write_paths_add(p, state);
	write_paths_add(p, getenv("LOGS_DIRECTORY"));
	write_paths_add_file(p, o->log_file);
	write_paths_add_document(p, document);
	return p;
}
