/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes requests of viewers at the control port: for playlists, the guide and
 * play paths.  Passes their connections to a deliver worker, which answers.
 *
 * Credentials of the control interface do not authorize a viewer, and deliver
 * does not receive them: it gets a new head with only the header lines that it
 * uses.
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
