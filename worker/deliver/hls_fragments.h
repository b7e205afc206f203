/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses what a playlist lists of the segments and parts of a stream that
 * clients get as fMP4: those whose fragments exist, and one initialization
 * segment for each segment and all of its parts.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/deliver/fragments.h"

#include <stdint.h>

struct hls_playlist;
struct mount;

/* The segment with this number, also the open one, which is being written;
 * NULL: none. */
const struct ring_segment *hls_segment_of(const struct ring_segments *,
					  uint64_t number);

/* Reduces the playlist to its newest segments that have fragments, and writes
 * the hashes of their initialization segments to maps.  all: the segments of
 * the ring.  If a complete segment follows the playlist, it becomes the open
 * one; if fMP4 cannot carry it, there is no open one.  FRAGMENT_LATER: some
 * fragments are not ready; BAD and FULL: no segment has a fragment. */
enum fragment_state hls_fragments(struct mount *, struct ring_segments *all,
				  struct hls_playlist *,
				  uint64_t maps[MSG_HLS_MAX]);

/* Reduces the list to the newest parts that have fragments.  Call it after
 * hls_fragments().
 * FRAGMENT_BAD: the playlist has no parts. */
enum fragment_state hls_fragment_parts(struct mount *,
				       const struct ring_segments *all,
				       const struct hls_playlist *,
				       struct ring_parts *);
