/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the files that users of the control interface may choose for the
 * service to write. */
#pragma once

#include <jansson.h>

struct options;
struct write_paths;

/* Returns the files that the command line, the service manager and the
 * document, as it was read from the file, permit; for write_paths_free(). */
struct write_paths *write_roots_open(const struct options *,
				     const json_t *document);

/* Returns the folders with configuration and state of the service, see
 * write_paths_own(). */
struct write_paths *write_roots_own(const struct options *);
