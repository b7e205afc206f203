/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/t2mi/t2mi.h"

#include "common/base/alloc.h"
#include "common/base/crc32.h"
#include "common/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TYPE_BASEBAND_FRAME = 0,
	/* bytes in front of a baseband frame: frame index, PLP, start of
	 * interleaving */
	FRAME_HEADER = 3,
	STREAM_MASK = 0x07, /* t2mi_stream_id, in byte 3 */
	NO_COUNT = -1,  /* no counter is known */
	NO_STREAM = -1, /* no stream is selected yet */
};

struct t2mi {
	uint16_t pid;
	unsigned wanted, plp; /* the configured PLP, and the selected one */
	struct t2mi_counts counts;
	struct baseband baseband;
	uint8_t plps[T2MI_PLPS / 8]; /* bit set: the PLP had a frame */
	int cc; /* continuity_counter of the last packet of the PID */
	int stream; /* t2mi_stream_id of the stream that is read */
	/* packet_count of the last T2-MI packet of the selected stream, and of
	 * the last T2-MI packet of any stream */
	int count, count_of_any;
	bool synced; /* the next payload byte belongs to a T2-MI packet */
	size_t have; /* bytes in packet */
	uint8_t packet[T2MI_PACKET_MAX]; /* the incomplete T2-MI packet */
};

struct t2mi *t2mi_new(uint16_t pid, unsigned plp, ts_out_fn *out, void *arg)
{
	struct t2mi *t = xcalloc(1, sizeof *t);

	t->pid = pid;
	t->wanted = plp;
	baseband_init(&t->baseband, out, arg);
	t2mi_reset(t);
	return t;
}

void t2mi_free(struct t2mi **pt)
{
	free(*pt);
	*pt = NULL;
}

/* Drops the incomplete T2-MI packet.  The next one begins where a pointer_field
 * shows it. */
static void lose(struct t2mi *t)
{
	t->counts.cut += t->have > 0;
	t->have = 0;
	t->synced = false;
	baseband_lost(&t->baseband);
}

void t2mi_reset(struct t2mi *t)
{
	t->have = 0;
	lose(t);
	t->cc = t->count = t->count_of_any = NO_COUNT;
	t->stream = NO_STREAM;
	t->plp = t->wanted;
	memset(t->plps, 0, sizeof t->plps);
}

/* True if a T2-MI packet with this packet_count continues the stream.  Several
 * streams on one PID may have one common counter, or a counter each. */
static bool continues(const struct t2mi *t, uint8_t count)
{
	return t->count == NO_COUNT || count == (uint8_t)(t->count + 1) ||
	       (t->count_of_any != NO_COUNT &&
		count == (uint8_t)(t->count_of_any + 1));
}

static void take_packet(struct t2mi *t, size_t len)
{
	const uint8_t *p = t->packet, *frame = p + T2MI_HEADER;
	size_t payload = len - T2MI_HEADER - T2MI_CRC;
	uint8_t plp;

	t->counts.packets++;
	if (crc32_mpeg(p, len) != 0) {
		t->counts.crc_errors++;
		t->count = t->count_of_any = NO_COUNT;
		baseband_lost(&t->baseband);
		return;
	}
	if (t->stream == NO_STREAM)
		t->stream = p[3] & STREAM_MASK;
	if ((p[3] & STREAM_MASK) != t->stream) {
		t->count_of_any = p[1];
		return;
	}
	if (!continues(t, p[1]))
		baseband_lost(&t->baseband);
	t->count = t->count_of_any = p[1];
	if (p[0] != TYPE_BASEBAND_FRAME || payload < FRAME_HEADER)
		return;
	plp = frame[1];
	t->counts.frames++;
	t->plps[plp / 8] |= (uint8_t)(1 << plp % 8);
	if (t->plp >= T2MI_PLPS)
		t->plp = plp;
	if (t->plp == plp)
		baseband_feed(&t->baseband, frame + FRAME_HEADER,
			      payload - FRAME_HEADER);
}

static void take_bytes(struct t2mi *t, const uint8_t *data, size_t len)
{
	while (len > 0) {
		size_t bits = (size_t)(t->packet[4] << 8 | t->packet[5]);
		size_t want = t->have < T2MI_HEADER
				      ? (size_t)T2MI_HEADER
				      : T2MI_HEADER + (bits + 7) / 8 + T2MI_CRC;
		size_t n = MIN(len, want - t->have);

		memcpy(t->packet + t->have, data, n);
		t->have += n;
		data += n;
		len -= n;
		if (t->have > T2MI_HEADER && t->have == want) {
			take_packet(t, want);
			t->have = 0;
		}
	}
}

/* False if the packet is a duplicate of the last packet of the PID.  If packets
 * of the PID were lost, drops the incomplete T2-MI packet. */
static bool follows(struct t2mi *t, const uint8_t *p)
{
	int cc = ts_cc(p), last = t->cc;

	t->cc = cc;
	if (last == cc)
		return false;
	if (last != NO_COUNT && cc != ((last + 1) & 0x0f) &&
	    !ts_discontinuity(p))
		lose(t);
	return true;
}

static void take_payload(struct t2mi *t, const uint8_t *p)
{
	const uint8_t *data = p + ts_payload_offset(p), *end = p + TS_PACKET;
	const uint8_t *first;

	if (data == end || !follows(t, p))
		return;
	if (!ts_pusi(p)) {
		if (t->synced)
			take_bytes(t, data, (size_t)(end - data));
		return;
	}
	first = data + 1 + data[0];
	if (first > end) {
		lose(t);
		return;
	}
	if (t->synced)
		take_bytes(t, data + 1, (size_t)(first - data - 1));
	if (t->have > 0)
		lose(t);
	t->synced = true;
	take_bytes(t, first, (size_t)(end - first));
}

void t2mi_feed(struct t2mi *t, const struct ts_run *runs, size_t n_runs)
{
	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) == t->pid && !ts_tei(p))
				take_payload(t, p);
		}
	}
	baseband_flush(&t->baseband);
}

struct t2mi_counts t2mi_take_counts(struct t2mi *t)
{
	struct t2mi_counts counts = t->counts;

	counts.baseband = t->baseband.counts;
	t->counts = (struct t2mi_counts){ 0 };
	t->baseband.counts = (struct baseband_counts){ 0 };
	return counts;
}

unsigned t2mi_plp(const struct t2mi *t)
{
	return t->plp;
}

bool t2mi_has_plp(const struct t2mi *t, unsigned plp)
{
	return plp < T2MI_PLPS && t->plps[plp / 8] >> plp % 8 & 1;
}

bool t2mi_explain(const struct t2mi *t, const struct t2mi_counts *c,
		  struct errmsg *ret)
{
	char plps[64] = "";
	size_t len = 0;

	for (unsigned i = 0; i < T2MI_PLPS && len + 5 < sizeof plps; i++)
		if (t2mi_has_plp(t, i))
			len += (size_t)snprintf(plps + len, sizeof plps - len,
						" %u", i);
	if (c->packets == 0)
		errmsg_set(ret, "t2mi: PID %u has no T2-MI packets", t->pid);
	else if (c->crc_errors > 0)
		errmsg_set(ret, "t2mi: %u of %u T2-MI packets have a wrong "
			   "CRC", c->crc_errors, c->packets);
	else if (c->frames > 0 && c->baseband.frames == 0)
		errmsg_set(ret, "t2mi: PLP %u is not there; there are:%s",
			   t->wanted, plps);
	else if (c->baseband.other_formats > 0)
		errmsg_set(ret, "t2mi: PLP %u carries no transport stream",
			   t2mi_plp(t));
	else
		return false;
	return true;
}
