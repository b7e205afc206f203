/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/filler/picture.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "worker/filler/filler.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 32 * 1024 };

void picture_keeper_done(struct picture_keeper *k)
{
	free(k->data);
	free(k->next);
	*k = (struct picture_keeper){ 0 };
}

/* Takes the payload of a packet: skips the PES header, and collects what
 * follows. */
static void take(struct picture_keeper *k, const uint8_t *data, size_t len)
{
	const uint8_t *end = data + len, *es = pes_skip(&k->skip, data, end);

	len = es != NULL ? (size_t)(end - es) : 0;
	if (es == NULL || k->next_len + len > FILLER_PICTURE_MAX) {
		k->collecting = false;
		return;
	}
	if (k->next_len + len > k->next_size) {
		k->next_size = MAX(2 * k->next_size, (size_t)FIRST_SIZE);
		k->next = xrealloc(k->next, k->next_size);
	}
	/* next may still be NULL, which memcpy() does not allow */
	if (len == 0)
		return;
	memcpy(k->next + k->next_len, es, len);
	k->next_len += len;
}

void picture_keeper_feed(struct picture_keeper *k, const uint8_t *packet,
			 enum rap_sign sign)
{
	size_t at = MIN(ts_payload_offset(packet), (size_t)TS_PACKET);

	if (!ts_has_payload(packet))
		return;
	/* a lost or unreadable packet makes the picture unusable */
	if (ts_tei(packet) || ts_scrambling(packet) ||
	    (k->collecting && ts_cc(packet) != ((k->cc + 1) & 0x0f)))
		k->collecting = false;
	k->cc = ts_cc(packet);
	if (k->open && sign != RAP_NONE) {
		k->collecting = k->collecting && sign == RAP_YES;
		k->open = false;
	}
	if (!ts_pusi(packet)) {
		if (k->collecting)
			take(k, packet + at, TS_PACKET - at);
		return;
	}
	/* A PES without payload has no picture.  Another complete picture
	 * replaces the last one, whose memory is reused. */
	if (k->collecting && !k->open && k->next_len > 0) {
		uint8_t *data = k->data;
		size_t size = k->size;

		k->data = k->next;
		k->len = k->next_len;
		k->size = k->next_size;
		k->stream_id = k->skip.stream_id;
		k->next = data;
		k->next_size = size;
		k->next_len = 0;
	}
	k->open = sign == RAP_OPEN;
	k->collecting = (sign == RAP_HERE || sign == RAP_OPEN) &&
			!ts_tei(packet) && !ts_scrambling(packet);
	k->next_len = 0;
	k->skip = (struct pes_skip){ 0 };
	if (k->collecting)
		take(k, packet + at, TS_PACKET - at);
}
