/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/emm_packer.h"

#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

enum { EMM = 0x82, PAYLOAD = TS_PACKET - 4 };

static struct emm_packer packer;

/* The content follows from length and number. */
static void write_section(uint8_t *ret, size_t len, unsigned number)
{
	ret[0] = EMM;
	ret[1] = (uint8_t)(0x70 | (len - 3) >> 8);
	ret[2] = (uint8_t)(len - 3);
	for (size_t i = 3; i < len; i++)
		ret[i] = (uint8_t)(number + i);
}

static bool add(size_t len, unsigned number)
{
	uint8_t section[SECTION_MAX];

	write_section(section, len, number);
	return emm_packer_add(&packer, section, len);
}

/* What a receiver finds in the packets. */
static void assert_sections(struct ts_run run, const size_t *lens, size_t n)
{
	uint8_t buffer[SECTION_MAX], packet[TS_PACKET], want[SECTION_MAX];
	struct section_assembler assembler;
	const uint8_t *section;
	size_t found = 0, len;

	section_init(&assembler, buffer, sizeof buffer);
	for (size_t i = 0; i < run.n; i++) {
		memcpy(packet, run.data + i * TS_PACKET, TS_PACKET);
		ts_set_cc(packet, i & 15);
		section_push(&assembler, packet);
		while ((section = section_pull(&assembler, &len)) != NULL) {
			cr_assert_lt(found, n);
			cr_assert_eq(len, lens[found]);
			write_section(want, len, (unsigned)found);
			cr_assert_arr_eq(section, want, len);
			found++;
		}
	}
	cr_assert_eq(assembler.broken, 0);
	cr_assert_eq(found, n);
}

Test(emm_packer, short_sections_share_packets)
{
	size_t lens[100];
	struct ts_run run;

	for (unsigned i = 0; i < 100; i++) {
		lens[i] = 100;
		cr_assert(add(100, i));
	}
	run = emm_packer_take(&packer);
	assert_sections(run, lens, 100);
	cr_assert_eq(run.n, (100 * 100 + PAYLOAD - 2) / (PAYLOAD - 1));
	cr_assert_eq(emm_packer_take(&packer).n, 0);
}

/* Every length behind every place in a packet. */
Test(emm_packer, sections_of_any_length_are_whole)
{
	for (size_t first = 3; first < 2 * TS_PACKET; first++)
		for (size_t second = 3; second < 2 * TS_PACKET; second++) {
			size_t lens[] = { first, second, 3 };

			for (unsigned i = 0; i < 3; i++)
				cr_assert(add(lens[i], i));
			assert_sections(emm_packer_take(&packer), lens, 3);
		}
}

Test(emm_packer, a_section_without_room_changes_nothing)
{
	size_t lens[EMM_PACKER_MAX], n = 0;

	while (add(SECTION_MAX, (unsigned)n))
		lens[n++] = SECTION_MAX;
	cr_assert_eq(n, EMM_PACKER_MAX * PAYLOAD / SECTION_MAX);
	cr_assert_not(add(SECTION_MAX, 0));
	assert_sections(emm_packer_take(&packer), lens, n);
	cr_assert(add(SECTION_MAX, 0));
}
