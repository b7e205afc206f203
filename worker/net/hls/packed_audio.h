/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts packed audio (RFC 8216, 3.4) to PES in transport packets.
 *
 * The input is an ID3 tag with a time stamp, then frames of AAC in ADTS, MPEG
 * audio, AC-3 or E-AC-3. Each PES holds several frames.
 *
 * The owner of the struct frees its member bytes by buf_done(). Pure. Embedded;
 * zeroed memory is ready.
 */
#pragma once

#include "common/base/buf.h"
#include "worker/ts/audio.h"
#include "worker/ts/packet.h"

enum {
	PACKED_TAG_MAX = 256 * 1024, /* a longer tag is skipped */
	/* A PES ends with the frame that reaches this number of bytes. */
	PACKED_PES = 1400,
	PACKED_FRAME_MAX = 8192, /* bytes of the longest frame */
	PACKED_HEADER = 14,      /* bytes of a PES header */
	PACKED_PACKETS_MAX = (PACKED_PES + PACKED_FRAME_MAX + PACKED_HEADER) /
			     (TS_PACKET - 4) + 1,
};

struct packed_audio {
	struct buf bytes;  /* bytes that are not parsed yet */
	size_t skip;       /* bytes of a skipped tag that are still to come */
	bool stamped;      /* base is known */
	uint64_t base;     /* time stamp of a frame, 90 kHz */
	uint64_t samples;  /* audio samples since the frame of base */
	enum audio_codec codec; /* codec of the last frame */
	uint32_t rate;     /* samples per second; 0: no frame yet */
	size_t n_pes;      /* bytes in pes */
	uint64_t pes_pts;  /* time stamp of the first frame in pes, 90 kHz */
	uint32_t junk;     /* bytes outside tags and frames so far */
	uint8_t pes[PACKED_PES + PACKED_FRAME_MAX]; /* frames of the next PES */
};

/* True if a segment of packed audio may begin with these bytes (len > 0). */
bool packed_audio_begins(const uint8_t *data, size_t len);

/* Begins a segment; drops an incomplete frame. */
void packed_audio_segment(struct packed_audio *);

/* Takes the next bytes of the segment. */
void packed_audio_push(struct packed_audio *, const uint8_t *data, size_t len);

/* Writes the next PES as packets (PID and counters 0) to ret, which has room
 * for PACKED_PACKETS_MAX.  Returns their number; 0: more bytes are needed.
 * last: no frames follow, so the PES ends before PACKED_PES bytes. */
size_t packed_audio_pull(struct packed_audio *, bool last, uint8_t *ret);

/* stream_type as used by DVB; 0: not known yet. */
uint8_t packed_audio_stream_type(const struct packed_audio *);
