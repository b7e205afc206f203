/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The streams whose EIT another process sends: which have changed, and what
 * that process gets. */
#include "worker/epg/guide_eit.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/shared.h"
#include "worker/tables/eit_image.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NOW_S = 1548158400, HOUR_S = 3600, STREAMS = 5 };

static char found[100]; /* what was found, in order */

static struct guide *open_guide(void)
{
	return guide_new(&(struct guide_limits){
		.services = 8, .days = 31, .bytes = 1 << 20 });
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

/* The events that a memory of this size has; -ENOSPC: none. */
static int count(struct guide *g, size_t size)
{
	const struct event_format format = { .country = "" };
	int fd = shared_create("test", size), copy = dup(fd), more = 1, err;
	struct guide_eit *e = guide_eit_new(fd, g, "a", &format, NOW_S);
	struct eit_image *image;
	struct eit_items items;
	uint16_t number;

	while (more > 0)
		more = guide_eit_run(e);
	if (more < 0) {
		guide_eit_free(&e);
		(void)close(copy);
		return more;
	}
	image = eit_image_read(copy, guide_eit_len(e), &err);
	cr_assert_not_null(image);
	items = eit_image_at(image, 0, &number);
	cr_expect_eq(number, 7);
	for (size_t i = 0; i < items.n; i++)
		cr_expect_eq(items.list[i].start_s,
			     NOW_S + (int64_t)i * HOUR_S);
	more = (int)items.n;
	eit_image_free(&image);
	guide_eit_free(&e);
	(void)close(copy);
	return more;
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
