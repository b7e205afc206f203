/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/t2mi/baseband.h"

#include "common/base/util.h"

#include <string.h>

enum {
	NO_START = 0xffff, /* SYNCD: no packet begins in the frame */
	ISSY_SHORT = 2,
	ISSY_LONG = 3,
	/* bits in the first byte of the header */
	HAS_ISSY = 0x08,
	NULLS_DELETED = 0x04,
};

/* The CRC-8 of EN 302 755 5.1.4: x^8 + x^7 + x^6 + x^4 + x^2 + 1. */
static uint8_t crc8(const uint8_t *data, size_t len)
{
	uint8_t crc = 0;

	for (size_t i = 0; i < len; i++) {
		crc ^= data[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = (uint8_t)(crc << 1 ^ (crc & 0x80 ? 0xd5 : 0));
	}
	return crc;
}

void baseband_init(struct baseband *b, ts_out_fn *out, void *arg)
{
	*b = (struct baseband){ .out = out, .arg = arg, .issy = ISSY_LONG,
				 .nulls = BASEBAND_NULLS_AT_ONCE };
}

void baseband_flush(struct baseband *b)
{
	size_t n = b->n - b->held;
	struct ts_run run = { b->packets[0], n };

	if (n > 0)
		b->out(&run, 1, b->arg);
	if (b->held && n > 0)
		memcpy(b->packets[0], b->packets[n], TS_PACKET);
	b->n = b->held;
}

/* Returns room in packets for the next packet, which the caller fills. */
static uint8_t *place(struct baseband *b)
{
	if (b->n == BASEBAND_BATCH)
		baseband_flush(b);
	return b->packets[b->n++];
}

/* Compares the computed CRC-8 of the last packet with the received one, and
 * sets transport_error_indicator if they differ.  In normal mode the CRC-8 of a
 * packet is the first byte of the next unit, and covers ISSY and the count of
 * null packets, too (EN 302 755 5.1.5). */
static void judge_held(struct baseband *b, uint8_t crc)
{
	if (!b->held)
		return;
	b->held = false;
	if (b->held_crc == crc)
		return;
	b->packets[b->n - 1][1] |= 0x80;
	b->counts.wrong_packets++;
}

/* Ends a unit that is complete.  Its last byte counts the null packets that
 * were deleted in front of it. */
static void finish_unit(struct baseband *b)
{
	const uint8_t *from = b->unit;
	unsigned n;
	uint8_t *to;

	if (!b->high_efficiency)
		judge_held(b, *from++);
	if (b->deletes_nulls) {
		b->nulls = MIN(b->nulls + BASEBAND_NULLS,
			       (unsigned)BASEBAND_NULLS_AT_ONCE);
		n = MIN((unsigned)b->unit[b->unit_size - 1], b->nulls);
		b->nulls -= n;
		for (; n > 0; n--) {
			to = place(b);
			memset(to, 0xff, TS_PACKET);
			memcpy(to, "\x47\x1f\xff\x10", 4);
		}
	}
	to = place(b);
	to[0] = TS_SYNC_BYTE;
	memcpy(to + 1, from, TS_PACKET - 1);
	b->held = !b->high_efficiency;
	if (b->held)
		b->held_crc = crc8(from, b->unit_size - 1);
	b->have = 0;
}

static void take_bytes(struct baseband *b, const uint8_t *data, size_t len)
{
	while (len > 0) {
		size_t n = MIN(len, b->unit_size - b->have);

		memcpy(b->unit + b->have, data, n);
		b->have += n;
		data += n;
		len -= n;
		if (b->have == b->unit_size)
			finish_unit(b);
	}
}

void baseband_lost(struct baseband *b)
{
	b->counts.lost_packets += b->have > 0;
	b->have = 0;
	b->held = false;
}

/* The number of bytes of ISSY in a unit, from UPL (EN 302 755 5.1.7).  If UPL
 * does not include ISSY, its first bits decide: ISCR_short begins with 0,
 * ISCR_long with 10; other values have the size of the last ISCR. */
static size_t issy_size(const struct baseband *b, const uint8_t *header,
			const uint8_t *first, size_t len)
{
	size_t upl = (size_t)(header[2] << 8 | header[3]) / 8;
	size_t rest = TS_PACKET + ((header[0] & NULLS_DELETED) != 0);

	if (upl == rest + ISSY_SHORT || upl == rest + ISSY_LONG)
		return upl - rest;
	if (len <= TS_PACKET)
		return b->issy;
	if (!(first[TS_PACKET] & 0x80))
		return ISSY_SHORT;
	return first[TS_PACKET] & 0x40 ? b->issy : ISSY_LONG;
}

/* Reads the mode and the size of units from the header.  If they have changed,
 * the incomplete unit is lost. */
static void take_form(struct baseband *b, const uint8_t *header,
		      bool high_efficiency, const uint8_t *first, size_t len)
{
	bool has_issy = header[0] & HAS_ISSY;
	bool deletes_nulls = header[0] & NULLS_DELETED;
	size_t size = high_efficiency ? TS_PACKET - 1 : TS_PACKET;

	if (!high_efficiency && has_issy) {
		b->issy = issy_size(b, header, first, len);
		size += b->issy;
	}
	size += deletes_nulls;
	if (size != b->unit_size || high_efficiency != b->high_efficiency)
		baseband_lost(b);
	b->high_efficiency = high_efficiency;
	b->deletes_nulls = deletes_nulls;
	b->unit_size = size;
}

void baseband_feed(struct baseband *b, const uint8_t *frame, size_t len)
{
	unsigned mode, field, start;

	b->counts.frames++;
	if (len < BASEBAND_HEADER) {
		b->counts.header_errors++;
		baseband_lost(b);
		return;
	}
	mode = crc8(frame, BASEBAND_HEADER - 1) ^ frame[9];
	field = (unsigned)(frame[4] << 8 | frame[5]);
	start = (unsigned)(frame[7] << 8 | frame[8]);
	if (mode > 1 || field % 8 != 0 || field / 8 > len - BASEBAND_HEADER ||
	    (start != NO_START && (start % 8 != 0 || start > field))) {
		b->counts.header_errors++;
		baseband_lost(b);
		return;
	}
	if (frame[0] >> 6 != 3) {
		b->counts.other_formats++;
		baseband_lost(b);
		return;
	}
	frame += BASEBAND_HEADER;
	field /= 8;
	if (field == 0)
		return; /* the frame has only padding */
	if (start == NO_START) {
		if (b->have > 0 && b->have + field <= b->unit_size)
			take_bytes(b, frame, field);
		else
			baseband_lost(b);
		return;
	}
	start /= 8;
	take_form(b, frame - BASEBAND_HEADER, mode == 1, frame + start,
		  field - start);
	/* the bytes in front of the first unit that begins in the field must
	 * complete the unit of the frame before */
	if (b->have > 0 && b->have + start == b->unit_size)
		take_bytes(b, frame, start);
	else if (b->have > 0 || start > 0)
		baseband_lost(b);
	b->have = 0;
	take_bytes(b, frame + start, field - start);
}
