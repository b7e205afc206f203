/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cuts the stream in a ring into segments and parts for HLS, and puts them into
 * the table of the ring.
 *
 * An outage ends a segment, so that readers get its packets while the stream is
 * silent.  No segment includes the time of the outage.  The segment ends in
 * front of the last picture, which may be incomplete.  If the source was late
 * and sends the rest of this picture, the next segment begins with it, and
 * tables follow in front of the next picture.
 *
 * Embedded.  Borrows the ring, whose packets it publishes where a segment or
 * part ends.
 */
#pragma once

#include "worker/output/part_cut.h"
#include "worker/output/segmenter.h"
#include "worker/output/unit_time.h"

#include <stdbool.h>
#include <stdint.h>

struct ring_writer;

/* Segments for HLS. */
struct ring_out_hls {
	unsigned duration_ms; /* wanted duration of segments; 0: no HLS */
	unsigned quantity;    /* most segments in a playlist */
	unsigned part_ms;     /* longest part of a segment; 0: no parts */
};

struct ring_hls {
	struct ring_writer *ring;
	struct ring_out_hls config;
	struct segmenter segmenter;
	struct part_cut part;
	struct unit_time time;
	uint64_t unit_pos;   /* position in the ring where the last unit (a
			      * picture, or PES packet of audio) begins */
	bool resumes_unit;   /* an outage ended the segment in front of the last
			      * unit: the next segment begins with that unit */
	uint64_t pause_at;   /* length of the segment when the packets paused,
			      * 90 kHz */
	uint64_t content_ns; /* time of the last packets of video or audio */
	bool silent;         /* no packet of video or audio since an outage
			      * ended the segment */
	uint64_t bytes;      /* size of the largest segment so far */
};

void ring_hls_init(struct ring_hls *, struct ring_writer *);

/* Call it once, before the first packet.  The ring may have a segment of an
 * earlier process, which continues. */
void ring_hls_start(struct ring_hls *, const struct ring_out_hls *);

static inline bool ring_hls_is_used(const struct ring_hls *h)
{
	return h->config.duration_ms > 0;
}

/* Call it if the next packet is the first one of video or audio at this
 * time. */
void ring_hls_content(struct ring_hls *, uint64_t now_ns);
/* Call it at a time at which no packet of video or audio arrived: an outage may
 * end the segment. */
void ring_hls_idle(struct ring_hls *, uint64_t now_ns);
/* The time of the next ring_hls_idle() that may end a segment; UINT64_MAX:
 * none. */
uint64_t ring_hls_next_ns(const struct ring_hls *);

/* Takes a PCR of the main program. */
void ring_hls_pcr(struct ring_hls *, uint64_t pcr, bool discontinuity,
		  uint64_t now_ns);

/* Call it before ring_hls_unit().  True: the stream continues after an outage,
 * and a segment begins where the last one ended; the caller writes its tables
 * here. */
bool ring_hls_resume(struct ring_hls *, const uint64_t *dts, uint64_t now_ns);
/* The next packet begins a picture of the main video, or a PES packet of the
 * main audio.  dts, in 90 kHz; NULL: unknown. */
void ring_hls_unit(struct ring_hls *, const uint64_t *dts);
/* Call it after ring_hls_unit() if the unit is no join point: a part may end
 * here. */
void ring_hls_divide(struct ring_hls *);

/* True if the segment must be cut although no join point has come. */
bool ring_hls_is_overdue(const struct ring_hls *);
/* Takes a join point at the end of the ring, or a guess of one. */
void ring_hls_mark(struct ring_hls *, const struct ring_rap *,
		   uint64_t now_ns);

/* How many bytes a ring needs for the segments of a playlist, and for as many
 * again and one that have left it (RFC 8216 6.2.2). */
uint64_t ring_hls_bytes(const struct ring_hls *);
