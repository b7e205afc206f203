/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pes_head.h"

#include "common/base/util.h"
#include "worker/ts/pes.h"

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

/* Of a PES that has begun before or in this packet.  False: it has no PTS. */
static bool find_stamps(const uint8_t *pes, const uint8_t *packet,
			size_t before, struct pes_stamps *ret)
{
	struct pes_ends ends = pes_ends(pes);

	if (ends.pts == 0)
		return false;
	ret->pts = pes_time(pes + ends.pts - TIME_LEN);
	ret->dts = ends.dts > 0 ? pes_time(pes + ends.dts - TIME_LEN)
				: ret->pts;
	ret->before = before;
	ret->data = ts_payload_offset(packet) + PES_HEADER + pes[8] - before;
	return true;
}

/* Of a PES whose stamps are in this packet. */
static bool find_here(const uint8_t *packet, struct pes_stamps *ret)
{
	size_t len;
	const uint8_t *pes = pes_find(packet, &len);

	return pes != NULL && pes_head_len(pes, len) <= len &&
	       find_stamps(pes, packet, 0, ret);
}

bool pes_stamps_find(const uint8_t *packets, size_t n, struct pes_stamps *ret,
		     bool *ret_waits)
{
	struct pes_head head;
	enum pes_head_sign sign = pes_head_read(packets, &head);
	size_t before = 0, i;

	*ret_waits = false;
	if (sign == HEAD_NONE)
		return find_here(packets, ret);
	for (i = 1; i < n && sign == HEAD_WAITS; i++) {
		before = head.len;
		sign = pes_head_add(&head, packets + i * TS_PACKET);
	}
	*ret_waits = sign == HEAD_WAITS;
	return sign == HEAD_WHOLE &&
	       find_stamps(head.bytes, packets + (i - 1) * TS_PACKET, before,
			   ret);
}

static void forget(struct pes_reader *r, struct pes_head *h)
{
	r->n--;
	memmove(h, h + 1, (size_t)(r->list + r->n - h) * sizeof *h);
}

/* The packet may have a part of a header. */
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
		if (find_stamps(h->bytes, packet, before, ret))
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
	struct pes_head head;

	if (sign != PES_NONE || !ts_pusi(packet))
		return sign;
	if (pes_head_read(packet, &head) == HEAD_NONE)
		return find_here(packet, ret) ? PES_READ : PES_NONE;
	/* the PID of the oldest may have ended */
	if (r->n == PES_READER_MAX)
		forget(r, r->list);
	r->list[r->n++] = head;
	return PES_WAITS;
}
