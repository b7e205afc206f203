/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The packets of a source that an input did not read, between those that it
 * read: so the places of packets in the source remain known.
 */
#pragma once

#include "worker/ts/packet.h"

struct ts_skips {
	const uint8_t *data; /* the packets of a read, in a row */
	size_t n;
	/* the packets that were skipped in front of each of them */
	const uint32_t *before;
};

/* The skips in front of the packets of a run; NULL: another stage has moved the
 * packets, and their places are not known. */
static inline const uint32_t *ts_skips_of(const struct ts_skips *s,
					  struct ts_run run)
{
	uintptr_t from = (uintptr_t)s->data, at = (uintptr_t)run.data;

	if (at < from || at + run.n * TS_PACKET > from + s->n * TS_PACKET)
		return NULL;
	return s->before + (at - from) / TS_PACKET;
}
