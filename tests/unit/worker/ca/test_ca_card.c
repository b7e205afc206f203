/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CA descriptors, the choice among them, and the addressees of EMMs. */
#include "worker/ca/ca_card.h"

#include <criterion/criterion.h>
#include <string.h>

static const uint8_t loop[] = {
	0x52, 1, 7,                                     /* another one */
	9, 4, 0x0b, 0x00, 0xe2, 0x01,
	9, 3, 0x0b, 0x00, 0xe2,                         /* short */
	9, 6, 0x01, 0x00, 0xe2, 0x02, 0x00, 0x6a,       /* Seca */
	9, 15, 0x05, 0x00, 0xe2, 0x03, 0x10, 1, 0,      /* Viaccess */
	0x14, 3, 0x02, 0x3b, 0x17, 0x12, 0, 9,
	9, 4, 0x0b, 0x00, 0xe2, 0x01,                   /* repeated */
};

Test(ca_refs, reads_caid_pid_and_provider_of_each_descriptor_once)
{
	static const struct ca_ref expected[] = {
		{ 0x0b00, 0x201, 0 },
		{ 0x0100, 0x202, 0x6a },
		{ 0x0500, 0x203, 0x023b10 },
	};
	struct ca_refs refs, same;

	ca_refs_read((struct desc_loop){ loop, sizeof loop }, &refs);
	cr_assert_eq(refs.n, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(refs.list[i].caid, expected[i].caid);
		cr_assert_eq(refs.list[i].pid, expected[i].pid);
		cr_assert_eq(refs.list[i].provider, expected[i].provider);
	}
	ca_refs_read((struct desc_loop){ loop, sizeof loop }, &same);
	cr_assert(ca_refs_equal(&refs, &same));
	same.list[1].provider++;
	cr_assert_not(ca_refs_equal(&refs, &same));
}

Test(ca_refs, more_descriptors_than_there_is_room_for_are_ignored)
{
	uint8_t many[6 * (CA_REFS_MAX + 5)];
	struct ca_refs refs;

	for (size_t i = 0; i < sizeof many; i += 6) {
		memcpy(many + i, "\x09\x04\x0b\x00\xe2", 5);
		many[i + 5] = (uint8_t)(i / 6);
	}
	ca_refs_read((struct desc_loop){ many, sizeof many }, &refs);
	cr_assert_eq(refs.n, CA_REFS_MAX);
	/* cut anywhere */
	for (size_t len = 0; len < sizeof loop; len++)
		ca_refs_read((struct desc_loop){ loop, len }, &refs);
}

Test(ca_refs, a_cat_has_its_descriptors_between_head_and_checksum)
{
	uint8_t cat[64] = { 1, 0xb0, 0, 0xff, 0xff, 0xc1, 0, 0, 9, 4, 0x0b,
			    0x00, 0xe3, 0x00, 9, 4, 0x0b, 0x01 };
	struct ca_refs refs;

	ca_refs_read_cat(cat, 18, &refs);
	cr_assert_eq(refs.n, 1);
	cr_assert_eq(refs.list[0].pid, 0x300);
	for (size_t len = 0; len < 13; len++) {
		ca_refs_read_cat(cat, len, &refs);
		cr_assert_eq(refs.n, 0);
	}
}

static struct ca_card card_of(unsigned caid)
{
	struct msg_stream_cam m = {
		.caid = caid, .ua = "0000A1B2C3D4E5F6", .n = 3,
		.idents = { { "000012", "0000000001020304" },
			    { "bad", "0000000000000000" },
			    { "023b10", "0000000000000000" } },
	};
	struct ca_card card;

	ca_card_read(&m, &card);
	return card;
}

Test(ca_card, the_ecm_of_its_caid_and_of_a_provider_of_the_card_is_chosen)
{
	static const struct ca_refs refs = { 4, { { 0x0500, 1, 0x011100 },
						  { 0x0500, 2, 0x023b10 },
						  { 0x0b00, 3, 0 },
						  { 0x0b00, 4, 0 } } };
	struct ca_card card = card_of(0x0500);

	cr_assert_eq(card.n, 2);
	cr_assert_eq(ca_card_choose(&card, &refs)->pid, 2);
	card = card_of(0x0b00);
	cr_assert_eq(ca_card_choose(&card, &refs)->pid, 3);
	card.caid = 0x0b01;
	cr_assert_null(ca_card_choose(&card, &refs));
	card.caid = 0;
	cr_assert_null(ca_card_choose(&card, &refs));
}

Test(ca_card, an_emm_is_for_one_card_a_group_all_or_others)
{
	static const struct {
		uint8_t id;
		unsigned caid;
		const char *body;
		size_t len;
		enum emm_kind kind;
	} rows[] = {
		{ 0x82, 0x0b00, "\xa1\xb2\xc3\xd4\xe5\xf6....", 10,
		  EMM_UNIQUE },
		{ 0x82, 0x0b00, "..\xa1\xb2\xc3\xd4\xe5\xf6..", 10,
		  EMM_UNIQUE },
		{ 0x82, 0x0b00, "\xa1\xb2\xc3\xd4\xe5\xf7....", 10, EMM_OTHER },
		{ 0x84, 0x0b00, "..\x01\x02\x03\x04....", 10, EMM_SHARED },
		{ 0x88, 0x0b00, "..........", 10, EMM_GLOBAL },
		{ 0x88, 0x0500, "..........", 10, EMM_OTHER },
		{ 0x8c, 0x0500, "..........", 10, EMM_GLOBAL },
		{ 0x82, 0x1801, "..........", 10, EMM_GLOBAL },
		{ 0x83, 0x1801, "..........", 10, EMM_OTHER },
		{ 0x81, 0x0b00, "\xa1\xb2\xc3\xd4\xe5\xf6....", 10, EMM_OTHER },
		{ 0x90, 0x0b00, "\xa1\xb2\xc3\xd4\xe5\xf6....", 10, EMM_OTHER },
		{ 0x82, 0x0b00, "", 0, EMM_OTHER },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct ca_card card = card_of(rows[i].caid);
		uint8_t s[16] = { rows[i].id, 0x70, (uint8_t)rows[i].len };

		memcpy(s + 3, rows[i].body, rows[i].len);
		cr_expect_eq(ca_card_judge_emm(&card, (uint16_t)rows[i].caid, s,
					       3 + rows[i].len),
			     rows[i].kind, "%zu", i);
	}
}
