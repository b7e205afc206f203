/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/stamps.h"

#include "common/base/util.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"

#include <string.h>

enum {
	FLAG_PCR = 0x10,
	FLAG_OPCR = 0x08,
	FLAG_SPLICING_POINT = 0x04,
	FLAG_PRIVATE = 0x02,
	FLAG_EXTENSION = 0x01,

	EXTENSION_LTW = 0x80,
	EXTENSION_RATE = 0x40,
	EXTENSION_SEAMLESS = 0x20,

	PCR_LEN = 6,
	TIME_LEN = 5,
	ESCR_LEN = 6,
};

static void move_time(uint8_t *stamp, uint64_t ticks)
{
	pes_set_time(stamp, (pes_time(stamp) + ticks) % PES_TIME_WRAP);
}

/* Moves a PCR or an OPCR; layout: ISO/IEC 13818-1 2.4.3.5. */
static void move_clock(uint8_t *p, uint64_t ticks)
{
	uint64_t base = (uint64_t)p[0] << 25 | (uint64_t)p[1] << 17 |
		(uint64_t)p[2] << 9 | (uint64_t)p[3] << 1 | p[4] >> 7;

	base = (base + ticks) % PES_TIME_WRAP;
	p[0] = (uint8_t)(base >> 25);
	p[1] = (uint8_t)(base >> 17);
	p[2] = (uint8_t)(base >> 9);
	p[3] = (uint8_t)(base >> 1);
	p[4] = (uint8_t)((base & 1) << 7 | (p[4] & 0x7f));
}

static void move_adaptation(uint8_t *packet, struct stamps_move by)
{
	uint8_t flags = ts_adaptation_flags(packet);
	uint8_t *p = packet + 6;
	uint8_t *end = packet + 5 + packet[4];

	for (unsigned flag = FLAG_PCR; flag >= FLAG_OPCR; flag >>= 1) {
		if (!(flags & flag))
			continue;
		if (end - p < PCR_LEN)
			return;
		move_clock(p, by.clock);
		p += PCR_LEN;
	}
	if (!(flags & FLAG_EXTENSION))
		return;
	if (flags & FLAG_SPLICING_POINT)
		p++;
	if (flags & FLAG_PRIVATE) {
		if (end - p < 1 || *p >= end - p)
			return;
		p += 1 + *p;
	}
	if (end - p < 2 || p[0] < 1 || p[0] >= end - p)
		return;
	end = p + 1 + p[0];
	flags = p[1];
	p += 2;
	if (flags & EXTENSION_LTW)
		p += 2;
	if (flags & EXTENSION_RATE)
		p += 3;
	if ((flags & EXTENSION_SEAMLESS) && end - p >= TIME_LEN)
		move_time(p, by.times);
}

/* Moves an ESCR, whose base has marker bits; layout: ISO/IEC 13818-1
 * 2.4.3.7. */
static void move_pes_clock(uint8_t *p, uint64_t ticks)
{
	uint64_t base = (uint64_t)(p[0] >> 3 & 0x07) << 30 |
			(uint64_t)(p[0] & 0x03) << 28 | (uint64_t)p[1] << 20 |
			(uint64_t)(p[2] >> 3) << 15 |
			(uint64_t)(p[2] & 0x03) << 13 |
			(uint64_t)p[3] << 5 | p[4] >> 3;

	base = (base + ticks) % PES_TIME_WRAP;
	p[0] = (uint8_t)((p[0] & 0xc4) | (base >> 30 & 0x07) << 3 |
			 (base >> 28 & 0x03));
	p[1] = (uint8_t)(base >> 20);
	p[2] = (uint8_t)((p[2] & 0x04) | (base >> 15 & 0x1f) << 3 |
			 (base >> 13 & 0x03));
	p[3] = (uint8_t)(base >> 5);
	p[4] = (uint8_t)((base & 0x1f) << 3 | (p[4] & 0x07));
}

void stamps_move_header(uint8_t *pes, size_t len, struct stamps_move by)
{
	struct pes_ends h;

	if (len < PES_HEADER)
		return;
	h = pes_ends(pes);
	if (h.pts > 0 && h.pts <= len)
		move_time(pes + h.pts - TIME_LEN, by.times);
	if (h.dts > 0 && h.dts <= len)
		move_time(pes + h.dts - TIME_LEN, by.times);
	if (h.escr > 0 && h.escr <= len)
		move_pes_clock(pes + h.escr - ESCR_LEN, by.clock);
}

void stamps_move(uint8_t *packet, struct stamps_move by)
{
	size_t len;

	if (ts_adaptation_flags(packet) != 0)
		move_adaptation(packet, by);
	if (ts_pusi(packet) && pes_find(packet, &len) != NULL)
		stamps_move_header(packet + TS_PACKET - len, len, by);
}

void stamps_drop_pcr(uint8_t *packet)
{
	size_t field = (size_t)5 + packet[4];

	memmove(packet + 6, packet + 6 + PCR_LEN, field - 6 - PCR_LEN);
	memset(packet + field - PCR_LEN, 0xff, PCR_LEN);
	packet[5] &= (uint8_t)~FLAG_PCR;
}

void stamps_drop_payload(uint8_t *packet)
{
	/* clears PUSI and random_access_indicator, which describe the
	 * payload */
	packet[1] &= 0xbf;
	packet[3] = (uint8_t)(0x20 | (packet[3] & 0x0f));
	packet[4] = TS_PACKET - 5;
	packet[5] = FLAG_PCR | (packet[5] & 0x80);
	memset(packet + 6 + PCR_LEN, 0xff, TS_PACKET - 6 - PCR_LEN);
}
