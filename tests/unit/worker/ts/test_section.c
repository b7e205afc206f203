/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/section.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PID = 0x123 };

struct rig {
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
	struct build *build;
	size_t n_sections;
	uint8_t last[SECTION_MAX];
	size_t last_len;
};

static void rig_init(struct rig *rig, size_t size)
{
	section_init(&rig->assembler, rig->buffer, size);
	rig->build = build_new();
	rig->n_sections = 0;
	rig->last_len = 0;
}

static void push(struct rig *rig, const uint8_t *packet)
{
	const uint8_t *section;
	size_t len;

	section_push(&rig->assembler, packet);
	while ((section = section_pull(&rig->assembler, &len))) {
		cr_assert_leq(len, sizeof rig->last);
		memcpy(rig->last, section, len);
		rig->last_len = len;
		rig->n_sections++;
	}
}

static void push_all(struct rig *rig)
{
	for (size_t i = 0; i < rig->build->n; i++)
		push(rig, build_packet(rig->build, i));
}

/* A section of exactly len bytes. */
static size_t make_of(uint8_t table_id, uint8_t *ret, size_t len,
		      uint8_t seed)
{
	uint8_t body[SECTION_MAX];

	for (size_t i = 0; i < len - 12; i++)
		body[i] = (uint8_t)(i * 31 + seed);
	return build_table(ret, &(struct build_table){ .table_id = table_id,
						       .extension = seed,
						       .body = body,
						       .len = len - 12 });
}

static size_t make(uint8_t *ret, size_t len, uint8_t seed)
{
	return make_of(0x42, ret, len, seed);
}

/* Sections behind one another in packets, as a multiplexer packs them tight:
 * a pointer_field in each packet in which a section begins. */
static void pack_tight(struct build *b, const uint8_t *data,
		       const size_t *starts, size_t n, size_t len)
{
	size_t at = 0, next = 0;

	while (at < len) {
		uint8_t *p = build_payload(b, PID, 0xff);
		size_t off = 4;

		memset(p + 4, 0xff, TS_PACKET - 4);
		if (next < n && starts[next] < at + TS_PACKET - 5) {
			p[1] |= 0x40;
			p[off++] = (uint8_t)(starts[next] - at);
		}

		size_t take = len - at < TS_PACKET - off ? len - at
							 : TS_PACKET - off;

		memcpy(p + off, data + at, take);
		at += take;
		while (next < n && starts[next] < at)
			next++;
	}
}

Test(section, every_length_survives_packing)
{
	uint8_t section[SECTION_MAX];

	for (size_t len = 12; len <= SECTION_MAX; len += 1 + len / 50) {
		struct rig rig;

		rig_init(&rig, SECTION_MAX);
		make(section, len, 5);
		build_section(rig.build, PID, section, len);
		cr_assert_eq(rig.build->n, section_packets(len));
		push_all(&rig);
		cr_assert_eq(rig.n_sections, 1, "%zu bytes", len);
		cr_assert_eq(rig.last_len, len);
		cr_assert_eq(memcmp(rig.last, section, len), 0);
		cr_assert_eq(rig.assembler.broken, 0);
		build_free(rig.build);
	}
}

Test(section, packing_continues_the_counter)
{
	struct build *b = build_new();
	uint8_t section[SECTION_MAX];

	b->cc[PID] = 14;
	build_section(b, PID, section, make(section, 400, 1));
	cr_assert_eq(b->n, 3);
	cr_assert_eq(ts_cc(build_packet(b, 0)), 14);
	cr_assert_eq(ts_cc(build_packet(b, 2)), 0);
	cr_assert_eq(b->cc[PID], 1);
	cr_assert(ts_pusi(build_packet(b, 0)));
	cr_assert(!ts_pusi(build_packet(b, 1)));
	cr_assert_eq(ts_pid(build_packet(b, 2)), PID);
	build_free(b);
}

Test(section, finds_sections_that_share_packets)
{
	static const size_t lengths[] = { 300, 40, 12, 170, 171, 172, 900, 50 };
	enum { N = sizeof lengths / sizeof *lengths };
	uint8_t data[4096];
	size_t starts[N], len = 0;
	struct rig rig;

	for (size_t i = 0; i < N; i++) {
		starts[i] = len;
		len += make(data + len, lengths[i], (uint8_t)i);
	}
	rig_init(&rig, SECTION_MAX);
	pack_tight(rig.build, data, starts, N, len);
	push_all(&rig);
	cr_assert_eq(rig.n_sections, N);
	cr_assert_eq(rig.last_len, 50);
	cr_assert_eq(rig.assembler.broken + rig.assembler.crc_errors, 0);
	build_free(rig.build);
}

Test(section, a_lost_packet_drops_one_section)
{
	uint8_t section[SECTION_MAX];
	struct rig rig;
	size_t len = make(section, 500, 1);

	rig_init(&rig, SECTION_MAX);
	for (int i = 0; i < 3; i++)
		build_section(rig.build, PID, section, len);
	cr_assert_eq(rig.build->n, 9);
	for (size_t i = 0; i < 9; i++)
		if (i != 4)
			push(&rig, build_packet(rig.build, i));
	cr_assert_eq(rig.n_sections, 2);
	cr_assert_eq(rig.assembler.broken, 1);
	build_free(rig.build);
}

Test(section, a_duplicate_packet_changes_nothing)
{
	uint8_t section[SECTION_MAX];
	struct rig rig;

	rig_init(&rig, SECTION_MAX);
	build_section(rig.build, PID, section, make(section, 500, 1));
	for (size_t i = 0; i < 3; i++) {
		push(&rig, build_packet(rig.build, i));
		push(&rig, build_packet(rig.build, i));
	}
	cr_assert_eq(rig.n_sections, 1);
	cr_assert_eq(rig.assembler.broken, 0);
	build_free(rig.build);
}

Test(section, rejects_a_wrong_checksum_and_reads_the_next)
{
	uint8_t section[SECTION_MAX];
	struct rig rig;
	size_t len = make(section, 100, 1);

	rig_init(&rig, SECTION_MAX);
	section[50] ^= 1;
	build_section(rig.build, PID, section, len);
	section[50] ^= 1;
	build_section(rig.build, PID, section, len);
	push_all(&rig);
	cr_assert_eq(rig.n_sections, 1);
	cr_assert_eq(rig.assembler.crc_errors, 1);
	build_free(rig.build);
}

Test(section, rejects_a_section_longer_than_the_limit)
{
	uint8_t section[SECTION_MAX];
	struct rig rig;

	rig_init(&rig, SECTION_PSI_MAX);
	build_section(rig.build, PID, section,
		      make_of(2, section, SECTION_PSI_MAX + 1, 1));
	build_section(rig.build, PID, section,
		      make_of(2, section, SECTION_PSI_MAX, 1));
	push_all(&rig);
	cr_assert_eq(rig.n_sections, 1);
	cr_assert_eq(rig.last_len, SECTION_PSI_MAX);
	cr_assert_eq(rig.assembler.broken, 1);
	build_free(rig.build);
}

Test(section, rejects_a_pointer_behind_the_packet)
{
	uint8_t section[SECTION_MAX];
	struct rig rig;
	size_t len = make(section, 100, 1);

	rig_init(&rig, SECTION_MAX);
	build_section(rig.build, PID, section, len)[4] = 183;
	build_section(rig.build, PID, section, len)[4] = 255;
	build_section(rig.build, PID, section, len);
	push_all(&rig);
	cr_assert_eq(rig.n_sections, 1);
	cr_assert_eq(rig.assembler.broken, 2);
	build_free(rig.build);
}

Test(section, a_start_drops_the_incomplete_section)
{
	uint8_t section[SECTION_MAX];
	struct rig rig;
	size_t len = make(section, 300, 1);

	rig_init(&rig, SECTION_MAX);
	build_section(rig.build, PID, section, len);
	rig.build->n--; /* its second packet is never sent */
	rig.build->cc[PID]--;
	build_section(rig.build, PID, section, len);
	push_all(&rig);
	cr_assert_eq(rig.n_sections, 1);
	cr_assert_eq(rig.assembler.broken, 1);
	build_free(rig.build);
}

Test(section, ignores_damaged_and_scrambled_packets)
{
	uint8_t section[SECTION_MAX];
	struct rig rig;
	size_t len = make(section, 100, 1);

	rig_init(&rig, SECTION_MAX);
	build_section(rig.build, PID, section, len)[1] |= 0x80; /* TEI */
	build_section(rig.build, PID, section, len)[3] |= 0x80; /* scrambled */
	build_section(rig.build, PID, section, len)[3] &= 0xef; /* no payload */
	push_all(&rig);
	cr_assert_eq(rig.n_sections, 0);
	build_free(rig.build);
}

Test(section, accepts_short_sections_without_a_checksum)
{
	/* a time and date section: no syntax, no CRC_32 */
	static const uint8_t tdt[] = { 0x70, 0x70, 5, 0xea, 1, 2, 3, 4 };
	struct rig rig;

	rig_init(&rig, SECTION_MAX);
	build_section(rig.build, PID, tdt, sizeof tdt);
	push_all(&rig);
	cr_assert_eq(rig.n_sections, 1);
	cr_assert_eq(rig.last_len, sizeof tdt);
	build_free(rig.build);
}

Test(section, rejects_a_long_header_in_a_short_section)
{
	static const uint8_t shorty[] = { 0x02, 0xb0, 8, 1, 2, 3, 4, 5, 6, 7,
					  8 };
	struct rig rig;

	rig_init(&rig, SECTION_MAX);
	build_section(rig.build, PID, shorty, sizeof shorty);
	push_all(&rig);
	cr_assert_eq(rig.n_sections, 0);
	cr_assert_eq(rig.assembler.broken, 1);
	build_free(rig.build);
}

/* The header, and with it the length, arrives in two packets. */
Test(section, rejects_a_late_wrong_length_and_reads_the_next)
{
	uint8_t data[SECTION_MAX + 300];
	size_t starts[3], len = 0;
	struct rig rig;

	for (size_t lost = 0; lost < 2; lost++) {
		rig_init(&rig, SECTION_PSI_MAX);
		starts[0] = 0;
		len = make(data, 181, 1); /* 2 bytes of 183 are left */
		starts[1] = len;
		make(data + len, lost ? 300 : SECTION_PSI_MAX + 1, 2);
		len += 10;
		starts[2] = len; /* cut short by the third */
		len += make(data + len, 50, 3);
		pack_tight(rig.build, data, starts, 3, len);
		push_all(&rig);
		cr_assert_eq(rig.n_sections, 2);
		cr_assert_eq(rig.last_len, 50);
		cr_assert_eq(rig.assembler.broken, 1);
		build_free(rig.build);
	}
}

Test(section, a_reset_forgets_the_begun_section)
{
	uint8_t section[SECTION_MAX];
	struct rig rig;

	rig_init(&rig, SECTION_MAX);
	build_section(rig.build, PID, section, make(section, 300, 1));
	push(&rig, build_packet(rig.build, 0));
	section_reset(&rig.assembler);
	push(&rig, build_packet(rig.build, 1));
	cr_assert_eq(rig.n_sections, 0);
	cr_assert_eq(rig.assembler.broken, 0);
	build_free(rig.build);
}

/* Private sections may have 4,096 bytes in all (ISO/IEC 13818-1 2.4.4.11). */
Test(section, passes_over_a_private_section_that_exceeds_its_memory)
{
	uint8_t data[2 * SECTION_MAX];
	struct rig rig;
	size_t starts[3] = { 0 }, len;

	rig_init(&rig, SECTION_PSI_MAX);
	len = make_of(0x80, data, SECTION_MAX, 1);
	starts[1] = len;
	len += make_of(2, data + len, 300, 2);
	starts[2] = len;
	len += make_of(0x80, data + len, SECTION_PSI_MAX + 1, 3);
	pack_tight(rig.build, data, starts, 3, len);
	build_section(rig.build, PID, data, make_of(2, data, 200, 4));
	push_all(&rig);
	cr_assert_eq(rig.n_sections, 2);
	cr_assert_eq(rig.last_len, 200);
	cr_assert_eq(rig.assembler.broken + rig.assembler.crc_errors, 0);
	build_free(rig.build);
}

Test(section, counts_a_private_section_above_4096_bytes)
{
	uint8_t data[SECTION_MAX];
	struct rig rig;

	rig_init(&rig, SECTION_PSI_MAX);
	(void)make_of(0x80, data, 1000, 1);
	data[1] = 0xbf; /* section_length 4094 */
	data[2] = 0xfe;
	build_section(rig.build, PID, data, 1000);
	build_section(rig.build, PID, data, make_of(2, data, 200, 4));
	push_all(&rig);
	cr_assert_eq(rig.n_sections, 1);
	cr_assert_eq(rig.assembler.broken, 1);
	build_free(rig.build);
}
