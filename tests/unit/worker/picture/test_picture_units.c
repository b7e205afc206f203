/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/picture/picture_units.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

enum { VIDEO = 0x101, AUDIO = 0x102 };

static int read_units(const struct build *b, struct picture_units *u,
		      struct errmsg *error)
{
	return picture_units_read(u, b->data, b->n, error);
}

Test(picture_units, are_the_payload_of_the_first_pictures)
{
	struct build *b = build_new();
	struct picture_units u = { .n = 0 };
	struct errmsg error;

	build_tables(b);
	/* the rest of an earlier picture */
	build_payload(b, VIDEO, 0x55);
	build_pes(b, VIDEO, "one", 3);
	build_pes(b, AUDIO, "sound", 5);
	build_payload(b, VIDEO, 0x11);
	build_pes(b, VIDEO, "two", 3);
	cr_assert_eq(read_units(b, &u, &error), 0);
	cr_expect_eq(u.coding, 0x1b);
	cr_expect_eq(u.n, 2);
	cr_expect_not(u.complete);
	cr_expect_eq(memcmp(u.list[0].data, "one", 3), 0);
	cr_expect_eq(u.list[0].data[u.list[0].len - 1], 0x11);
	for (size_t i = 0; i < PICTURE_PADDING; i++)
		cr_expect_eq(u.list[0].data[u.list[0].len + i], 0);
	cr_expect_eq(memcmp(u.list[1].data, "two", 3), 0);
	picture_units_done(&u);
	/* what follows the last one shows that it is complete */
	build_pes(b, VIDEO, "three", 5);
	build_pes(b, VIDEO, "four", 4);
	build_pes(b, VIDEO, "five", 4);
	cr_assert_eq(read_units(b, &u, &error), 0);
	cr_expect_eq(u.n, PICTURE_UNITS);
	cr_expect(u.complete);
	cr_expect_eq(memcmp(u.list[2].data, "three", 5), 0);
	picture_units_done(&u);
	build_free(b);
}

/* 14 bytes: the header has a packet of its own. */
Test(picture_units, two_packets_may_have_the_header_of_a_picture)
{
	for (size_t first = 1; first <= 15; first++) {
		struct build *b = build_new();
		struct picture_units u = { .n = 0 };
		struct errmsg error;

		build_tables(b);
		build_pes(b, VIDEO, "one", 3);
		build_split(b, first);
		build_pes(b, VIDEO, "two", 3);
		build_split(b, first);
		cr_assert_eq(read_units(b, &u, &error), 0, "%zu", first);
		cr_expect_eq(u.n, 2, "%zu: %zu", first, u.n);
		cr_expect(u.list[0].len == 3 &&
			  memcmp(u.list[0].data, "one", 3) == 0, "%zu", first);
		cr_expect(u.n == 2 && u.list[1].len == 3 &&
			  memcmp(u.list[1].data, "two", 3) == 0, "%zu", first);
		picture_units_done(&u);
		build_free(b);
	}
}

Test(picture_units, a_stream_without_one_has_a_reason)
{
	struct build *b = build_new();
	struct picture_units u = { .n = 0 };
	struct errmsg error;
	uint8_t *packet;

	cr_expect_eq(read_units(b, &u, &error), -EAGAIN);
	build_tables(b);
	cr_expect_eq(read_units(b, &u, &error), -EAGAIN);
	cr_expect_str_eq(error.text, "no picture has arrived yet");
	packet = build_pes(b, VIDEO, "one", 3);
	packet[3] |= 0x80;
	cr_expect_eq(read_units(b, &u, &error), -ENOENT);
	cr_expect_str_eq(error.text, "the stream is scrambled");
	build_free(b);
}

Test(picture_units, radio_has_none)
{
	const struct build_entry program = { 1, 0x100 };
	const struct build_es audio = { .type = 4, .pid = AUDIO };
	struct build *b = build_new();
	struct picture_units u = { .n = 0 };
	uint8_t section[1024];
	struct errmsg error;

	build_section(b, 0, section, build_pat(section, 0, &program, 1));
	build_section(b, 0x100, section,
		      build_pmt(section, program, 0, &audio, 1));
	build_pes(b, AUDIO, "sound", 5);
	cr_expect_eq(read_units(b, &u, &error), -ENOENT);
	cr_expect_str_eq(error.text, "the stream has no video");
	build_free(b);
}

Test(picture_units, a_unit_without_end_is_cut)
{
	struct build *b = build_new();
	struct picture_units u = { .n = 0 };
	struct errmsg error;
	uint8_t *many;
	size_t n = PICTURE_UNIT_MAX / TS_PACKET + 1000, head;

	build_tables(b);
	build_pes(b, VIDEO, "one", 3);
	head = b->n;
	many = malloc((head + n) * TS_PACKET);
	memcpy(many, b->data, head * TS_PACKET);
	build_payload(b, VIDEO, 0x22);
	for (size_t i = 0; i < n; i++)
		memcpy(many + (head + i) * TS_PACKET, build_packet(b, head),
		       TS_PACKET);
	cr_assert_eq(picture_units_read(&u, many, head + n, &error), 0);
	cr_expect_eq(u.n, 1);
	cr_expect_leq(u.list[0].len, PICTURE_UNIT_MAX);
	picture_units_done(&u);
	free(many);
	build_free(b);
}

Test(picture_units, a_header_longer_than_its_packet_begins_nothing)
{
	struct build *b = build_new();
	struct picture_units u = { .n = 0 };
	struct errmsg error;
	uint8_t *packet;

	build_tables(b);
	packet = build_pes(b, VIDEO, "one", 3);
	packet[ts_payload_offset(packet) + 8] = 255;
	cr_expect_eq(read_units(b, &u, &error), -EAGAIN);
	build_free(b);
}
