/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes elements of XMLTV (xmltv.dtd).
 *
 * Text has any bytes: those that are no characters of XML 1.0 are omitted, and
 * no text ends its element or attribute.
 *
 * Pure.
 */
#pragma once

#include "common/base/buf.h"
#include "worker/epg/guide_event.h"

struct xmltv_channel {
	const char *id;
	const char *name, *number, *icon; /* "": none */
};

/* The document: begin, all channels, all programmes, end. */
void xmltv_begin(struct buf *);
void xmltv_channel(struct buf *, const struct xmltv_channel *);
/* Nothing for an event without a title. */
void xmltv_programme(struct buf *, const char *channel,
		     const struct guide_event *);
void xmltv_end(struct buf *);
