/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The playlist of the play paths (play_conf.h), as M3U8 and XSPF.
 *
 * Names are texts of operators.  No character in them can end a line, a value
 * or an element of the playlist.
 *
 * Pure.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct play_conf;

enum playlist_format { PLAYLIST_M3U8, PLAYLIST_XSPF };

struct playlist_request {
	enum playlist_format format;
	const struct play_conf *play;
	/* begin of each address, such as "http://host:8100" */
	const char *base;
	/* "?token=abc", appended to every address; "": none */
	const char *query;
	bool guide;        /* the base serves a programme guide */
	/* True: this viewer may watch the stream.  NULL: every viewer may. */
	bool (*may_watch)(const json_t *stream, void *arg);
	void *arg;
};

/* Appends the playlist of the enabled streams that the viewer may watch,
 * ordered by lcn and name. */
void playlist_write(struct buf *, const json_t *document,
		    const struct playlist_request *);

/* Returns the channels of the same streams, in this order: a new list of
 * {"stream", "id", "name", "number", "icon"}; the texts may be empty. */
json_t *playlist_channels(const json_t *document,
			  const struct playlist_request *);

enum { PLAYLIST_BASE_MAX = 300, PLAYLIST_QUERY_MAX = 1024 };

/* Makes the base from the header Host of the request, with the port of the play
 * paths, if they have one.  False: Host is no name or address. */
bool playlist_base(char ret[PLAYLIST_BASE_MAX], const char *host, bool secure,
		   const struct play_conf *);

/* Appends "&key=value" (the first one with '?'), with the value
 * percent-encoded; appends nothing if it does not fit. */
void playlist_query_add(char query[PLAYLIST_QUERY_MAX], const char *key,
			const char *value);
