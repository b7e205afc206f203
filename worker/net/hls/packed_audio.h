/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packed audio (RFC 8216 3.4) as PES in transport packets.
 *
 * Frames of AAC in ADTS, MPEG audio, AC-3 or E-AC-3, behind an ID3 tag with
 * the time stamp of the first: some of them go into each PES.
 *
 * Owns the bytes that make no whole frame yet.  Pure.  Embedded; zeroed memory
 * has seen nothing.
 */
#pragma once

#include "common/base/buf.h"
#include "worker/ts/audio.h"
#include "worker/ts/packet.h"

enum {
	PACKED_TAG_MAX = 256 * 1024, /* a longer one is passed over */
	/* So many bytes end a PES; a frame more may be in it. */
	PACKED_PES = 1400,
	PACKED_FRAME_MAX = 8192,
	PACKED_HEADER = 14,
	PACKED_PACKETS_MAX = (PACKED_PES + PACKED_FRAME_MAX + PACKED_HEADER) /
			     (TS_PACKET - 4) + 1,
};

struct packed_audio {
	struct buf bytes;
	size_t skip;       /* of a tag that is passed over */
	bool stamped;      /* base is known */
	uint64_t base;     /* 90 kHz: time stamp of a frame ... */
	uint64_t samples;  /* ... and what came since */
	enum audio_codec codec; /* of the last frame; rate 0: there was none */
	uint32_t rate;
	size_t n_pes;      /* bytes of the one to come */
	uint64_t pes_pts;
	uint32_t junk;     /* bytes that were no frame, in all */
	uint8_t pes[PACKED_PES + PACKED_FRAME_MAX];
};

/* Can these be the first bytes (len > 0) of a segment of it? */
bool packed_audio_begins(const uint8_t *data, size_t len);

void packed_audio_done(struct packed_audio *);

/* A segment begins; what was no whole frame is dropped. */
void packed_audio_segment(struct packed_audio *);

void packed_audio_push(struct packed_audio *, const uint8_t *data, size_t len);

/* The next PES: packets (PID and counters 0) in room for PACKED_PACKETS_MAX,
 * how many; 0: more has to be pushed.  With last true what is left will do. */
size_t packed_audio_pull(struct packed_audio *, bool last, uint8_t *ret);

/* stream_type of what comes, as DVB has it; 0: not known yet. */
uint8_t packed_audio_stream_type(const struct packed_audio *);
