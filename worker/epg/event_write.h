/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes an event of the guide as EIT has it (EN 300 468 5.2.4): short and
 * extended event, content, parental rating.
 *
 * Pure.
 */
#pragma once

#include "proto/si/text.h"
#include "worker/epg/guide_event.h"
#include "worker/remux/section_writer.h"

#include <stdbool.h>

struct event_format {
	/* of texts that it can write, some with stand-ins; others are in the
	 * table of text_table_for() */
	enum text_table table;
	char country[4]; /* of the rating: three letters; "": no rating */
};

enum { EVENT_HEAD = 12, EVENT_MAX = 4078 /* of a section */ };

/* Writes the event with this running_status; returns its length, at most
 * EVENT_MAX.  Texts without room are cut; *cut grows by their number. */
size_t event_write(const struct guide_event *, const struct event_format *,
		   unsigned running, uint8_t ret[EVENT_MAX], size_t *cut);
