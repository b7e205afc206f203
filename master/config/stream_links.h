/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inputs that read another stream: stream://ID.  Pure. */
#pragma once

#include "proto/spec/io_spec.h"

#include <jansson.h>

/* Writes the stream that an input address reads; "" for another kind of input,
 * and for NULL. */
void stream_link_read(const char *address, char ret[IO_FEED_MAX + 1]);

/* The stream with inputs that read `to` where they read `from`, a new
 * reference; NULL: no input reads `from`. */
json_t *stream_links_rename(const json_t *stream, const char *from,
			    const char *to);

/* The ids of the enabled streams or adapters of the list that read this stream,
 * "b, c"; of many only the first.  NULL: none.  free() it. */
char *stream_links_readers(const json_t *list, const char *id);
/* The same of the enabled streams that read this adapter. */
char *stream_links_fed(const json_t *streams, const char *adapter);
