/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The playlist of the play paths, as M3U8 and XSPF.
 *
 * Names are text of operators: what they contain never ends a line, a value or
 * an element of the playlist.
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
	const char *base;  /* "http://host:8100" */
	const char *query; /* "?token=abc", behind every address; "": none */
	bool guide;        /* there is a programme guide at the base */
	/* May this viewer watch the stream?  NULL: every one. */
	bool (*may_watch)(const json_t *stream, void *arg);
	void *arg;
};

/* Appends the playlist of the enabled streams, ordered by lcn and name. */
void playlist_write(struct buf *, const json_t *document,
		    const struct playlist_request *);

/* The channels of the same streams, in this order, as a new reference to a list
 * of {"stream", "id", "name", "number", "icon"}: texts, which may be empty. */
json_t *playlist_channels(const json_t *document,
			  const struct playlist_request *);

enum { PLAYLIST_BASE_MAX = 300, PLAYLIST_QUERY_MAX = 1024 };

/* Makes the base from the header Host of the request, and from the port of the
 * play paths, if they have one.  False: it is no name or address. */
bool playlist_base(char ret[PLAYLIST_BASE_MAX], const char *host, bool secure,
		   const struct play_conf *);

/* Appends "&key=value", or with '?' the first time, with the value in percent
 * encoding; nothing if it does not fit. */
void playlist_query_add(char query[PLAYLIST_QUERY_MAX], const char *key,
			const char *value);
