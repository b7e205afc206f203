/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An event, or the status of a service, of the saved guide in binary form,
 * which is much faster to read than the JSON of former versions.
 *
 * A record is its kind, the length of its body (32 bits, big-endian, as all
 * numbers), the body, and a line feed.  A reader skips a record of a kind that
 * it does not know, so a later version may add kinds.  The body of a status
 * begins with the version of its format; a status of another version cannot be
 * read.
 *
 * Pure.
 */
#pragma once

#include "common/base/buf.h"
#include "worker/epg/guide.h"
#include "worker/epg/guide_event.h"

enum {
	GUIDE_RECORD = 0x01, /* kind of a record: an event */
	GUIDE_STATUS_RECORD = 0x02, /* kind of a record: status of a service */
	/* The highest kind, also of later versions.  No line of JSON begins
	 * with a byte up to this value. */
	GUIDE_RECORD_LAST = 0x08,
	GUIDE_RECORD_HEAD = 5, /* bytes of kind and length */
};

void guide_record_write(struct buf *, const char *stream, uint16_t number,
			const struct guide_event *);

/* Reads the body of an event, which may have any content.  NULL: it is not an
 * event.  *ret_stream points into the body. */
struct guide_event *guide_record_read(const uint8_t *body, size_t len,
				      const char **ret_stream,
				      uint16_t *ret_number);

void guide_status_record_write(struct buf *, const struct guide_status *);
/* Reads the body of a status, which may have any content; false: it is not a
 * status. */
bool guide_status_record_read(const uint8_t *body, size_t len,
			      struct guide_status *ret);
