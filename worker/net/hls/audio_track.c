/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/audio_track.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "worker/net/hls/packed_audio.h"
#include "worker/ts/fifo.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/psi.h"
#include "worker/ts/sync.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Marks in the PID field of a queued packet: it continues the packet
	 * before, or begins after a cut. */
	CONTINUES,
	IS_CUT,
	/* Bytes of packed audio for which room of one packet is required.  Tiny
	 * frames, made to fill the memory, need more packets and are dropped
	 * when the queue is full. */
	PACKED_SHARE = 100,
	/* A unit with this many packets is returned without its end. */
	UNIT_MAX = AUDIO_TRACK_PACKETS / 4,
};

struct audio_track {
	enum { NOT_KNOWN, TRANSPORT, PACKED } kind; /* kind of this segment */
	struct ts_sync sync;
	struct psi *psi;
	struct packed_audio packed;
	struct audio_track_format format; /* type 0: not known yet */
	struct fifo fifo; /* the queue of audio packets */
	bool cut;       /* the next unit starts after a cut */
	bool truncated; /* packets are dropped until a unit starts */
	bool first;     /* no packet of this segment was queued yet */
	uint8_t cc;     /* counter of the packet queued last */
	uint8_t offset; /* added to received counters, modulo 16 */
	uint64_t in, out; /* packets that were queued, and taken, so far */
	uint64_t closed;  /* value of in at the end of the last segment */
	size_t looked;    /* packets of the oldest unit in the queue so far */
};

struct audio_track *audio_track_new(void)
{
	struct audio_track *s = xcalloc(1, sizeof *s);

	ts_sync_init(&s->sync, TS_SYNC_STREAM);
	s->psi = psi_new();
	s->fifo.max = AUDIO_TRACK_PACKETS;
	s->truncated = true;
	return s;
}

void audio_track_free(struct audio_track **track)
{
	struct audio_track *s = *track;

	*track = NULL;
	if (s == NULL)
		return;
	psi_free(&s->psi);
	buf_done(&s->packed.bytes);
	fifo_done(&s->fifo);
	free(s);
}

void audio_track_begin(struct audio_track *s, bool cut)
{
	ts_sync_reset(&s->sync);
	packed_audio_segment(&s->packed);
	s->kind = NOT_KNOWN;
	s->first = true;
	s->truncated |= cut;
	s->cut |= cut;
	if (cut)
		psi_reset(s->psi);
}

/* --- queue --- */

/* Queues an audio packet, or drops it if the queue is full.  Its counter
 * continues that of the previous segment; a gap inside a segment stays. */
static void keep(struct audio_track *s, const uint8_t *packet)
{
	bool full = fifo_len(&s->fifo) == fifo_max(&s->fifo);
	uint8_t *copy;

	/* the queue can be full in spite of has_room(): frames of a few bytes
	 * make more packets than expected */
	s->truncated |= full;
	if (full || (s->truncated && !ts_pusi(packet)))
		return;
	copy = fifo_push(&s->fifo, (struct ts_run){ packet, 1 });
	if (s->first)
		s->offset = (uint8_t)(s->cc + ts_has_payload(packet) -
				      ts_cc(packet));
	s->cc = (uint8_t)(ts_cc(packet) + s->offset) & 0x0f;
	ts_set_cc(copy, s->cc);
	(void)pcr_strip(copy); /* the output uses the PCRs of the video */
	ts_set_pid(copy, s->cut ? IS_CUT : CONTINUES);
	s->cut = s->first = s->truncated = false;
	s->in++;
}

static void read_tables(struct audio_track *s)
{
	const struct psi_program *programs;
	size_t n = psi_programs(s->psi, &programs);
	struct pmt pmt;

	for (size_t i = 0; i < n; i++) {
		if (programs[i].audio_pid == TS_PID_NULL ||
		    pmt_decode(programs[i].pmt.data, programs[i].pmt.len,
			       &pmt) < 0)
			continue;
		for (size_t k = 0; k < pmt.n_streams; k++) {
			const struct pmt_stream *found = &pmt.streams[k];
			struct desc_loop d = found->descriptors;

			if (found->pid != programs[i].audio_pid)
				continue;
			s->format = (struct audio_track_format){
				.type = found->type,
				.pid = found->pid,
				.len = d.len <= AUDIO_TRACK_DESCRIPTORS ? d.len
									: 0,
			};
			memcpy(s->format.descriptors, d.data, s->format.len);
		}
		return;
	}
}

static void unpack(struct audio_track *s, bool last)
{
	/* EN 300 468, D.3: AC-3 is private data with a descriptor */
	static const uint8_t ac3[] = { DESC_AC3, 1, 0 };
	static const uint8_t eac3[] = { DESC_EAC3, 1, 0 };
	struct audio_track_format *f = &s->format;
	uint8_t packets[PACKED_PACKETS_MAX * TS_PACKET];
	size_t n;

	while ((n = packed_audio_pull(&s->packed, last, packets)) > 0) {
		enum audio_codec codec = s->packed.codec;

		/* audio without a time stamp has no play-out time: dropped */
		if (!s->packed.stamped)
			continue;
		*f = (struct audio_track_format){
			.type = packed_audio_stream_type(&s->packed),
			.pid = TS_PID_NULL,
		};
		if (codec == AUDIO_AC3 || codec == AUDIO_EAC3) {
			f->len = sizeof ac3;
			memcpy(f->descriptors, codec == AUDIO_AC3 ? ac3 : eac3,
			       f->len);
		}
		for (size_t i = 0; i < n; i++) {
			uint8_t *packet = packets + i * TS_PACKET;

			ts_set_cc(packet, (unsigned)i);
			s->first = i == 0;
			keep(s, packet);
		}
	}
}

/* --- input --- */

static bool has_room(const struct audio_track *s, size_t len)
{
	size_t n = s->kind == PACKED
		? len / PACKED_SHARE + 2 * PACKED_PACKETS_MAX
		: len / TS_PACKET + TS_SYNC_BATCH + 1;

	return fifo_len(&s->fifo) + n <= fifo_max(&s->fifo);
}

bool audio_track_push(struct audio_track *s, const uint8_t *data, size_t len)
{
	struct ts_run run;

	if (len == 0)
		return true;
	if (s->kind == NOT_KNOWN)
		s->kind = packed_audio_begins(data, len) ? PACKED : TRANSPORT;
	if (!has_room(s, len))
		return false;
	if (s->kind == PACKED) {
		packed_audio_push(&s->packed, data, len);
		unpack(s, false);
		return true;
	}
	ts_sync_push(&s->sync, data, len);
	while (ts_sync_pull(&s->sync, &run)) {
		const uint8_t *end = run.data + run.n * TS_PACKET;

		for (const uint8_t *p = run.data; p < end; p += TS_PACKET) {
			if (ts_tei(p))
				continue;
			if (psi_class(s->psi, ts_pid(p)) == PID_PSI) {
				if (psi_feed(s->psi, p))
					read_tables(s);
			} else if (s->format.type != 0 &&
				   ts_pid(p) == s->format.pid &&
				   ts_has_payload(p)) {
				keep(s, p);
			}
		}
	}
	return true;
}

bool audio_track_end(struct audio_track *s)
{
	if (!has_room(s, 0))
		return false;
	if (s->kind == PACKED)
		unpack(s, true);
	s->closed = s->in;
	return true;
}

bool audio_track_is_full(const struct audio_track *s)
{
	return fifo_len(&s->fifo) * 2 > fifo_max(&s->fifo);
}

uint64_t audio_track_packets(const struct audio_track *s)
{
	return s->in;
}

const struct audio_track_format *audio_track_format(const struct audio_track *s)
{
	return s->format.type != 0 ? &s->format : NULL;
}

/* --- output --- */

/* Reads the PTS of the unit, whose PES header may span several packets.  False:
 * the unit has none. */
static bool find_pts(struct ts_run unit, uint64_t *ret)
{
	struct pes_stamps found;
	struct pes_head head;
	enum pes_head_sign sign;

	if (pes_stamps_find(unit.data, &found)) {
		*ret = found.pts;
		return true;
	}
	sign = pes_head_read(unit.data, &head);
	head.pid = CONTINUES;
	while (sign == HEAD_WAITS && --unit.n > 0) {
		unit.data += TS_PACKET;
		sign = pes_head_add(&head, unit.data);
	}
	if (sign != HEAD_WHOLE ||
	    !pes_head_stamps(&head, unit.data, 0, &found))
		return false;
	*ret = found.pts;
	return true;
}

bool audio_track_unit(struct audio_track *s, struct audio_unit *ret)
{
	size_t closed = s->closed > s->out ? (size_t)(s->closed - s->out) : 0;
	struct ts_run run;

	if (fifo_len(&s->fifo) == 0)
		return false;
	run = fifo_run(&s->fifo);
	s->looked = MAX(s->looked, (size_t)1);
	while (s->looked < run.n && s->looked != closed &&
	       !ts_pusi(run.data + s->looked * TS_PACKET))
		s->looked++;
	/* waits for the end of the unit, which the next unit or the end of the
	 * segment shows; a unit of UNIT_MAX packets is returned without it */
	if (s->looked >= run.n && closed != run.n && run.n < UNIT_MAX)
		return false;
	run.n = MIN(s->looked, run.n);
	*ret = (struct audio_unit){ .run = run,
				  .cut = ts_pid(run.data) == IS_CUT };
	ret->begins = find_pts(run, &ret->pts);
	return true;
}

const uint8_t *audio_track_first(const struct audio_track *s)
{
	return fifo_run(&s->fifo).data;
}

void audio_track_drop(struct audio_track *s, size_t packets)
{
	fifo_drop(&s->fifo, packets);
	s->out += packets;
	s->looked = 0;
}

void audio_track_every_second(struct audio_track *s)
{
	fifo_trim(&s->fifo);
}
