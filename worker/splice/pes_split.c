/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/pes_split.h"

#include "common/base/util.h"

#include <string.h>

enum {
	OPTIONS = 7, /* offset of the byte with PTS_DTS_flags */
};

void pes_split_begin(struct pes_split *h, uint8_t *copy, struct stamps_move by)
{
	size_t at = ts_payload_offset(copy), len = TS_PACKET - at;

	stamps_move_header(h->head.bytes, h->head.len, by);
	memcpy(copy + at, h->head.bytes, len);
	h->from = 0;
	h->next = (uint8_t)len;
}

bool pes_split_continue(struct pes_split *h, uint8_t *copy, unsigned cc)
{
	size_t at = ts_payload_offset(copy), n;

	if (ts_pusi(copy) || ts_tei(copy) || !ts_has_payload(copy) ||
	    at > TS_PACKET)
		return true;
	/* a duplicate packet gets the same bytes as the packet before */
	if (cc == ((h->head.cc + 1U) & 0x0f)) {
		h->head.cc = (uint8_t)cc;
		h->from = h->next;
	} else if (cc != h->head.cc) {
		h->from = h->head.len;
	}
	if (h->from == h->head.len)
		return false;
	n = MIN(TS_PACKET - at, (size_t)(h->head.len - h->from));
	memcpy(copy + at, h->head.bytes + h->from, n);
	h->next = (uint8_t)(h->from + n);
	return true;
}

bool pes_split_can_drop(const uint8_t *packet)
{
	return ts_payload_offset(packet) + OPTIONS < TS_PACKET;
}

void pes_split_drop(uint8_t *copy)
{
	if (pes_split_can_drop(copy))
		copy[ts_payload_offset(copy) + OPTIONS] = 0;
}
