/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names the codecs of a stream from time to time, for its viewers: a player
 * asks its decoders before it loads the first segment (RFC 8216 4.3.4.2).
 *
 * The names stay while a group of pictures cannot be read; those of tracks that
 * fMP4 cannot carry are empty.
 */
#pragma once

#include "worker/fragment/fmp4.h"
#include "worker/output/ring_out.h"

struct codec_watch {
	struct fmp4_codecs codecs; /* the result */
	uint64_t next_ns;          /* time at which the stream is read next */
	uint32_t changes;          /* psi_changes() when it was last read */
};

/* Call it once a second.  Reads the newest group of pictures if next_ns has
 * come or the tables have changed. */
void codec_watch_second(struct codec_watch *, const struct ring_out *,
			const struct psi *, uint64_t now_ns);
