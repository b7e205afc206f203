/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes an event of the guide in the form of an EIT (EN 300 468 5.2.4), with
 * the descriptors of short and extended event, content and parental rating.
 *
 * Pure.
 */
#pragma once

#include "proto/si/text.h"
#include "worker/epg/guide_event.h"
#include "worker/remux/section_writer.h"

#include <stdbool.h>

struct event_format {
	/* wanted character table; texts that it cannot represent use the one
	 * that text_table_for() finds */
	enum text_table table;
	char country[4]; /* country code of the parental rating, three letters;
			  * "": no rating is written */
};

/* bytes of an event: in front of its descriptors, and at most in a section */
enum { EVENT_HEAD = 12, EVENT_MAX = 4078 };

/* Writes the event with this running_status; returns its length, at most
 * EVENT_MAX.  Texts that have no room are cut; *cut is increased by their
 * number. */
size_t event_write(const struct guide_event *, const struct event_format *,
		   unsigned running, uint8_t ret[EVENT_MAX], size_t *cut);
