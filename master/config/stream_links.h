/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the inputs that read another stream (stream://ID).  Pure. */
#pragma once

#include "proto/spec/io_spec.h"

#include <jansson.h>

/* Writes the id of the stream that an input address (may be NULL) reads; "":
 * it is no stream:// input, or its id is too long. */
void stream_link_read(const char *address, char ret[IO_FEED_MAX + 1]);

/* Returns the stream with inputs that read `to` instead of `from`, a new
 * reference; NULL: no input reads `from`. */
json_t *stream_links_rename(const json_t *stream, const char *from,
			    const char *to);

/* Returns the ids of the enabled streams or adapters of the list that read this
 * stream, as text "b, c"; of many, the first ten and the number of the others.
 * NULL: none.  free() it. */
char *stream_links_readers(const json_t *list, const char *id);
/* As stream_links_readers(), for the enabled streams that read this adapter. */
char *stream_links_fed(const json_t *streams, const char *adapter);
