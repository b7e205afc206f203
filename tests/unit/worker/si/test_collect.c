/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/collect.h"

#include "common/base/util.h"
#include "tests/unit/proto/si/json_eq.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The reported sections: "0/00 17/42 …", PID and table. */
static struct found {
	char text[4096];
	unsigned n;
	bool full; /* reads nothing */
} found;

static bool on_section(const uint8_t *section, size_t len, uint16_t pid,
		       void *arg)
{
	struct found *h = arg;
	size_t used = strlen(h->text);

	cr_assert_geq(len, 3);
	if (h->full)
		return false;
	h->n++;
	(void)snprintf(h->text + used, sizeof h->text - used, "%x/%02x ", pid,
		       section[0]);
	return true;
}

static void feed(struct collect *c, struct build *b)
{
	collect_feed(c, build_run(b));
	b->n = 0;
}

static void expect(const char *text)
{
	cr_expect_str_eq(found.text, text);
	found.text[0] = '\0';
}

static void add_table(struct build *b, uint16_t pid, uint8_t table_id,
		      uint16_t extension, const char *body)
{
	uint8_t bytes[256], section[512];
	size_t len = from_hex(body, bytes, sizeof bytes);

	len = build_table(section, &(struct build_table){
		.table_id = table_id, .extension = extension,
		.body = bytes, .len = len });
	(void)build_section(b, pid, section, len);
}

Test(collect, reads_tables_on_their_own_pids)
{
	struct build *b = build_new();
	struct collect *c = collect_new(on_section, &found);

	add_table(b, 0, 0x00, 1, "0001 e100 0000 e020");
	add_table(b, 1, 0x01, 1, "");
	add_table(b, 0x100, 0x02, 1, "e101 f000");
	add_table(b, 0x10, 0x40, 1, "f000 f000");
	add_table(b, 0x20, 0x40, 1, "f000 f000");
	add_table(b, 0x11, 0x42, 1, "0001 ff");
	add_table(b, 0x11, 0x4a, 1, "f000 f000");
	add_table(b, 0x12, 0x4e, 1, "0001 0001 00 4e");
	add_table(b, 0x12, 0x50, 1, "0001 0001 00 4e");
	add_table(b, 0x1ffb, 0xc8, 1, "0000 fc00");
	add_table(b, 0x1ffb, 0xc9, 1, "0000 fc00");
	/* on other PIDs */
	add_table(b, 0x11, 0xc8, 1, "0000 fc00");
	add_table(b, 0x1ffb, 0x42, 1, "0001 ff");
	add_table(b, 0x1ffb, 0xc7, 1, "00");
	add_table(b, 0x100, 0x00, 1, "");
	add_table(b, 0x11, 0x40, 1, "f000 f000");
	add_table(b, 0x101, 0x02, 1, "e101 f000");
	feed(c, b);
	expect("0/00 1/01 100/02 10/40 20/40 11/42 11/4a 12/4e "
	       "1ffb/c8 1ffb/c9 ");
	collect_free(&c);
	build_free(b);
}

Test(collect, reports_each_section_once_and_after_a_change)
{
	struct build *b = build_new();
	struct collect *c = collect_new(on_section, &found);

	for (int i = 0; i < 3; i++) {
		add_table(b, 0, 0x00, 1, "0001 e100");
		add_table(b, 0x11, 0x42, 1, "0001 ff");
		add_table(b, 0x11, 0x46, 2, "0001 ff");
		add_table(b, 0x11, 0x46, 2, "0002 ff"); /* of another network */
	}
	feed(c, b);
	expect("0/00 11/42 11/46 11/46 ");
	add_table(b, 0, 0x00, 1, "0001 e101");
	add_table(b, 0, 0x00, 1, "0001 e101");
	add_table(b, 0, 0x00, 1, "");
	add_table(b, 0, 0x00, 1, "0001 e100");
	feed(c, b);
	expect("0/00 0/00 0/00 ");
	collect_free(&c);
	build_free(b);
}

/* The CRC over a section and its CRC_32 is the same for all sections. */
Test(collect, distinguishes_empty_tables)
{
	struct build *b = build_new();
	struct collect *c = collect_new(on_section, &found);
	uint8_t section[64];

	for (uint8_t version = 0; version < 3; version++) {
		size_t len = build_pat(section, version, NULL, 0);

		(void)build_section(b, 0, section, len);
	}
	feed(c, b);
	expect("0/00 0/00 0/00 ");
	collect_free(&c);
	build_free(b);
}

Test(collect, offers_a_rejected_section_again)
{
	struct build *b = build_new();
	struct collect *c = collect_new(on_section, &found);

	found.full = true;
	add_table(b, 0, 0x00, 1, "0001 e100");
	feed(c, b);
	expect("");
	found.full = false;
	add_table(b, 0, 0x00, 1, "0001 e100");
	add_table(b, 0x100, 0x02, 1, "e101 f000");
	feed(c, b);
	expect("0/00 100/02 ");
	collect_free(&c);
	build_free(b);
}

Test(collect, reports_every_time)
{
	struct build *b = build_new();
	struct collect *c = collect_new(on_section, &found);
	uint8_t tdt[8];

	for (unsigned i = 0; i < 4; i++) {
		(void)from_hex("70 7005 c079124500", tdt, sizeof tdt);
		tdt[7] = (uint8_t)(i / 2);
		(void)build_section(b, 0x14, tdt, sizeof tdt);
	}
	feed(c, b);
	expect("14/70 14/70 ");
	collect_free(&c);
	build_free(b);
}

Test(collect, limits_the_remembered_sections)
{
	struct build *b = build_new();
	struct collect *c = collect_new(on_section, &found);

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < COLLECT_SECTIONS + 100; i++) {
			add_table(b, 0x12, 0x4e, (uint16_t)i,
				  "0001 0001 00 4e");
			found.text[0] = '\0';
			feed(c, b);
		}
		cr_expect_eq(found.n, COLLECT_EITS);
	}
	for (unsigned round = 0; round < 2; round++) {
		/* tables that come after more EIT than there is room for */
		for (unsigned i = 0; i < COLLECT_SECTIONS; i++) {
			add_table(b, 0x11, 0x42, (uint16_t)i, "0001 ff");
			found.text[0] = '\0';
			feed(c, b);
		}
		cr_expect_eq(found.n, COLLECT_SECTIONS);
	}
	collect_free(&c);
	build_free(b);
}

Test(collect, limits_the_programs)
{
	struct build *b = build_new();
	struct collect *c = collect_new(on_section, &found);

	for (unsigned i = 0; i < COLLECT_PMTS + 100; i++) {
		struct build_entry entry = { (uint16_t)(i + 1),
					     (uint16_t)(0x100 + i) };
		uint8_t section[64];
		size_t len = build_pat(section, (uint8_t)(i & 31), &entry, 1);

		(void)build_section(b, 0, section, len);
		len = build_pmt(section, entry, 0, NULL, 0);
		(void)build_section(b, entry.pid, section, len);
		found.text[0] = '\0';
		feed(c, b);
	}
	cr_expect_eq(found.n, COLLECT_PMTS + 100 + COLLECT_PMTS);
	collect_free(&c);
	build_free(b);
}
