/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes elements of XMLTV (xmltv.dtd).
 *
 * Texts may have any bytes: bytes that are not a character of XML 1.0 are
 * omitted, and characters that would end an element or attribute are escaped.
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

/* Write the parts of a document.  Call xmltv_begin(), xmltv_channel() for each
 * channel, xmltv_programme() for each programme, xmltv_end(). */
void xmltv_begin(struct buf *);
void xmltv_channel(struct buf *, const struct xmltv_channel *);
/* Writes nothing for an event without a title. */
void xmltv_programme(struct buf *, const char *channel,
		     const struct guide_event *);
void xmltv_end(struct buf *);
