/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sections made here, and a capture with an overview by another program.  The
 * capture is beside the project; without it the test is skipped.
 */
#include "common/base/alloc.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/si/eit.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"
#include "worker/ts/sync.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_MAX = 4 << 20 };

/* The present event of service 7: 2019-01-22 13:00:00, 1 h 30 min. */
static const uint8_t head[] = {
	0, 4, 0x20, 0xfa, 1, 0x4e, 0x12, 0x34, 0xe4, 0x89, 0x13, 0x00, 0x00,
	0x01, 0x30, 0x00,
};

/* Returns the length of the section. */
static size_t make(uint8_t *section, const void *loop, size_t len)
{
	uint8_t body[SECTION_MAX];

	memcpy(body, head, sizeof head);
	body[sizeof head] = (uint8_t)(0x80 | len >> 8);
	body[sizeof head + 1] = (uint8_t)len;
	memcpy(body + sizeof head + 2, loop, len);
	return build_table(section, &(struct build_table){
		.table_id = 0x4e, .extension = 7, .version = 3, .last = 1,
		.body = body, .len = sizeof head + 2 + len });
}

static struct eit_facts *facts_of(const void *loop, size_t len)
{
	struct eit_facts *f = xcalloc(1, sizeof *f);

	eit_facts_read((struct desc_loop){ loop, len }, f);
	return f;
}

Test(eit, the_fields_of_a_section_and_of_its_event)
{
	static const char loop[] = "\x54\x02\x10\x00";
	uint8_t section[SECTION_MAX];
	size_t len = make(section, loop, sizeof loop - 1);
	struct eit eit;
	struct eit_event e;

	cr_assert_eq(eit_open(section, len, &eit), 0);
	cr_expect_eq(eit.sid, 7);
	cr_expect_eq(eit.tsid, 4);
	cr_expect_eq(eit.onid, 0x20fa);
	cr_expect_eq(eit.version, 3);
	cr_expect(eit.actual && eit.current && !eit.schedule);
	cr_assert(eit_next(&eit.events, &e));
	cr_expect_eq(e.id, 0x1234);
	cr_expect(e.has_start && e.has_duration);
	cr_expect_eq(e.start_s, 1548162000);
	cr_expect_eq(e.duration_s, 5400);
	cr_expect_eq(e.running, 4);
	cr_expect_not(e.free_ca);
	cr_expect_eq(e.descriptors.len, 4);
	cr_expect_not(eit_next(&eit.events, &e));
	cr_expect_not(eit.events.cut);
}

Test(eit, each_cut_of_a_section_is_refused_or_ends_before_the_event)
{
	uint8_t section[SECTION_MAX];
	size_t len = make(section, "\x54\x02\x10\x00", 4);
	struct eit eit;
	struct eit_event e;

	for (size_t n = 3; n < len; n++) {
		section[1] = (uint8_t)(0xf0 | (n - 3) >> 8);
		section[2] = (uint8_t)(n - 3);
		if (eit_open(section, n, &eit) < 0)
			cr_expect_lt(n, 18);
		else
			cr_expect_not(eit_next(&eit.events, &e), "%zu", n);
	}
	section[0] = SDT_TABLE_ID;
	cr_expect_eq(eit_open(section, len, &eit), -EBADMSG);
}

Test(eit, undefined_times_are_no_times)
{
	uint8_t section[SECTION_MAX];
	size_t len = make(section, "", 0);
	struct eit eit;
	struct eit_event e;

	memset(section + 16, 0xff, 8);
	cr_assert_eq(eit_open(section, len, &eit), 0);
	cr_assert(eit_next(&eit.events, &e));
	cr_expect_not(e.has_start);
	cr_expect_not(e.has_duration);
}

Test(eit, texts_of_several_languages)
{
	static const char loop[] =
		"\x4d\x0c" "fra" "\x03" "Une" "\x04" "text"
		"\x4d\x08" "ENG" "\x03" "One" "\x00";
	struct eit_facts *f = facts_of(loop, sizeof loop - 1);

	cr_assert_eq(f->n_texts, 2);
	cr_expect_str_eq(f->texts[0].lang, "fra");
	cr_expect_str_eq(f->texts[0].title, "Une");
	cr_expect_str_eq(f->texts[0].summary, "text");
	cr_expect_str_eq(f->texts[1].lang, "eng");
	cr_expect_str_eq(f->texts[1].title, "One");
	cr_expect_eq(f->cut, 0);
	free(f);
}

Test(eit, an_extended_event_is_put_together_in_the_order_of_its_parts)
{
	static const char loop[] =
		"\x4e\x0a" "\x11" "fra" "\x00" "\x04" " two"
		"\x4e\x11" "\x01" "fra" "\x08" "\x03" "Who" "\x03" "Him"
		"\x03" "One";
	struct eit_facts *f = facts_of(loop, sizeof loop - 1);

	cr_assert_eq(f->n_texts, 1);
	cr_expect_str_eq(f->texts[0].details, "One two\nWho: Him");
	free(f);
}

Test(eit, content_and_the_lowest_age)
{
	static const char loop[] = "\x54\x04\x14\x00\x20\x00"
				   "\x55\x08" "FRA" "\x09" "DEU" "\x03";
	struct eit_facts *f = facts_of(loop, sizeof loop - 1);

	cr_assert_eq(f->n_contents, 2);
	cr_expect_eq(f->contents[0], 0x14);
	cr_expect_eq(f->contents[1], 0x20);
	cr_expect_eq(f->age, 6);
	free(f);
}

Test(eit, a_text_that_is_longer_than_its_descriptor_is_counted)
{
	static const char loop[] = "\x4d\x06" "fra" "\x09" "ab";
	struct eit_facts *f = facts_of(loop, sizeof loop - 1);

	cr_expect_eq(f->n_texts, 0);
	cr_expect_eq(f->cut, 1);
	free(f);
}

/* --- the capture --- */

struct overview {
	unsigned following, following_other, schedule, schedule_other;
	unsigned events, titles;
	bool actual[0x10000], scheduled[0x10000], other[0x10000];
};

static void judge_events(struct overview *o, struct eit *eit)
{
	struct eit_event e;
	struct eit_facts *f = xcalloc(1, sizeof *f);

	while (eit_next(&eit->events, &e)) {
		eit_facts_read(e.descriptors, f);
		cr_expect(e.has_start && e.has_duration);
		cr_expect_eq(f->cut, 0);
		for (size_t i = 0; i < f->n_texts; i++) {
			cr_expect_null(strstr(f->texts[i].title, "\ufffd"));
			cr_expect_null(strstr(f->texts[i].summary, "\ufffd"));
			cr_expect_null(strstr(f->texts[i].details, "\ufffd"));
			o->titles += f->texts[i].title[0] != '\0';
		}
		o->events++;
	}
	cr_expect_not(eit->events.cut);
	free(f);
}

static void judge(struct overview *o, const uint8_t *section, size_t len)
{
	struct eit eit;

	if (eit_open(section, len, &eit) < 0)
		return;
	if (eit.actual && eit.schedule) {
		o->schedule++;
		o->scheduled[eit.sid] = true;
	} else if (eit.actual) {
		o->following++;
		o->actual[eit.sid] = true;
	} else if (eit.schedule) {
		o->schedule_other++;
	} else {
		o->following_other++;
		o->other[eit.sid] = true;
	}
	judge_events(o, &eit);
}

static unsigned count(const bool *services)
{
	unsigned n = 0;

	for (size_t i = 0; i < 0x10000; i++)
		n += services[i];
	return n;
}

Test(eit, a_capture_has_what_another_program_found)
{
	const char *srcdir = getenv("srcdir");
	char *path = xasprintf("%s/../shared/data/ts/test-184.ts",
			       srcdir != NULL ? srcdir : ".");
	FILE *f = fopen(path, "r");
	uint8_t *data = xmalloc(SAMPLE_MAX), buffer[SECTION_MAX];
	struct overview *o = xcalloc(1, sizeof *o);
	struct section_assembler assembler;
	const uint8_t *section;
	size_t n, len;

	if (f == NULL)
		cr_skip("no capture at %s", path);
	free(path);
	n = fread(data, 1, SAMPLE_MAX, f) / TS_PACKET;
	(void)fclose(f);
	section_init(&assembler, buffer, sizeof buffer);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *packet = data + i * TS_PACKET;

		if (ts_pid(packet) != SI_PID_EIT)
			continue;
		section_push(&assembler, packet);
		while ((section = section_pull(&assembler, &len)) != NULL)
			judge(o, section, len);
	}
	cr_expect_eq(o->following, 597);
	cr_expect_eq(o->following_other, 636);
	cr_expect_eq(o->schedule, 205);
	cr_expect_eq(o->schedule_other, 0);
	cr_expect_eq(count(o->actual), 5);
	cr_expect_eq(count(o->scheduled), 5);
	cr_expect_eq(count(o->other), 26);
	cr_expect_gt(o->events, 0);
	cr_expect_eq(o->titles, o->events);
	free(o);
	free(data);
}
