/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Playlists of a session: with the setting hls_session_playlists the path
 * /play/ID/index.m3u8 has a list of one variant, whose path is that of a
 * session, /play/ID/SESSION.m3u8.  Its segments are at /play/ID/SESSION/, so
 * each request names its session.  Each list names a new session.
 *
 * The number of a session gives no permission: requests with a number are
 * judged as those without.  hls_sessions.h says which numbers are valid.
 */
#pragma once

#include "proto/wire/http_request.h"

#include <stdbool.h>
#include <stdint.h>

struct mount;
struct viewer_conn;

/* True if the path is that of a session's playlist: changes it to the path of
 * the stream's playlist, which is not longer, and returns the session. */
bool hls_session_path(char *path, uint64_t *ret);

/* Answers with the list whose variant is c->hls.session.  False: the stream has
 * no segment yet. */
bool hls_index_answer(struct viewer_conn *c, const struct http_request *,
		      struct mount *);
