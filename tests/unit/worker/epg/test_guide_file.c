/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_file.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/shared.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/epg/guide_eit.h"
#include "worker/epg/guide_record.h"
#include "worker/tables/eit_image.h"
#include "worker/ts/si_table.h"

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

static struct guide_event *event_of(const char *text)
{
	struct eit_facts *scratch = xcalloc(1, sizeof *scratch);
	json_t *json = json_loads(text, 0, NULL);
	struct guide_event *e = guide_event_read(json, scratch);

	cr_assert_not_null(e);
	json_decref(json);
	free(scratch);
	return e;
}

static const char whole[] = "{\"event_id\":65535,\"start\":1548158400,"
	"\"stop\":1548162000,\"running_status\":4,\"free_ca\":true,"
	"\"imported\":true,\"age\":16,\"contents\":[16,32],\"texts\":["
	"{\"lang\":\"eng\",\"title\":\"a\\nb\",\"summary\":\"c\"},"
	"{\"lang\":\"fra\",\"details\":\"\\u00e4\"}]}";

Test(guide_file, a_record_is_the_event_and_nothing_else)
{
	struct guide_event *e = event_of(whole), *again;
	struct buf b = { 0 };
	const char *stream;
	uint16_t number;
	const uint8_t *body;
	size_t len;
	json_t *one, *two;

	guide_record_write(&b, "s", 65535, e);
	body = buf_head(&b) + GUIDE_RECORD_HEAD;
	len = buf_len(&b) - GUIDE_RECORD_HEAD - 1;
	cr_expect_eq(body[len], '\n');
	again = guide_record_read(body, len, &stream, &number);
	cr_assert_not_null(again);
	cr_expect_str_eq(stream, "s");
	cr_expect_eq(number, 65535);
	one = guide_event_write(e);
	two = guide_event_write(again);
	cr_expect(json_equal(one, two));
	json_decref(one);
	json_decref(two);
	free(again);
	/* one that is cut, and one with any other byte */
	for (size_t cut = 0; cut < len; cut++) {
		uint8_t *part = xmalloc(cut + 1);

		memcpy(part, body, cut);
		cr_expect_null(guide_record_read(part, cut, &stream, &number),
			       "%zu", cut);
		free(part);
	}
	for (size_t i = 0; i < len; i++) {
		buf_head(&b)[GUIDE_RECORD_HEAD + i] ^= 0xff;
		free(guide_record_read(body, len, &stream, &number));
		buf_head(&b)[GUIDE_RECORD_HEAD + i] ^= 0xff;
	}
	buf_done(&b);
	free(e);
}

Test(guide_file, damaged_records_are_omitted)
{
	struct guide_event *e = event_of(whole);
	struct guide *g = open_guide();
	struct buf b = { 0 };
	uint64_t unreadable;
	size_t len;

	guide_record_write(&b, "s", 1, e);
	len = buf_len(&b);
	guide_record_write(&b, "s", 2, e);
	guide_record_write(&b, "s", 3, e);
	/* no body, no length */
	memset(buf_head(&b) + len + GUIDE_RECORD_HEAD, 0xff, 4);
	buf_append(&b, "\1\xff\xff\xff\xff\n", 6);
	guide_record_write(&b, "t", 4, e);
	/* cut */
	(void)load(g, put((const char *)buf_head(&b), buf_len(&b) - 3),
		   &unreadable);
	cr_expect_eq(unreadable, 3);
	cr_expect_eq(guide_count(g).events, 2);
	buf_done(&b);
	guide_free(&g);
	free(e);
}

Test(guide_file, a_record_longer_than_the_file_does_not_hide_the_others)
{
	struct guide_event *e = event_of(whole);
	struct guide *g = open_guide();
	struct buf b = { 0 };
	uint64_t unreadable;

	guide_record_write(&b, "s", 1, e);
	buf_head(&b)[2] = 4; /* 256 KiB more */
	guide_record_write(&b, "s", 2, e);
	guide_record_write(&b, "s", 3, e);
	(void)load(g, put((const char *)buf_head(&b), buf_len(&b)),
		   &unreadable);
	cr_expect_eq(unreadable, 1);
	cr_expect_eq(guide_count(g).events, 2);
	buf_done(&b);
	guide_free(&g);
	free(e);
}

/* An SDT of transport stream 5 in network 0x2001, with service 7. */
static void give_sdt(struct guide *g, uint8_t status)
{
	const uint8_t body[] = { 0x20, 1, 0xff, 0, 7, 0xfc, status, 0 };
	uint8_t section[1024];
	size_t len = build_table(section, &(struct build_table){
		.table_id = SDT_TABLE_ID, .extension = 5, .body = body,
		.len = sizeof body });

	(void)guide_take_sdt(g, "a", section, len);
}

/* As a process that sends the tables gets it. */
static struct eit_image *image_of(struct guide *g)
{
	int fd = shared_create("test", 1 << 16), err;
	struct guide_eit *e = guide_eit_new(dup(fd), g,
		&(struct guide_eit_config){ .stream = "a" }, NOON_S);
	struct eit_image *image;

	while (guide_eit_run(e) > 0)
		;
	image = eit_image_read(fd, guide_eit_len(e), &err);
	cr_assert_not_null(image);
	guide_eit_free(&e);
	fd_close(&fd);
	return image;
}

static void save(struct guide *g, int fd, size_t *ret_len)
{
	struct guide_saver *s = guide_saver_new(dup(fd), g);
	int more = 1;

	while (more > 0)
		more = guide_saver_run(s);
	cr_assert_eq(more, 0);
	*ret_len = guide_saver_len(s);
	guide_saver_free(&s);
}

Test(guide_file, has_what_the_sdt_says)
{
	struct guide *g = open_full(), *copy = open_guide();
	int fd = shared_create("test", EVENTS * LINE);
	char *text = xmalloc(EVENTS * LINE);
	struct eit_image *image;
	uint64_t unreadable;
	size_t len;

	give_sdt(g, 0x30);
	save(g, fd, &len);
	cr_assert_eq(pread(fd, text, len, 0), (ssize_t)len);
	cr_expect_eq(text[0], GUIDE_RECORD, "former programs read events");
	(void)load(copy, put(text, len), &unreadable);
	cr_expect_eq(unreadable, 0);
	cr_expect_eq(guide_count(copy).events, EVENTS);
	image = image_of(copy);
	cr_expect_eq(eit_image_onid(image), 0x2001);
	cr_expect(eit_image_has_sdt(image));
	cr_expect_eq(eit_image_status(image, 0) & EIT_STATUS_MASK, 0x30);
	eit_image_free(&image);
	guide_free(&copy);
	/* an SDT that was read meanwhile stays */
	copy = open_guide();
	guide_load_status(copy, &(struct guide_status){ "a", 1, 1, 7, 0 });
	give_sdt(copy, 0x80);
	(void)load(copy, put(text, len), &unreadable);
	image = image_of(copy);
	cr_expect_eq(eit_image_status(image, 0) & EIT_STATUS_MASK, 0x80);
	eit_image_free(&image);
	free(text);
	fd_close(&fd);
	guide_free(&copy);
	guide_free(&g);
}

Test(guide_file, a_status_is_bounded_and_versioned)
{
	const struct guide_status status = { "s", 1, 2, 3, 0x81 };
	struct guide *g = open_guide();
	struct guide_status again;
	struct buf b = { 0 };
	const uint8_t *body;
	uint64_t unreadable;
	size_t len;

	guide_status_record_write(&b, &status);
	body = buf_head(&b) + GUIDE_RECORD_HEAD;
	len = buf_len(&b) - GUIDE_RECORD_HEAD - 1;
	cr_assert(guide_status_record_read(body, len, &again));
	cr_expect_str_eq(again.stream, "s");
	cr_expect(again.tsid == 1 && again.onid == 2 && again.number == 3 &&
		  again.status == 0x81);
	for (size_t cut = 0; cut < len; cut++)
		cr_expect_not(guide_status_record_read(body, cut, &again));
	buf_head(&b)[GUIDE_RECORD_HEAD]++;
	(void)load(g, put((const char *)buf_head(&b), buf_len(&b)),
		   &unreadable);
	cr_expect_eq(unreadable, 1, "another version");
	cr_expect_eq(guide_count(g).services, 0);
	buf_done(&b);
	/* the limit of the guide */
	for (uint16_t i = 1; i < 10; i++)
		guide_load_status(g, &(struct guide_status){
			i % 2 ? "s" : "t", 1, 2, i, 0x81 });
	cr_expect_eq(guide_count(g).services, 3);
	guide_free(&g);
}

/* A later program has other kinds of records: their bodies may have line feeds,
 * and what looks like the begin of a record. */
Test(guide_file, a_record_of_an_unknown_kind_is_skipped)
{
	static const uint8_t body[] = { 0, '\n', GUIDE_RECORD, 0, 3, 0, 0,
					'\n', GUIDE_STATUS_RECORD, '{' };
	const struct guide_status status = { "s", 0x0a01, 2, 3, 0x81 };
	struct guide_event *e = event_of(whole);

	for (uint8_t kind = GUIDE_STATUS_RECORD + 1; kind <= GUIDE_RECORD_LAST;
	     kind++) {
		const uint8_t head[] = { kind, 0, 0, 0, sizeof body };
		struct guide *g = open_guide();
		struct buf b = { 0 };
		uint64_t unreadable;

		buf_append(&b, head, sizeof head);
		buf_append(&b, body, sizeof body);
		buf_append(&b, "\n", 1);
		guide_record_write(&b, "s", 1, e);
		buf_append(&b, head, sizeof head);
		buf_append(&b, body, sizeof body);
		buf_append(&b, "\n", 1);
		guide_status_record_write(&b, &status);
		guide_record_write(&b, "s", 2, e);
		(void)load(g, put((const char *)buf_head(&b), buf_len(&b)),
			   &unreadable);
		cr_expect_eq(unreadable, 0, "kind %u", kind);
		cr_expect_eq(guide_count(g).events, 2);
		cr_expect_eq(guide_count(g).services, 3);
		buf_done(&b);
		guide_free(&g);
	}
	free(e);
}

Test(guide_file, a_memory_that_is_too_small_is_an_error)
{
	struct guide *g = open_full();
	struct guide_saver *s = guide_saver_new(
		shared_create("test", GUIDE_FILE_PART / 2), g);
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

Test(guide_file, a_damaged_saved_guide_gives_what_is_sound)
{
	static const char *const damaged[] = {
		"3", "{}", "{\"stream\": 3, \"pnr\": 1, \"event\": {}}",
		"{\"stream\":\"\",\"pnr\":1,\"event\":{\"event_id\":1,"
		"\"start\":1548158400,\"stop\":1548162000,"
		"\"running_status\":0,\"texts\":[]}}",
		"{\"stream\": \"b\", \"pnr\": 0, \"event\": {}}",
		"{\"stream\": \"b\", \"pnr\": 1, \"event\": {\"event_id\": 1, "
		"\"start\": 1548158400, \"stop\": 1548158400, "
		"\"running_status\": 0}}",
	};
	static const char sound[] =
		"{\"stream\": \"b\", \"pnr\": 1, \"event\": {\"event_id\": 1, "
		"\"start\": 1548158400, \"stop\": 1548158460, "
		"\"running_status\": 0, \"texts\": [{\"lang\": \"toolong\", "
		"\"title\": 3}, 1, 2, 3, 4, 5]}}";
	struct guide *g = open_guide();
	json_t *saved;

	for (size_t i = 0; i < ARRAY_LEN(damaged); i++) {
		saved = json_loads(damaged[i], JSON_DECODE_ANY, NULL);
		cr_assert_not_null(saved);
		cr_expect_not(guide_load_event(g, saved, NOON_S), "%s",
			      damaged[i]);
		json_decref(saved);
	}
	cr_expect_not(guide_load_event(g, NULL, NOON_S));
	saved = json_loads(sound, 0, NULL);
	cr_expect(guide_load_event(g, saved, NOON_S));
	cr_expect_eq(guide_count(g).events, 1);
	json_decref(saved);
	guide_free(&g);
}
