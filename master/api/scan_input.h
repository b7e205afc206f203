/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input of a stream that scan-init names. */
#pragma once

#include "master/api/command.h"

struct scan_input {
	const char *stream; /* its id, borrowed; NULL: none */
	unsigned position; /* from 1 */
};

/* Finds the input of an enabled stream that an observer names by the address
 * that it has received.  Whether a guess is the whole address shows in no
 * reply. */
struct scan_input scan_input_shown(const struct api *, const char *text);

/* {stream, input}; .stream is NULL after a reply. */
struct scan_input scan_input_read(const struct api *, const json_t *scan,
				  struct reply *);
