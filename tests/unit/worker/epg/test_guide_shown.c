/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The streams whose EIT another process sends: which have changed, and what
 * that process gets. */
#include "worker/epg/guide_eit.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/shared.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/tables/eit_image.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NOW_S = 1548158400, HOUR_S = 3600, STREAMS = 5 };

static char found[100]; /* what was found, in order */
static uint64_t last_hash; /* the image has it */

static struct guide *open_guide(void)
{
	return guide_new(&(struct guide_limits){
		.services = 8, .days = 31, .bytes = 1 << 20,
		.imports = true });
}

static void load(struct guide *g, const char *stream, int id, int hours)
{
	json_t *event = json_pack("{s:s, s:i, s:{s:i, s:i, s:i, s:i, "
		"s:[{s:s, s:s}]}}", "stream", stream, "pnr", 7,
		"event", "event_id", id, "start", NOW_S + hours * HOUR_S,
		"stop", NOW_S + (hours + 1) * HOUR_S, "running_status", 0,
		"texts", "lang", "eng", "title", "A title of some bytes");

	cr_assert(guide_load_event(g, event, NOW_S));
	json_decref(event);
}

static void note(const char *stream, void *arg)
{
	(void)arg;
	cr_assert_lt(strlen(found), sizeof found - 1);
	found[strlen(found)] = stream[0];
}

static const char *find(struct guide *g, int64_t now_s, unsigned max)
{
	memset(found, 0, sizeof found);
	guide_find_stale(g, now_s, max, note, NULL);
	return found;
}

Test(guide_shown, each_stream_has_its_turn)
{
	static const char *const streams[STREAMS] = { "a", "b", "c", "d",
						      "e" };
	struct guide *g = open_guide();
	unsigned counts[STREAMS] = { 0 };
	int64_t now_s = NOW_S;

	for (size_t i = 0; i < STREAMS; i++) {
		load(g, streams[i], 1, 0);
		guide_show(g, streams[i], now_s);
	}
	cr_expect_str_eq(find(g, now_s + GUIDE_STALE_S, 9), "");
	/* all change all the time, and one at a time is reported */
	for (int turn = 0; turn < 4 * STREAMS; turn++) {
		now_s += GUIDE_STALE_S;
		for (size_t i = 0; i < STREAMS; i++)
			load(g, streams[i], 2 + turn, 2 + turn);
		cr_expect_eq(strlen(find(g, now_s, 1)), 1);
		counts[found[0] - 'a']++;
	}
	for (size_t i = 0; i < STREAMS; i++)
		cr_expect_geq(counts[i], 3, "%s has %u", streams[i],
			      counts[i]);
	guide_free(&g);
}

/* What a memory of this size has; NULL with -errno: nothing. */
static struct eit_image *write_image(struct guide *g, size_t size, bool events,
				     int *ret_err)
{
	const struct guide_eit_config config = { .stream = "a",
						 .events = events };
	int fd = shared_create("test", size), copy = dup(fd), more = 1;
	struct guide_eit *e = guide_eit_new(fd, g, &config, NOW_S);
	struct eit_image *image = NULL;

	while (more > 0)
		more = guide_eit_run(e);
	*ret_err = more;
	if (more == 0) {
		image = eit_image_read(copy, guide_eit_len(e), ret_err);
		cr_assert_not_null(image);
	}
	last_hash = guide_eit_hash(e);
	guide_eit_free(&e);
	(void)close(copy);
	return image;
}

/* The events that a memory of this size has; -ENOSPC: none. */
static int count(struct guide *g, size_t size)
{
	struct eit_items items;
	uint16_t number;
	int n;
	struct eit_image *image = write_image(g, size, true, &n);

	if (image == NULL)
		return n;
	items = eit_image_at(image, 0, &number);
	cr_expect_eq(number, 7);
	for (size_t i = 0; i < items.n; i++)
		cr_expect_eq(items.list[i].start_s,
			     NOW_S + (int64_t)i * HOUR_S);
	n = (int)items.n;
	eit_image_free(&image);
	return n;
}

Test(guide_shown, a_memory_that_is_full_has_the_next_days)
{
	struct guide *g = open_guide();
	int n;

	for (int i = 0; i < 30 * 24; i++)
		load(g, "a", 1 + i, i);
	cr_expect_eq(count(g, 1 << 20), 30 * 24);
	n = count(g, 20000);
	cr_expect_geq(n, 4 * 24);
	cr_expect_lt(n, 20 * 24);
	cr_expect_eq(count(g, 16), -ENOSPC);
	guide_free(&g);
}

/* The stream has two links: one asks in front of a change, and the other one
 * behind it. */
Test(guide_shown, a_change_between_two_questions_is_reported)
{
	struct guide *g = open_guide();

	load(g, "a", 1, 0);
	guide_show(g, "a", NOW_S);
	load(g, "a", 2, 1);
	guide_show(g, "a", NOW_S + 1);
	cr_expect_str_eq(find(g, NOW_S + 2 * GUIDE_STALE_S, 9), "a");
	cr_expect_str_eq(find(g, NOW_S + 4 * GUIDE_STALE_S, 9), "");
	guide_free(&g);
}

/* The SDT of stream a says this of service 7.  True: this is a change. */
static bool give_sdt_of(struct guide *g, uint8_t onid, uint8_t status)
{
	const uint8_t body[] = { 0, onid, 0xff, 0, 7, 0xfc, status, 0 };
	uint8_t section[SECTION_MAX];
	size_t len = build_table(section, &(struct build_table){
		.table_id = 0x42, .extension = 1, .body = body,
		.len = sizeof body });

	return guide_take_sdt(g, "a", section, len);
}

static bool give_sdt(struct guide *g, uint8_t status)
{
	return give_sdt_of(g, 1, status);
}

/* Flags of the first event of the image: running_status and free_CA_mode. */
static uint8_t flags_of(struct guide *g)
{
	uint16_t number;
	int err;
	struct eit_image *i = write_image(g, 1 << 20, true, &err);
	struct eit_items items = eit_image_at(i, 0, &number);
	uint8_t flags;

	cr_assert_gt(items.n, 0);
	flags = items.list[0].bytes[EIT_EVENT_HEAD - 2] & 0xf0;
	eit_image_free(&i);
	return flags;
}

Test(guide_shown, a_service_has_the_status_of_its_sdt)
{
	struct guide *g = open_guide();
	struct eit_image *i;
	struct eit_items items;
	uint16_t number;
	int err;

	load(g, "a", 1, 0);
	guide_show(g, "a", NOW_S);
	i = write_image(g, 1 << 20, true, &err);
	cr_expect_eq(eit_image_status(i, 0), 0);
	eit_image_free(&i);
	cr_expect(give_sdt(g, 0x30));
	cr_expect_str_eq(find(g, NOW_S + GUIDE_STALE_S, 9), "a");
	/* the same again */
	cr_expect_not(give_sdt(g, 0x30));
	cr_expect_str_eq(find(g, NOW_S + 2 * GUIDE_STALE_S, 9), "");
	i = write_image(g, 1 << 20, false, &err);
	cr_expect_eq(eit_image_status(i, 0), 0x30 | EIT_STATUS_LISTED);
	items = eit_image_at(i, 0, &number);
	cr_expect(number == 7 && items.n == 0);
	cr_expect_eq(eit_image_onid(i), 1);
	eit_image_free(&i);
	/* another network */
	cr_expect(give_sdt_of(g, 2, 0x30));
	cr_expect_str_eq(find(g, NOW_S + 3 * GUIDE_STALE_S, 9), "a");
	i = write_image(g, 1 << 20, false, &err);
	cr_expect_eq(eit_image_onid(i), 2);
	eit_image_free(&i);
	/* the saved guide has the status, too */
	cr_expect(give_sdt_of(g, 2, 0x10));
	guide_free(&g);
}

/* The master compares them to find a change. */
Test(guide_shown, a_hash_is_no_larger_than_a_message_has)
{
	enum { N = 16 };
	struct guide *g = open_guide();
	uint64_t hashes[N];

	load(g, "a", 1, 0);
	for (unsigned i = 0; i < N; i++) {
		struct eit_image *image;
		int err;

		(void)give_sdt(g, (uint8_t)(i << 4));
		image = write_image(g, 1 << 20, true, &err);
		eit_image_free(&image);
		hashes[i] = last_hash;
		cr_expect_leq(hashes[i], (uint64_t)INT64_MAX);
		for (unsigned k = 0; k < i; k++)
			cr_expect_neq(hashes[i], hashes[k]);
	}
	guide_free(&g);
}

/* An import met the service, whose number the PAT gives. */
Test(guide_shown, an_sdt_in_front_of_the_pat_is_read_again)
{
	static const uint16_t number = 7;
	struct guide *g = open_guide();
	json_t *event = json_pack("{s:s, s:i, s:{s:i, s:i, s:i, s:i, s:[], "
		"s:b}}", "stream", "a", "pnr", 0, "event", "event_id", 1,
		"start", NOW_S, "stop", NOW_S + HOUR_S, "running_status", 0,
		"texts", "imported", true);

	cr_assert(guide_load_event(g, event, NOW_S));
	json_decref(event);
	(void)give_sdt(g, 0x90);
	guide_set_programs(g, "a", &number, 1);
	cr_expect(give_sdt(g, 0x90));
	cr_expect_eq(flags_of(g), EIT_STATUS_FREE_CA);
	guide_free(&g);
}

Test(guide_shown, an_event_has_the_status_of_its_eit_or_of_the_service)
{
	static const struct {
		const char *keys;
		uint8_t flags;
	} cases[] = {
		{ "\"running_status\": 0", 0 },
		/* the time says it */
		{ "\"running_status\": 4, \"free_ca\": true", 0x10 },
		{ "\"running_status\": 1", 0 },
		{ "\"running_status\": 3", 0x60 },
		{ "\"running_status\": 0, \"imported\": true", 0x10 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct guide *g = open_guide();
		char text[300];
		json_t *event;

		(void)snprintf(text, sizeof text, "{\"stream\": \"a\", "
			"\"pnr\": 7, \"event\": {\"event_id\": 1, "
			"\"start\": %d, \"stop\": %d, \"texts\": [], %s}}",
			NOW_S, NOW_S + HOUR_S, cases[i].keys);
		event = json_loads(text, 0, NULL);
		cr_assert(guide_load_event(g, event, NOW_S));
		json_decref(event);
		(void)give_sdt(g, 0x90);
		cr_expect_eq(flags_of(g), cases[i].flags, "case %zu", i);
		guide_free(&g);
	}
}
