/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/cue.h"

#include "common/base/crc32.h"
#include "common/base/util.h"
#include "worker/ts/pes.h"
#include "worker/ts/section.h"

#include <string.h>

enum {
	CRC_LEN = 4,
	/* offset of pts_adjustment: 33 bits in 5 bytes, of which the first has
	 * only its highest bit */
	FIELD_AT = 4,
	FIELD_LEN = 5,
	FIELD_END = FIELD_AT + FIELD_LEN,
};

/*
 * Adds ticks to pts_adjustment.  Returns the change of CRC_32 as a value to
 * XOR: for sections A and B of equal length,
 * CRC(A) ^ CRC(B) = CRC(A ^ B) ^ CRC(zeros of that length).
 */
static uint32_t move_field(uint8_t *section, size_t len, uint64_t ticks)
{
	uint8_t *f = section + FIELD_AT;
	uint8_t diff[SECTION_MAX] = { 0 };
	uint64_t time = (uint64_t)(f[0] & 1) << 32 | (uint64_t)f[1] << 24 |
			(uint64_t)f[2] << 16 | (uint64_t)f[3] << 8 | f[4];
	uint32_t zeros;

	len -= FIELD_AT + CRC_LEN;
	zeros = crc32_mpeg(diff, len);
	memcpy(diff, f, FIELD_LEN);
	time = (time + ticks) % PES_TIME_WRAP;
	f[0] = (uint8_t)((f[0] & 0xfe) | (time >> 32 & 1));
	for (unsigned i = 1; i < FIELD_LEN; i++)
		f[i] = (uint8_t)(time >> (32 - 8 * i));
	for (size_t i = 0; i < FIELD_LEN; i++)
		diff[i] ^= f[i];
	return crc32_mpeg(diff, len) ^ zeros;
}

/* Takes the next n bytes of the PID, and corrects those of CRC_32 among them.
 * Returns the number that belong to the section. */
static size_t move_section(struct cue_section *c, uint8_t *data, size_t n)
{
	size_t take = MIN(n, (size_t)(c->len - c->at));
	size_t crc = (size_t)c->len - CRC_LEN;

	for (size_t i = 0; i < take && c->delta != 0; i++) {
		size_t at = c->at + i;

		if (at >= crc)
			data[i] ^= (uint8_t)(c->delta >>
					     (24 - 8 * (at - crc)));
	}
	c->at = (uint16_t)(c->at + take);
	if (c->at == c->len)
		*c = (struct cue_section){ 0 };
	return take;
}

/* Takes a section that begins here.  Returns the number of its bytes among the
 * n, or n if no section follows that can be read.  If pts_adjustment continues
 * in the next packet, the section passes unchanged: no multiplexer splits the
 * head of so short a section. */
static size_t begin(struct cue_section *c, uint8_t *data, size_t n,
		    uint64_t ticks)
{
	size_t len;

	*c = (struct cue_section){ 0 };
	if (n < 3 || data[0] == 0xff)
		return n;
	len = section_length(data);
	if (len > SECTION_MAX)
		return n;
	c->len = (uint16_t)len;
	if (data[0] == CUE_TABLE_ID && n >= FIELD_END &&
	    len >= FIELD_END + CRC_LEN)
		c->delta = move_field(data, len, ticks);
	return move_section(c, data, n);
}

void cue_move(struct cue *cue, uint8_t *packet, uint64_t ticks)
{
	struct cue_section *c = &cue->now;
	size_t at = ts_payload_offset(packet);
	uint8_t cc = ts_cc(packet);

	if (cue->started && cc == cue->cc && !ts_discontinuity(packet)) {
		/* repeated: it begins in the same section as the last packet */
		*c = cue->before;
	} else {
		if (cue->started && cc != ((cue->cc + 1) & 0x0f))
			*c = (struct cue_section){ 0 };
		cue->before = *c;
		cue->started = true;
		cue->cc = cc;
	}
	if (ts_pusi(packet) && at < TS_PACKET) {
		size_t end = at + 1 + packet[at];

		if (end > TS_PACKET) {
			*c = (struct cue_section){ 0 };
			return;
		}
		(void)move_section(c, packet + at + 1, packet[at]);
		for (at = end; at < TS_PACKET;)
			at += begin(c, packet + at, TS_PACKET - at, ticks);
	} else if (at < TS_PACKET) {
		(void)move_section(c, packet + at, TS_PACKET - at);
	}
}
