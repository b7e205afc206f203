/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the guide as one JSON object: {"channels": [{"id", "name", "number",
 * "icon"}], "programmes": [{"channel", ...}]}; a programme has the other keys
 * of guide_event_write().
 *
 * Pure.
 */
#pragma once

#include "worker/epg/xmltv_write.h"

#include <stdbool.h>

/* Write the parts of the document.  Call guide_list_begin(),
 * guide_list_channel() for each channel, guide_list_programmes(),
 * guide_list_programme() for each programme, guide_list_end().  first: the
 * element is the first one of its list. */
void guide_list_begin(struct buf *);
void guide_list_channel(struct buf *, const struct xmltv_channel *, bool first);
void guide_list_programmes(struct buf *);
void guide_list_programme(struct buf *, const char *channel,
			  const struct guide_event *, bool first);
void guide_list_end(struct buf *);
