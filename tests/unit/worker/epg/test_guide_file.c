/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_file.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/shared.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	NOON_S = 1548158400, /* 2019-01-22 12:00 UTC */
	EVENTS = 2000,
	LINE = 200, /* more than a line of format_event() */
};

static struct guide *open_guide(void)
{
	return guide_new(&(struct guide_limits){
		.services = 3, .days = 7, .bytes = 1 << 20 });
}

/* Event i of EVENTS, each of a minute. */
static size_t format_event(char *text, unsigned i)
{
	unsigned start_s = NOON_S + i * 60;

	return (size_t)sprintf(text, "{\"stream\":\"a\",\"pnr\":7,\"event\":{"
			       "\"event_id\":%u,\"start\":%u,\"stop\":%u,"
			       "\"running_status\":0,\"texts\":[]}}\n", i,
			       start_s, start_s + 60);
}

static int put(const char *text, size_t len)
{
	int fd = shared_create("test", len);

	cr_assert_geq(fd, 0);
	cr_assert_eq(pwrite(fd, text, len, 0), (ssize_t)len);
	return fd;
}

/* Returns the number of parts. */
static unsigned load(struct guide *g, int fd, uint64_t *unreadable)
{
	struct guide_loader *l = guide_loader_new(fd, g);
	unsigned parts = 1;

	while (guide_loader_run(l, NOON_S))
		parts++;
	*unreadable = guide_loader_unreadable(l);
	guide_loader_free(&l);
	return parts;
}

static struct guide *open_full(void)
{
	char *text = xmalloc(EVENTS * LINE);
	struct guide *g = open_guide();
	uint64_t unreadable;
	size_t len = 0;

	for (unsigned i = 0; i < EVENTS; i++)
		len += format_event(text + len, i);
	/* each part is one wake-up of the loop */
	cr_expect_geq(load(g, put(text, len), &unreadable),
		      len / GUIDE_FILE_PART);
	cr_expect_eq(unreadable, 0);
	cr_expect_eq(guide_count(g).events, EVENTS);
	free(text);
	return g;
}

Test(guide_file, a_guide_is_loaded_and_saved_in_parts)
{
	struct guide *g = open_full(), *copy = open_guide();
	int fd = shared_create("test", EVENTS * LINE);
	struct guide_saver *s = guide_saver_new(dup(fd), g);
	char *text = xmalloc(EVENTS * LINE);
	size_t len = 0, parts = 0;
	uint64_t unreadable;
	int more = 1;

	while (more > 0) {
		more = guide_saver_run(s);
		cr_expect_leq(guide_saver_len(s) - len,
			      GUIDE_FILE_PART + LINE);
		len = guide_saver_len(s);
		parts++;
	}
	cr_expect_eq(more, 0);
	cr_expect_geq(parts, len / (GUIDE_FILE_PART + LINE));
	guide_saver_free(&s);
	cr_assert_eq(pread(fd, text, len, 0), (ssize_t)len);
	(void)load(copy, put(text, len), &unreadable);
	cr_expect_eq(unreadable, 0);
	cr_expect_eq(guide_count(copy).events, EVENTS);
	free(text);
	fd_close(&fd);
	guide_free(&copy);
	guide_free(&g);
}

Test(guide_file, a_memory_that_is_too_small_is_an_error)
{
	struct guide *g = open_full();
	struct guide_saver *s = guide_saver_new(
		shared_create("test", GUIDE_FILE_PART + LINE), g);
	int more = 1;

	while (more > 0)
		more = guide_saver_run(s);
	cr_expect_eq(more, -ENOSPC);
	guide_saver_free(&s);
	guide_free(&g);
}

Test(guide_file, an_empty_guide_has_no_bytes)
{
	struct guide *g = open_guide();
	struct guide_saver *s = guide_saver_new(shared_create("test", 10), g);

	cr_expect_eq(guide_saver_run(s), 0);
	cr_expect_eq(guide_saver_len(s), 0);
	guide_saver_free(&s);
	guide_free(&g);
}

Test(guide_file, unreadable_and_too_long_lines_are_omitted)
{
	size_t room = GUIDE_LINE_MAX * 2 + 4 * LINE, len = 0;
	char *text = xmalloc(room);
	struct guide *g = open_guide();
	uint64_t unreadable;

	len += format_event(text, 0);
	len += (size_t)sprintf(text + len, "no event\n");
	memset(text + len, 'x', GUIDE_LINE_MAX * 2);
	len += GUIDE_LINE_MAX * 2;
	text[len++] = '\n';
	len += format_event(text + len, 1);
	/* without its end */
	len += format_event(text + len, 2) - 1;
	(void)load(g, put(text, len), &unreadable);
	cr_expect_eq(unreadable, 3);
	cr_expect_eq(guide_count(g).events, 2);
	free(text);
	guide_free(&g);
}
