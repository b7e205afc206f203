/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The master playlist of a group of streams (hls_group), for a viewer. */
#pragma once

#include "common/base/buf.h"

struct api;
struct viewer_guest;

/* Appends the playlist, with the variants of the group that the guest may watch
 * and that can be played.  Returns 200; 404: there is no such group; 403: the
 * guest may watch none of its variants; 503: none of these can be played
 * now. */
int variants_write(struct api *, const char *group,
		   const struct viewer_guest *, const char *query,
		   struct buf *);
