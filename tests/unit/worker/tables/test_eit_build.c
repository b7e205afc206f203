/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EIT from events of the guide, read back by the code that reads that of
 * others. */
#include "worker/tables/eit_build.h"

#include "common/base/alloc.h"
#include "common/base/crc32.h"
#include "worker/epg/event_write.h"
#include "worker/epg/guide_state.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MIDNIGHT_S = 1548115200, /* 2019-01-22 00:00 UTC */
	HOUR_S = 3600,
	NOON_S = MIDNIGHT_S + 12 * HOUR_S,
	LONG = 4000,
};

static const struct eit_format format = {
	.sid = 7, .tsid = 2, .onid = 3, .version = 9,
};

struct made {
	struct guide_event *list[600];
	size_t n;
	struct event_format format;
	/* the same in the form of an EIT */
	struct eit_item items[600];
	uint8_t bytes[600][EVENT_MAX];
	size_t cut;
};

static struct made *made_new(void)
{
	struct made *m = xcalloc(1, sizeof *m);

	m->format = (struct event_format){ .table = TEXT_ISO_6937,
					   .country = "DEU" };
	return m;
}

static void add(struct made *m, int64_t start_s, uint32_t duration_s,
		const struct eit_text *text)
{
	struct eit_facts *f = xcalloc(1, sizeof *f);
	const struct eit_event from = { .id = (uint16_t)(m->n + 1),
					.start_s = start_s,
					.duration_s = duration_s };

	f->n_texts = 1;
	f->texts[0] = *text;
	m->list[m->n++] = guide_event_new(&from, f);
	free(f);
}

/* Events of these minutes, one behind the other. */
static void add_row(struct made *m, int64_t start_s, unsigned n,
		    unsigned minutes)
{
	struct eit_text *t = xcalloc(1, sizeof *t);

	memcpy(t->lang, "eng", 4);
	for (unsigned i = 0; i < n; i++) {
		(void)snprintf(t->title, sizeof t->title, "Event %u", i);
		add(m, start_s + i * minutes * 60, minutes * 60, t);
	}
	free(t);
}

static struct eit_items events_of(struct made *m)
{
	m->cut = 0;
	for (size_t i = 0; i < m->n; i++)
		m->items[i] = (struct eit_item){
			m->list[i]->start_s, m->list[i]->duration_s,
			(uint16_t)event_write(m->list[i], &m->format, 0,
					      m->bytes[i], &m->cut),
			m->bytes[i] };
	return (struct eit_items){ m->items, m->n, 0 };
}

static void done(struct made *m)
{
	while (m->n > 0)
		free(m->list[--m->n]);
	free(m);
}

/* All tables of the schedule. */
static struct eit_built build_all(struct made *m, int64_t now_s,
				  eit_section_fn *emit, void *arg)
{
	struct eit_items items = events_of(m);
	struct eit_built sum = { 0 };

	for (unsigned i = 0; i < eit_tables(items, now_s); i++) {
		struct eit_built one = eit_build_table(&format, items, now_s,
						       i, emit, arg);

		sum.sections += one.sections;
		sum.dropped += one.dropped;
	}
	return sum;
}

/* The id of the event in the section, or 0, and its running_status. */
static uint16_t id_of(const uint8_t *section, size_t len, uint8_t *running)
{
	struct eit_event e = { 0 };
	struct eit eit;

	cr_assert_eq(crc32_mpeg(section, len), 0);
	cr_assert_eq(eit_open(section, len, &eit), 0);
	cr_assert(eit.actual && eit.current && eit.last_number == 1);
	cr_assert(eit.sid == 7 && eit.tsid == 2 && eit.onid == 3 &&
		  eit.version == 9);
	if (eit_next(&eit.events, &e))
		cr_assert(!eit_next(&eit.events, &e));
	*running = e.running;
	return e.id;
}

Test(eit_build, the_present_event_and_the_next_one)
{
	static const struct {
		int now, present, following, change;
	} cases[] = { /* in seconds after noon */
		{ -1, 0, 1, 0 }, { 0, 1, 2, 60 }, { 59, 1, 2, 60 },
		{ 60, 2, 3, 120 },
		/* a gap of a minute */
		{ 120, 0, 3, 180 }, { 180, 3, 0, 240 },
	};
	struct made *m = made_new();
	uint8_t section[SECTION_MAX], running;
	size_t len;

	add_row(m, NOON_S, 2, 1);
	add_row(m, NOON_S + 180, 1, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t now_s = NOON_S + cases[i].now;

		len = eit_build_present(&format, events_of(m), now_s, 0,
					section);
		cr_expect_eq(id_of(section, len, &running), cases[i].present);
		cr_expect_eq(running, cases[i].present > 0 ? 4 : 0);
		len = eit_build_present(&format, events_of(m), now_s, 1,
					section);
		cr_expect_eq(id_of(section, len, &running),
			     cases[i].following);
		cr_expect_eq(running, cases[i].following > 0 ? 1 : 0);
		cr_expect_eq(eit_next_change(events_of(m), now_s),
			     NOON_S + cases[i].change);
	}
	cr_expect_eq(eit_next_change(events_of(m), NOON_S + 240), INT64_MAX);
	done(m);
}

/* running_status and free_CA_mode of an event with these flags. */
static uint8_t flags_of(const struct eit_format *f, uint8_t flags,
			unsigned number)
{
	uint8_t bytes[EIT_EVENT_HEAD] = { 0, 9, [10] = flags };
	const struct eit_item item = { NOON_S, HOUR_S, sizeof bytes, bytes };
	uint8_t section[SECTION_MAX];
	size_t len = eit_build_present(f, (struct eit_items){ &item, 1, 0 },
				       NOON_S - number, number, section);

	cr_assert_gt(len, 14 + EIT_EVENT_HEAD);
	return section[14 + 10];
}

Test(eit_build, the_status_of_others_is_theirs)
{
	struct eit_format f = format;

	/* of this transport stream: that of the service */
	cr_expect_eq(flags_of(&f, 0x70, 0), 0x80);
	f.free_ca = true;
	cr_expect_eq(flags_of(&f, 0x70, 0), 0x90);
	f.other = true;
	cr_expect_eq(flags_of(&f, 0, 0), 0x80);
	cr_expect_eq(flags_of(&f, 0x70, 0), 0x70);
	cr_expect_eq(flags_of(&f, 0x70, 1), 0x30);
	f.running = 1;
	cr_expect_eq(flags_of(&f, 0x10, 0), 0x30);
	cr_expect_eq(flags_of(&f, 0x70, 0), 0x70);
}

/* --- the schedule --- */

/* What the sections said. */
struct seen {
	size_t sections, events;
	uint8_t last_table;
	int last_number, segment_last; /* of the section before */
	int table, number;
	struct guide *guide; /* that reads them; NULL: none */
};

static void on_section(const uint8_t *section, size_t len, void *arg)
{
	struct seen *s = arg;
	struct eit_event e;
	struct eit eit;

	cr_assert_eq(crc32_mpeg(section, len), 0);
	cr_assert_leq(len, SECTION_MAX);
	cr_assert_eq(eit_open(section, len, &eit), 0);
	cr_assert(eit.schedule && eit.actual);
	if (s->table == eit.table_id) {
		/* the next one of the segment, or the first of the next */
		cr_assert_eq(eit.number, s->number == s->segment_last
				? (s->number | 7) + 1 : s->number + 1);
		cr_assert_eq(eit.last_number, s->last_number);
	} else {
		cr_assert_eq(eit.number, 0);
		cr_assert_eq(s->number, s->last_number);
	}
	cr_assert_eq(eit.segment_last / 8, eit.number / 8);
	s->last_table = eit.last_table_id;
	s->table = eit.table_id;
	s->number = eit.number;
	s->last_number = eit.last_number;
	s->segment_last = eit.segment_last;
	while (eit_next(&eit.events, &e)) {
		cr_assert_eq((e.start_s - MIDNIGHT_S) / (3 * HOUR_S),
			     (eit.table_id - EIT_SCHEDULE_TABLE_ID) * 32 +
				     eit.number / 8);
		s->events++;
	}
	cr_assert(!eit.events.cut);
	s->sections++;
	if (s->guide != NULL)
		(void)guide_take_section(s->guide, "a", section, len, NOON_S);
}

Test(eit_build, a_schedule_has_segments_of_three_hours)
{
	struct made *m = made_new();
	struct seen s = { 0 };
	struct eit_built built;

	/* yesterday, today, the fifth day; 30 hours are nothing */
	add_row(m, MIDNIGHT_S - 60, 1, 1);
	add_row(m, MIDNIGHT_S, 10, 60);
	add_row(m, MIDNIGHT_S + 4 * 24 * HOUR_S, 1, 60);
	built = build_all(m, MIDNIGHT_S + 60, on_section, &s);
	cr_expect_eq(s.events, 11);
	/* four segments of the first day, the first one of the fifth */
	cr_expect_eq(built.sections, 5);
	cr_expect_eq(s.sections, 5);
	cr_expect_eq(s.last_table, EIT_SCHEDULE_TABLE_ID + 1);
	cr_expect_eq(built.dropped, 0);
	/* at noon the past segments are empty */
	s = (struct seen){ 0 };
	cr_expect_eq(build_all(m, NOON_S, on_section, &s).sections, 5);
	cr_expect_eq(s.events, 1);
	cr_expect_eq(eit_next_segment(NOON_S), NOON_S + 3 * HOUR_S);
	cr_expect_eq(eit_next_segment(NOON_S - 1), NOON_S);
	done(m);
}

Test(eit_build, no_event_is_an_empty_section)
{
	struct made *m = made_new();
	struct seen s = { 0 };

	cr_expect_eq(build_all(m, NOON_S, on_section, &s).sections, 1);
	cr_expect_eq(s.events, 0);
	cr_expect_eq(s.last_number, 0);
	done(m);
}

/* A text with details of so many letters of two bytes in UTF-8, behind the
 * first ones. */
static struct eit_text *long_text(const char *first, size_t n)
{
	struct eit_text *t = xcalloc(1, sizeof *t);

	memcpy(t->lang, "rus", 4);
	memcpy(t->title, "Title", 6);
	(void)strcpy(t->details, first);
	for (size_t i = 0; i < n; i++)
		(void)strcpy(t->details + strlen(first) + 2 * i, "\xd0\x91");
	return t;
}

Test(eit_build, a_segment_has_eight_sections_and_counts_the_others)
{
	struct made *m = made_new();
	struct seen s = { 0 };
	struct eit_text *text = long_text("", LONG);
	struct eit_built built;

	for (unsigned i = 0; i < 20; i++)
		add(m, NOON_S + i * 60, 60, text);
	built = build_all(m, NOON_S, on_section, &s);
	/* each of them fills a section */
	cr_expect_eq(s.events, 8);
	cr_expect_eq(built.dropped, 12);
	cr_expect_eq(built.sections, 4 + 8);
	cr_expect_gt(m->cut, 0);
	free(text);
	done(m);
}

/* --- the way back --- */

static void assert_same_text(const struct eit_text *text,
			     enum text_table table)
{
	struct made *m = made_new();
	struct seen s = { .guide = guide_new(&(struct guide_limits){
		.services = 1, .days = 7, .bytes = 1 << 20 }) };
	const uint16_t number = 7;
	const struct service *service;

	guide_set_programs(s.guide, "a", &number, 1);
	add(m, NOON_S, HOUR_S, text);
	m->list[0]->age = 16;
	m->list[0]->n_contents = 2;
	m->list[0]->contents[0] = 0x14;
	m->list[0]->contents[1] = 0x20;
	m->format.table = table;
	(void)build_all(m, NOON_S, on_section, &s);
	cr_expect_eq(m->cut, 0);
	service = LIST_FIRST(&s.guide->streams)->services[0];
	cr_assert_eq(service->n, 1);
	cr_expect(guide_event_equals(service->events[0], m->list[0]), "%s",
		  text->title);
	guide_free(&s.guide);
	done(m);
}

Test(eit_build, an_event_that_is_read_again_is_the_same)
{
	static const struct {
		const char *title, *summary, *details;
	} cases[] = {
		{ "T", "", "" },
		{ "T\xc3\xa4 \xe2\x82\xac", "Summary", "Line\nline" },
		{ "\xd0\x91\xd0\xb0", "\xd0\xb3", "\xd0\xb4" },
		{ "\xe6\x97\xa5", "\xf0\x9f\x98\x80", "\xce\xb1\xd0\x91" },
		/* a letter with a mark that has no character of its own */
		{ "x\xcc\x82", "", "q\xcc\x81y" },
		{ "", "only a summary", "" },
	};
	struct eit_text *t = xcalloc(1, sizeof *t);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		memcpy(t->lang, "eng", 4);
		(void)strcpy(t->title, cases[i].title);
		(void)strcpy(t->summary, cases[i].summary);
		(void)strcpy(t->details, cases[i].details);
		assert_same_text(t, TEXT_UTF8);
		/* the Euro has a stand-in there */
		if (i != 1)
			assert_same_text(t, TEXT_ISO_6937);
	}
	free(t);
}

Test(eit_build, a_text_is_divided_between_characters)
{
	/* in 8859-5, and in UTF-8 at even and odd places: no part has them
	 * all */
	static const char *const first[] = { "", "\xc4\xa6", "x\xc4\xa6" };

	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		for (size_t n = 110; n < 130; n++) {
			struct eit_text *t = long_text(first[i], n);

			assert_same_text(t, TEXT_ISO_6937);
			free(t);
		}
}

Test(eit_build, a_mark_stays_with_its_letter)
{
	struct eit_text *t = xcalloc(1, sizeof *t);

	memcpy(t->lang, "eng", 4);
	memcpy(t->title, "Title", 6);
	for (size_t n = 240; n < 255; n++) {
		memset(t->details, 'a', n);
		(void)strcpy(t->details + n, "q\xcc\x81z");
		assert_same_text(t, TEXT_ISO_6937);
	}
	free(t);
}

/* A guide with the events of the schedule of m-> */
static struct guide *guide_from(struct made *m)
{
	struct seen s = { .guide = guide_new(&(struct guide_limits){
		.services = 1, .days = 7, .bytes = 1 << 20 }) };
	const uint16_t number = 7;

	guide_set_programs(s.guide, "a", &number, 1);
	(void)build_all(m, NOON_S, on_section, &s);
	return s.guide;
}

Test(eit_build, the_titles_of_all_languages_precede_details)
{
	const struct eit_event from = { .id = 1, .start_s = NOON_S,
					.duration_s = HOUR_S };
	struct eit_facts *f = xcalloc(1, sizeof *f);
	struct eit_text *long_one = long_text("", LONG);
	const struct service *service;
	struct made *m = made_new();
	struct guide *g;

	f->n_texts = 2;
	f->texts[0] = f->texts[1] = *long_one;
	memcpy(f->texts[1].lang, "eng", 4);
	memset(f->texts[1].title, 'a', 100);
	m->list[m->n++] = guide_event_new(&from, f);
	g = guide_from(m);
	service = LIST_FIRST(&g->streams)->services[0];
	cr_assert_eq(service->n, 1);
	cr_expect_eq(service->events[0]->n_texts, 2);
	guide_free(&g);
	free(long_one);
	free(f);
	done(m);
}

Test(eit_build, a_duration_has_two_digits_of_hours)
{
	struct eit_text *t = xcalloc(1, sizeof *t);
	const struct service *service;
	struct made *m = made_new();
	struct guide *g;

	add(m, NOON_S, 150 * HOUR_S, t);
	g = guide_from(m);
	service = LIST_FIRST(&g->streams)->services[0];
	cr_assert_eq(service->n, 1);
	cr_expect_eq(service->events[0]->duration_s, 100 * HOUR_S - 1);
	guide_free(&g);
	free(t);
	done(m);
}
