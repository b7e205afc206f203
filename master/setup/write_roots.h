/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that the start lets the control interface choose for writing. */
#pragma once

#include <jansson.h>

struct options;
struct write_paths;

/* The files that the command line, the service manager and the document, as it
 * was read from the file, name. */
struct write_paths *write_roots_open(const struct options *,
				     const json_t *document);

/* The folders with its configuration and state, see write_paths_own(). */
struct write_paths *write_roots_own(const struct options *);
