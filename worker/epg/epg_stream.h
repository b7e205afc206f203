/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads PAT, SDT and EIT of one stream from its ring buffer into the guide.
 *
 * The content of the ring is untrusted.  Owns the descriptor of the ring;
 * borrows the guide.
 */
#pragma once

#include "worker/epg/guide.h"

struct epg_stream;

/* Takes `ring', the descriptor of the ring.  NULL: the ring is damaged, and
 * `ring' was closed. */
struct epg_stream *epg_stream_new(const char *id, int ring, struct guide *);
/* NULL-safe; sets *s to NULL. */
void epg_stream_free(struct epg_stream **);

const char *epg_stream_id(const struct epg_stream *);

/* Reads at most *max bytes, and subtracts them and the work on their events
 * (guide_take_work()) from *max.  Returns the number of sections for which
 * guide_take_section() or guide_take_sdt() returned true, or -EIO: the ring is
 * damaged. */
int epg_stream_read(struct epg_stream *, size_t *max, int64_t now_s);

/* The number of packets that the writer overwrote before they were read. */
uint64_t epg_stream_lost(const struct epg_stream *);
