/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/pes_split.h"

#include "common/base/util.h"

#include <string.h>

enum {
	OPTIONS = 7, /* offset of PTS_DTS_flags and further ones */
};

enum pes_split_sign pes_split_read(const uint8_t *p, struct pes_split *ret)
{
	size_t at = ts_payload_offset(p), len;

	if (!ts_pusi(p) || !ts_has_payload(p) || ts_tei(p) ||
	    ts_scrambling(p) || at + STAMPS_HEADER_MAX <= TS_PACKET ||
	    at >= TS_PACKET)
		return SPLIT_NONE;
	len = TS_PACKET - at;
	if (stamps_header_len(p + at, len) <= len)
		return SPLIT_NONE;
	*ret = (struct pes_split){ .pid = ts_pid(p), .cc = ts_cc(p),
				   .first_cc = ts_cc(p), .len = (uint8_t)len };
	memcpy(ret->bytes, p + at, len);
	return SPLIT_WAITS;
}

enum pes_split_sign pes_split_add(struct pes_split *h, const uint8_t *p)
{
	size_t at = ts_payload_offset(p), n, need;

	if (ts_pid(p) != h->pid || !ts_sync_ok(p) || ts_tei(p) ||
	    !ts_has_payload(p) || ts_cc(p) == h->cc)
		return SPLIT_WAITS;
	if (ts_pusi(p) || ts_scrambling(p) ||
	    ts_cc(p) != ((h->cc + 1) & 0x0f) || at > TS_PACKET)
		return SPLIT_LOST;
	n = MIN(TS_PACKET - at, sizeof h->bytes - h->len);
	memcpy(h->bytes + h->len, p + at, n);
	h->len = (uint8_t)(h->len + n);
	h->cc = ts_cc(p);
	need = stamps_header_len(h->bytes, h->len);
	if (need > h->len)
		return SPLIT_WAITS;
	h->len = (uint8_t)need;
	h->cc = h->first_cc;
	return need > 0 ? SPLIT_WHOLE : SPLIT_NONE;
}

void pes_split_begin(struct pes_split *h, uint8_t *copy, struct stamps_move by)
{
	size_t at = ts_payload_offset(copy), len = TS_PACKET - at;

	stamps_move_header(h->bytes, h->len, by);
	memcpy(copy + at, h->bytes, len);
	h->next = (uint8_t)len;
}

bool pes_split_continue(struct pes_split *h, uint8_t *copy, unsigned cc)
{
	size_t at = ts_payload_offset(copy), n;

	if (ts_pusi(copy) || ts_tei(copy) || !ts_has_payload(copy) ||
	    at > TS_PACKET)
		return true;
	/* a duplicate gets the same bytes */
	if (cc == ((h->cc + 1U) & 0x0f)) {
		h->cc = (uint8_t)cc;
		h->from = h->next;
	} else if (cc != h->cc) {
		h->from = h->len;
	}
	if (h->from == h->len)
		return false;
	n = MIN(TS_PACKET - at, (size_t)(h->len - h->from));
	memcpy(copy + at, h->bytes + h->from, n);
	h->next = (uint8_t)(h->from + n);
	return true;
}

void pes_split_drop(uint8_t *copy)
{
	size_t at = ts_payload_offset(copy);

	if (at + OPTIONS < TS_PACKET)
		copy[at + OPTIONS] = 0;
}
