/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the packets of a source that an input skipped between those that it
 * read, so that the position of each packet in the source remains known.
 */
#pragma once

#include "worker/ts/packet.h"

struct ts_skips {
	const uint8_t *data; /* the packets of one read, without gaps */
	size_t n;            /* packets in data */
	/* for each packet in data: the number of packets that were skipped in
	 * front of it */
	const uint32_t *before;
};

/* Returns the counts in `before' of the packets of a run.  NULL: the run is not
 * in data, because another stage has copied it. */
static inline const uint32_t *ts_skips_of(const struct ts_skips *s,
					  struct ts_run run)
{
	uintptr_t from = (uintptr_t)s->data, at = (uintptr_t)run.data;

	if (at < from || at + run.n * TS_PACKET > from + s->n * TS_PACKET)
		return NULL;
	return s->before + (at - from) / TS_PACKET;
}
