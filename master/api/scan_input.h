/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the input of a stream that scan-init names. */
#pragma once

#include "master/api/command.h"

struct scan_input {
	const char *stream; /* id of the stream, borrowed; NULL: none */
	unsigned position; /* position of the input, from 1 */
};

/* Finds the input of an enabled stream by its address in the form in which an
 * observer receives it; .stream NULL: none.  A full address is not found if
 * observers receive a shortened one, so that an observer cannot guess it. */
struct scan_input scan_input_shown(const struct api *, const char *text);

/* Reads {stream, input} of a request.  .stream NULL: the reply already has the
 * error. */
struct scan_input scan_input_read(const struct api *, const json_t *scan,
				  struct reply *);
