/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The master playlist of a group of streams (hls_group), for a viewer. */
#pragma once

#include "common/base/buf.h"

struct api;
struct viewer_guest;

/* Appends the playlist, with the variants that the guest may watch and that can
 * be played.  Returns 200; 404: no such group; 403: the guest may watch none of
 * them; 503: none can be played now. */
int variants_write(struct api *, const char *group,
		   const struct viewer_guest *, const char *query,
		   struct buf *);
