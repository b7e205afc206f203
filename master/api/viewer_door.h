/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers requests of viewers at the control port: playlists, the guide and the
 * play paths.  Deliver takes their connections over.
 *
 * Credentials of the control interface do not count here, and deliver does not
 * receive them: it gets a head with only the header lines that it uses.
 */
#pragma once

#include "common/http/server.h"

#include <stdbool.h>

struct api;
struct list_question;
struct viewer_guest;

/* True: the request is that of a viewer, and was answered or handed to
 * deliver. */
bool viewer_door_take(struct api *, struct http_conn *,
		      const struct http_request *);

/* A viewers_list_fn (arg: struct api): answers a client of deliver with a
 * playlist or the programme guide. */
void viewer_door_list(struct list_question *, struct viewer_guest *, void *arg);
