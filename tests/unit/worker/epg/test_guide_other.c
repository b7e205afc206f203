/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of a service in the EIT other of other streams. */
#include "worker/epg/guide.h"

#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	NOON_S = 1548158400, /* 2019-01-22 12:00 UTC */
	HOUR_S = 3600,
	TSID = 5, ONID = 9, SERVICE = 7,
};

static const uint16_t numbers[] = { SERVICE };

static void give_sdt(struct guide *g, const char *stream, uint8_t tsid,
		     uint8_t onid)
{
	const uint8_t body[] = { 0, onid, 0xff, 0, SERVICE, 0xfc, 0x80, 0 };
	uint8_t section[SECTION_MAX];
	size_t len = build_table(section, &(struct build_table){
		.table_id = 0x42, .extension = tsid, .body = body,
		.len = sizeof body });

	guide_set_programs(g, stream, numbers, 1);
	(void)guide_take_sdt(g, stream, section, len);
}

/* Streams a, whose service has events, and the others, m and n. */
static struct guide *open_guide(void)
{
	struct guide *g = guide_new(&(struct guide_limits){
		.services = 3, .days = 7, .bytes = 1 << 20 });

	give_sdt(g, "a", TSID, ONID);
	give_sdt(g, "m", 1, ONID);
	give_sdt(g, "n", 2, ONID);
	return g;
}

struct source {
	const char *stream;
	uint8_t table_id, tsid, onid, service;
};

static const struct source present_m = { "m", 0x4f, TSID, ONID, SERVICE };
static const struct source present_n = { "n", 0x4f, TSID, ONID, SERVICE };
static const struct source schedule_m = { "m", 0x60, TSID, ONID, SERVICE };
static const struct source actual = { "a", 0x4e, TSID, ONID, SERVICE };

/* An event of the hour from noon on. */
static bool take_at(struct guide *g, struct source from, uint8_t id,
		    int64_t now_s)
{
	const uint8_t body[] = {
		0, from.tsid, 0, from.onid, 0, from.table_id,
		0, id, 0xe4, 0x89, 0x12, 0, 0, 1, 0, 0, 0x80, 0,
	};
	uint8_t section[SECTION_MAX];
	size_t len = build_table(section, &(struct build_table){
		.table_id = from.table_id, .extension = from.service,
		.body = body, .len = sizeof body });

	return guide_take_section(g, from.stream, section, len, now_s);
}

static bool take(struct guide *g, struct source from, uint8_t id)
{
	return take_at(g, from, id, NOON_S);
}

/* The id of the event that a stream has; 0: none. */
static json_int_t event_of(const struct guide *g, const char *stream)
{
	json_t *all = guide_read(g, stream, &(struct guide_span){
		.from_s = NOON_S, .to_s = NOON_S + HOUR_S, .now_s = NOON_S,
		.max = 9, .bytes = 1 << 20 });
	json_int_t id = json_integer_value(json_object_get(json_array_get(
		json_object_get(json_array_get(json_object_get(all,
			"services"), 0), "events"), 0), "event_id"));

	json_decref(all);
	return id;
}

Test(guide_other, a_service_has_the_events_in_another_stream)
{
	static const struct source others[] = {
		{ "m", 0x4f, TSID, 8, SERVICE },
		{ "m", 0x4f, 4, ONID, SERVICE },
		{ "m", 0x4f, TSID, ONID, 8 },
		/* of its own transport stream */
		{ "a", 0x4f, TSID, ONID, SERVICE },
	};
	struct guide *g = open_guide();

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		cr_expect_not(take(g, others[i], 1), "case %zu", i);
	cr_expect(take(g, present_m, 1));
	cr_expect_not(take(g, present_m, 1), "it is the same");
	cr_expect_eq(event_of(g, "a"), 1);
	cr_expect_eq(event_of(g, "m"), 0);
	/* its schedule, too */
	cr_expect(take(g, schedule_m, 2));
	cr_expect_eq(event_of(g, "a"), 2);
	/* another SDT: it is another transport stream */
	give_sdt(g, "a", TSID + 1, ONID);
	cr_expect_not(take(g, present_m, 3));
	guide_remove_stream(g, "a");
	cr_expect_not(take(g, present_m, 4));
	guide_free(&g);
}

Test(guide_other, one_stream_at_a_time_has_the_events)
{
	struct guide *g = open_guide();

	cr_expect(take(g, present_m, 1));
	cr_expect_not(take_at(g, present_n, 2, NOON_S + 59));
	cr_expect_eq(event_of(g, "a"), 1);
	/* m is silent */
	cr_expect(take_at(g, present_n, 2, NOON_S + 60));
	cr_expect_not(take_at(g, present_m, 3, NOON_S + 61));
	cr_expect_eq(event_of(g, "a"), 2);
	guide_free(&g);
}

Test(guide_other, own_eit_of_the_stream_precede)
{
	struct guide *g = open_guide();

	cr_expect(take(g, present_m, 1));
	cr_expect(take(g, actual, 2));
	cr_expect_not(take(g, present_m, 3));
	cr_expect_eq(event_of(g, "a"), 2);
	/* its schedule comes from elsewhere */
	cr_expect(take(g, schedule_m, 4));
	cr_expect(take_at(g, present_m, 3, NOON_S + 60));
	cr_expect(take_at(g, actual, 2, NOON_S + 61));
	guide_free(&g);
}

Test(guide_other, those_that_are_made_from_the_guide_are_not_read)
{
	struct guide *g = open_guide();

	guide_set_own_other(g, "m", EIT_OTHER_PRESENT);
	cr_expect_not(take(g, present_m, 1));
	cr_expect(take(g, schedule_m, 2));
	guide_set_own_other(g, "m", EIT_OTHER_ALL);
	cr_expect_not(take(g, schedule_m, 3));
	guide_set_own_other(g, "m", EIT_OTHER_PASS);
	cr_expect(take(g, present_m, 1));
	/* own EIT of the service are of imports alone */
	guide_set_own(g, "a", &(struct own_services){ .all = true });
	cr_expect_not(take(g, present_m, 5));
	guide_free(&g);
}
