/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of any kind as those of a PID with cue messages: the lengths of
 * sections stay, a right CRC_32 stays right, and back is back.
 */
#include "common/base/crc32.h"
#include "tests/fuzz/fuzz.h"
#include "worker/splice/cue.h"
#include "worker/ts/pes.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

struct side {
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
};

static void compare(struct side *was, struct side *is)
{
	const uint8_t *a, *b;
	size_t len, moved;

	while ((a = section_pull(&was->assembler, &len)) != NULL) {
		b = section_pull(&is->assembler, &moved);
		check(b != NULL && moved == len);
		check(memcmp(a, b, len < 4 ? len : 4) == 0);
		if (len >= 4)
			check((crc32_mpeg(a, len) == 0) ==
			      (crc32_mpeg(b, len) == 0));
	}
	check(section_pull(&is->assembler, &moved) == NULL);
}

/* Values that a random search would not find: a length that fits, and its
 * CRC_32. */
static void mend(uint8_t *p)
{
	size_t at = ts_payload_offset(p), len;
	uint32_t crc;

	if (!ts_pusi(p) || at + 20 > TS_PACKET)
		return;
	p[at] = 0;
	p[at + 1] = CUE_TABLE_ID;
	/* no section of the long form, whose CRC_32 would be checked */
	p[at + 2] &= 0x70;
	len = 13 + p[at + 3] % (TS_PACKET - at - 13);
	p[at + 3] = (uint8_t)(len - 3);
	crc = crc32_mpeg(p + at + 1, len - 4);
	for (size_t i = 0; i < 4; i++)
		p[at + len - 3 + i] = (uint8_t)(crc >> (24 - 8 * i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct side was, is;
	struct cue there = { 0 }, back = { 0 };
	uint64_t ticks = 0;

	if (size < 6)
		return 0;
	for (size_t i = 0; i < 5; i++)
		ticks = (ticks << 8 | data[1 + i]) % PES_TIME_WRAP;
	section_init(&was.assembler, was.buffer, SECTION_MAX);
	section_init(&is.assembler, is.buffer, SECTION_MAX);
	for (size_t at = 6; at + TS_PACKET <= size; at += TS_PACKET) {
		uint8_t packet[TS_PACKET], moved[TS_PACKET];

		memcpy(packet, data + at, TS_PACKET);
		packet[0] = TS_SYNC_BYTE;
		packet[1] &= 0x5f;
		packet[3] = (uint8_t)(0x10 | (packet[3] & 0x2f));
		if (ts_payload_offset(packet) >= TS_PACKET)
			continue;
		if (data[0] & 1)
			mend(packet);
		memcpy(moved, packet, sizeof moved);
		cue_move(&there, moved, ticks);
		section_push(&was.assembler, packet);
		section_push(&is.assembler, moved);
		compare(&was, &is);
		cue_move(&back, moved,
			 (PES_TIME_WRAP - ticks) % PES_TIME_WRAP);
		check(memcmp(moved, packet, sizeof moved) == 0);
	}
	return 0;
}
