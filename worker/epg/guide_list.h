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

/* The document: begin, all channels, programmes, all programmes, end.  first:
 * the element is the first one of its list. */
void guide_list_begin(struct buf *);
void guide_list_channel(struct buf *, const struct xmltv_channel *, bool first);
void guide_list_programmes(struct buf *);
void guide_list_programme(struct buf *, const char *channel,
			  const struct guide_event *, bool first);
void guide_list_end(struct buf *);
