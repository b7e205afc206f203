/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the coded pictures of a stream in its packets: the payload of the first
 * PES units of its video.
 *
 * Pure: reads the packets of a source, which are hostile.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* A frame of two fields may take two units, and the unit after it shows
	 * that it is complete. */
	PICTURE_UNITS = 3,
	PICTURE_UNIT_MAX = 4 * 1024 * 1024, /* bytes of one unit */
	/* Zeros behind each unit, which a decoder may read. */
	PICTURE_PADDING = 64,
};

struct picture_unit {
	uint8_t *data; /* len bytes, and the padding; size bytes in all */
	size_t len, size;
};

/* Embedded; zeroed memory is empty. */
struct picture_units {
	uint8_t coding; /* stream_type of the video */
	size_t n;
	struct picture_unit list[PICTURE_UNITS];
	bool complete; /* the last unit does not wait for more packets */
};

/* Takes n packets from a random access point on, with their tables in front of
 * them.  0; -EAGAIN: no picture has begun yet; -ENOENT: there is none to wait
 * for; both with error. */
int picture_units_read(struct picture_units *ret, const uint8_t *packets,
		       size_t n, struct errmsg *error) MUST_CHECK;
void picture_units_done(struct picture_units *);
