/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a stream into its ring and marks the points where a reader can join.
 *
 * Inserts PAT and PMTs in front of every random access point and rewrites the
 * continuity counters of their PIDs in the copy.  If the stream has no picture,
 * it marks audio frames; see join_point.h.  In a stream with intra refresh and
 * without random access points, readers begin at the parameter sets of the last
 * refresh.  A pause of the stream does not count as time without a join point.
 *
 * In a ring with earlier packets it continues their counters.
 *
 * Owns its mapping of the ring; borrows the tables.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/output/ring_hls.h"
#include "worker/ts/psi.h"

struct ring_out;

/* Does not take fd.  NULL with *ret_err = -errno if it is no valid ring. */
struct ring_out *ring_out_new(int fd, const struct psi *, int *ret_err);
void ring_out_free(struct ring_out **);

/* Call it before ring_out_free() if another ring_out of this process continues
 * the last picture.  Otherwise that picture counts as torn. */
void ring_out_goes_on(struct ring_out *);

/* Cuts the stream into segments from the next join point on.  The ring grows
 * until it has the segments of a playlist and those that a client may still
 * fetch (RFC 8216 6.2.2), at the rate of the stream.  Call this once, before
 * the first packet. */
void ring_out_set_hls(struct ring_out *, const struct ring_out_hls *);

/* Does the playlist need more segments than the largest ring can hold? */
bool ring_out_is_short(const struct ring_out *);

/* Copies packets.  Readers cannot see them yet, except those of a segment or
 * part that has ended. */
void ring_out_feed(struct ring_out *, const struct ts_run *runs,
		   size_t n_runs, uint64_t now_ns);

/* Returns where readers begin.  *ret_gop_ms: length of the last group of
 * pictures; 0: unknown. */
enum join_kind ring_out_join(const struct ring_out *, uint32_t *ret_gop_ms);

/* The length in ms, in a stream with HLS, of the last group of pictures, or of
 * the current one if that is longer, without the time of an outage; 0: it is
 * unknown, or the stream has no groups of pictures. */
uint32_t ring_out_longest_group(const struct ring_out *);

/* The longest segment of HLS that its target duration permits, ms; 0: not known
 * before the first segment has ended. */
uint32_t ring_out_longest_segment(const struct ring_out *);

/* Returns the bytes from the last random access point on, including the tables
 * in front of it: at most max, and only those that lie next to each other in
 * memory.  NULL: there are none. */
const uint8_t *ring_out_group(const struct ring_out *, size_t max,
			      size_t *ret_len);

/* The latest time of the next ring_out_feed(): then packets that wait for a
 * decision are copied without it, or an outage ends a segment.  UINT64_MAX:
 * neither is due. */
uint64_t ring_out_next_ns(const struct ring_out *);

/* Makes the copied packets visible to readers. */
void ring_out_publish(struct ring_out *);
