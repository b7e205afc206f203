/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets through the section assembler and the follower of tables, and each
 * section that comes out packed and assembled again.
 */
#include "common/base/crc32.h"
#include "tests/fuzz/fuzz.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_round_trip(const uint8_t *section, size_t len)
{
	struct section_assembler back;
	uint8_t packets[23 * TS_PACKET];
	uint8_t buffer[SECTION_MAX];
	uint8_t cc = 14;
	size_t back_len = 0;
	size_t n = section_pack(section, len, 0x100, &cc, packets);
	const uint8_t *again = NULL;

	check(n == section_packets(len) && n * TS_PACKET <= sizeof packets);
	section_init(&back, buffer, sizeof buffer);
	for (size_t i = 0; i < n; i++) {
		check(!again);
		section_push(&back, packets + i * TS_PACKET);
		again = section_pull(&back, &back_len);
	}
	/* a table_id of 0xff is stuffing: no section begins with it */
	if (section[0] == 0xff)
		return;
	check(again && back_len == len && memcmp(again, section, len) == 0);
}

/* Makes the CRC_32 of a packet's first section right, or few inputs would come
 * further. */
static void mend_crc(uint8_t *packet)
{
	size_t at = ts_payload_offset(packet);

	if (!ts_pusi(packet) || at >= TS_PACKET - 1)
		return;
	at += (size_t)1 + packet[at];
	if (at + 12 > TS_PACKET)
		return;

	size_t len = section_length(packet + at);

	if (len < 12 || at + len > TS_PACKET)
		return;

	uint32_t crc = crc32_mpeg(packet + at, len - 4);
	uint8_t *end = packet + at + len - 4;

	for (int i = 0; i < 4; i++)
		end[i] = (uint8_t)(crc >> (24 - 8 * i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct section_assembler assembler;
	const struct psi_program *programs;
	uint8_t buffer[SECTION_MAX];
	uint8_t packet[TS_PACKET];
	const uint8_t *section;
	size_t len;

	if (size == 0)
		return 0;

	struct psi *psi = psi_new();
	bool mend = data[0] & 1;

	section_init(&assembler, buffer,
		     data[0] & 2 ? SECTION_PSI_MAX : SECTION_MAX);
	for (data++, size--; size >= TS_PACKET;
	     data += TS_PACKET, size -= TS_PACKET) {
		memcpy(packet, data, TS_PACKET);
		if (mend)
			mend_crc(packet);
		(void)psi_feed(psi, packet);
		section_push(&assembler, packet);
		while ((section = section_pull(&assembler, &len))) {
			check(len >= 3 && len <= assembler.size);
			check(len == section_length(section));
			check_round_trip(section, len);
		}
	}
	check(psi_programs(psi, &programs) <= PSI_PROGRAMS_MAX);
	psi_free(&psi);
	return 0;
}
