/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads PAT and EIT of one stream from its ring into the guide.
 *
 * Trusts nothing in the ring.  Owns the descriptor; borrows the guide.
 */
#pragma once

#include "worker/epg/guide.h"

struct epg_stream;

/* ring is taken.  NULL: the ring is damaged, and was closed. */
struct epg_stream *epg_stream_new(const char *id, int ring, struct guide *);
/* NULL-safe; sets *s to NULL. */
void epg_stream_free(struct epg_stream **);

const char *epg_stream_id(const struct epg_stream *);

/* Reads at most *max bytes, and takes them and the work on their events
 * (guide_take_work()) off *max.  Returns the number of sections that changed
 * events, or -EIO: the ring is damaged. */
int epg_stream_read(struct epg_stream *, size_t *max, int64_t now_s);

/* Packets that the writer overwrote before they were read. */
uint64_t epg_stream_lost(const struct epg_stream *);
