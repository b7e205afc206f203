/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pes_head.h"

#include "common/base/util.h"

#include <string.h>

enum {
	TIME_LEN = 5,
	ESCR_LEN = 6,
	FLAG_PTS = 0x80,
	FLAG_DTS = 0x40,
	FLAG_ESCR = 0x20,
};

struct pes_ends pes_ends(const uint8_t *pes)
{
	size_t end = PES_HEADER + (size_t)pes[8], at = PES_HEADER;
	struct pes_ends h = { 0 };

	if (!pes_has_options(pes))
		return h;
	if (pes[7] & FLAG_PTS) {
		at += TIME_LEN;
		h.pts = at <= end ? at : 0;
	}
	if ((pes[7] & (FLAG_PTS | FLAG_DTS)) == (FLAG_PTS | FLAG_DTS)) {
		at += TIME_LEN;
		h.dts = at <= end ? at : 0;
	}
	if (pes[7] & FLAG_ESCR) {
		at += ESCR_LEN;
		h.escr = at <= end ? at : 0;
	}
	return h;
}

size_t pes_head_len(const uint8_t *pes, size_t len)
{
	static const uint8_t start[] = { 0, 0, 1 };
	struct pes_ends h;

	if (memcmp(pes, start, MIN(len, sizeof start)) != 0)
		return 0;
	if (len >= 4 && !pes_may_have_options(pes[3]))
		return 0;
	if (len < PES_HEADER)
		return PES_HEADER;
	h = pes_ends(pes);
	return MAX(MAX(h.pts, h.dts), h.escr);
}

enum pes_head_sign pes_head_read(const uint8_t *p, struct pes_head *ret)
{
	size_t at = ts_payload_offset(p), len;

	if (!ts_pusi(p) || !ts_has_payload(p) || ts_tei(p) ||
	    ts_scrambling(p) || at + PES_STAMPS_MAX <= TS_PACKET ||
	    at >= TS_PACKET)
		return HEAD_NONE;
	len = TS_PACKET - at;
	if (pes_head_len(p + at, len) <= len)
		return HEAD_NONE;
	*ret = (struct pes_head){ .pid = ts_pid(p), .cc = ts_cc(p),
				  .first_cc = ts_cc(p), .len = (uint8_t)len };
	memcpy(ret->bytes, p + at, len);
	return HEAD_WAITS;
}

enum pes_head_sign pes_head_add(struct pes_head *h, const uint8_t *p)
{
	size_t at = ts_payload_offset(p), n, need;

	if (ts_pid(p) != h->pid || !ts_sync_ok(p) || ts_tei(p) ||
	    !ts_has_payload(p) || ts_cc(p) == h->cc)
		return HEAD_WAITS;
	if (ts_pusi(p) || ts_scrambling(p) ||
	    ts_cc(p) != ((h->cc + 1) & 0x0f) || at > TS_PACKET)
		return HEAD_LOST;
	n = MIN(TS_PACKET - at, sizeof h->bytes - h->len);
	memcpy(h->bytes + h->len, p + at, n);
	h->len = (uint8_t)(h->len + n);
	h->cc = ts_cc(p);
	need = pes_head_len(h->bytes, h->len);
	if (need > h->len)
		return HEAD_WAITS;
	h->len = (uint8_t)need;
	h->cc = h->first_cc;
	return need > 0 ? HEAD_WHOLE : HEAD_NONE;
}

bool pes_begins(const uint8_t *packet)
{
	struct pes_head head;
	size_t len;

	return pes_find(packet, &len) != NULL ||
	       pes_head_read(packet, &head) == HEAD_WAITS;
}

const uint8_t *pes_skip_header(struct pes_skip *s, const uint8_t *p,
			       const uint8_t *end)
{
	static const uint8_t prefix[] = { 0, 0, 1 };
	size_t n;

	for (; p < end && s->head < PES_HEADER; s->head++) {
		if (s->head < sizeof prefix && *p != prefix[s->head]) {
			*s = (struct pes_skip){ .head = PES_HEADER };
			return NULL;
		}
		if (s->head == sizeof prefix)
			s->stream_id = *p;
		s->left = *p++;
	}
	if (s->head < PES_HEADER)
		return end;
	n = MIN((size_t)(end - p), (size_t)s->left);
	s->left = (uint8_t)(s->left - n);
	return p + n;
}

/* Reads PTS and DTS of a PES of which len bytes (at least PES_HEADER) are
 * present; at: its offset in the packet.  HEAD_NONE: the PES has no PTS;
 * HEAD_WAITS: the stamps continue behind these bytes. */
static inline enum pes_head_sign find_stamps(const uint8_t *pes, size_t len,
					     size_t at, struct pes_stamps *ret)
{
	const uint8_t *pts = pes + PES_HEADER, *dts = pts;
	size_t head = pes[PES_HEADER - 1];

	if (!pes_has_options(pes) || !(pes[7] & FLAG_PTS) || head < TIME_LEN)
		return HEAD_NONE;
	if (pes[7] & FLAG_DTS && head >= 2 * TIME_LEN)
		dts += TIME_LEN;
	if (dts + TIME_LEN > pes + len)
		return HEAD_WAITS;
	ret->pts = pes_time(pts);
	ret->dts = dts != pts ? pes_time(dts) : ret->pts;
	ret->before = 0;
	ret->stream_id = pes[3];
	ret->data = at + PES_HEADER + head;
	return HEAD_WHOLE;
}

/* Reads the stamps of the PES that begins in the packet.  HEAD_WAITS: stamps
 * may be behind this packet. */
static enum pes_head_sign find_here(const uint8_t *packet,
				    struct pes_stamps *ret)
{
	size_t len;
	const uint8_t *pes = pes_find(packet, &len);

	return pes == NULL ? HEAD_WAITS
			   : find_stamps(pes, len, TS_PACKET - len, ret);
}

bool pes_stamps_find(const uint8_t *packet, struct pes_stamps *ret)
{
	return find_here(packet, ret) == HEAD_WHOLE;
}

bool pes_head_stamps(const struct pes_head *h, const uint8_t *packet,
		     size_t before, struct pes_stamps *ret)
{
	if (find_stamps(h->bytes, h->len, ts_payload_offset(packet), ret) !=
	    HEAD_WHOLE)
		return false;
	ret->before = before;
	ret->data -= before;
	return true;
}

static void forget(struct pes_reader *r, struct pes_head *h)
{
	r->n--;
	memmove(h, h + 1, (size_t)(r->list + r->n - h) * sizeof *h);
}

/* Adds a packet to an incomplete header of its PID, if there is one. */
static enum pes_sign follow(struct pes_reader *r, const uint8_t *packet,
			    struct pes_stamps *ret)
{
	struct pes_head *h = r->list, *end = h + r->n;
	enum pes_sign sign = PES_NONE;
	size_t before;

	while (h < end && h->pid != ts_pid(packet))
		h++;
	if (h == end)
		return PES_NONE;
	before = h->len;
	switch (pes_head_add(h, packet)) {
	case HEAD_WAITS:
		return PES_WAITS;
	case HEAD_WHOLE:
		if (pes_head_stamps(h, packet, before, ret))
			sign = PES_READ;
		break;
	case HEAD_NONE:
	case HEAD_LOST:
		break;
	}
	forget(r, h);
	return sign;
}

enum pes_sign pes_reader_take(struct pes_reader *r, const uint8_t *packet,
			      struct pes_stamps *ret)
{
	enum pes_sign sign = r->n > 0 ? follow(r, packet, ret) : PES_NONE;
	enum pes_head_sign here;
	struct pes_head head;

	if (sign != PES_NONE || !ts_pusi(packet))
		return sign;
	here = find_here(packet, ret);
	if (here != HEAD_WAITS)
		return here == HEAD_WHOLE ? PES_READ : PES_NONE;
	if (pes_head_read(packet, &head) == HEAD_NONE)
		return PES_NONE;
	/* drops the oldest header, whose PID may have ended */
	if (r->n == PES_READER_MAX)
		forget(r, r->list);
	r->list[r->n++] = head;
	return PES_WAITS;
}
