/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What viewers ask of the control port: playlists, the guide and the play
 * paths.  Deliver takes their connections over.
 *
 * No credential of the control interface counts here, and none reaches deliver:
 * it gets a head with the lines that it knows.
 */
#pragma once

#include "common/http/server.h"

#include <stdbool.h>

struct api;
struct list_question;
struct viewer_guest;

/* True: the request is one of a viewer, and has its answer or its way. */
bool viewer_door_take(struct api *, struct http_conn *,
		      const struct http_request *);

/* The playlists and the programme guide for a client of deliver:
 * viewers_list_fn, for the struct api. */
void viewer_door_list(struct list_question *, struct viewer_guest *, void *arg);
