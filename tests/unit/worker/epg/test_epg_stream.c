/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/epg_stream.h"

#include "common/base/fd.h"
#include "common/base/ring.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>

enum {
	NOON_S = 1548158400, /* 2019-01-22 12:00 UTC */
	SERVICE = 7,
	EVENT = 12,     /* bytes of an event without descriptors */
	EVENTS = 339,   /* of a section */
	SECTIONS = 12,  /* with as many events as a service keeps */
	READ = 2 << 20, /* in a call */
};

struct rig {
	int fd;
	struct ring_writer *writer;
	struct guide *guide;
	struct epg_stream *stream;
	struct build *build;
};

static void open_rig(struct rig *r)
{
	static const struct build_entry program = { SERVICE, 0x100 };
	uint8_t pat[SECTION_PSI_MAX];
	int err;

	r->fd = ring_create(2 * READ, 0);
	cr_assert_geq(r->fd, 0);
	r->writer = ring_writer_new(r->fd, &err);
	cr_assert_not_null(r->writer);
	r->guide = guide_new(&(struct guide_limits){
		.services = 1, .days = 7, .bytes = 1 << 20 });
	r->stream = epg_stream_new("a", fcntl(r->fd, F_DUPFD_CLOEXEC, 0),
				   r->guide);
	cr_assert_not_null(r->stream);
	r->build = build_new();
	build_section(r->build, TS_PID_PAT, pat,
		      build_pat(pat, 0, &program, 1));
}

static void close_rig(struct rig *r)
{
	build_free(r->build);
	epg_stream_free(&r->stream);
	guide_free(&r->guide);
	ring_writer_free(&r->writer);
	fd_close(&r->fd);
}

static uint8_t bcd(unsigned n)
{
	return (uint8_t)(n / 10 << 4 | n % 10);
}

/* An event of a minute that begins so many minutes after noon. */
static void put_event(uint8_t *p, unsigned minute, uint8_t running, size_t len)
{
	unsigned of_day = minute + 12 * 60;
	unsigned mjd = 0xe489 + of_day / (24 * 60);

	p[0] = (uint8_t)(minute >> 8);
	p[1] = (uint8_t)minute;
	p[2] = (uint8_t)(mjd >> 8);
	p[3] = (uint8_t)mjd;
	p[4] = bcd(of_day / 60 % 24);
	p[5] = bcd(of_day % 60);
	p[6] = p[7] = p[9] = 0;
	p[8] = bcd(1);
	p[10] = (uint8_t)((size_t)running << 5 | len >> 8);
	p[11] = (uint8_t)len;
}

static void put_table(struct rig *r, struct build_table t,
		      const uint8_t *events, size_t len)
{
	uint8_t body[SECTION_MAX] = { 0, 4, 0x20, 0xfa, t.last, t.table_id };
	uint8_t section[SECTION_MAX];

	memcpy(body + 6, events, len);
	t.extension = SERVICE;
	t.body = body;
	t.len = 6 + len;
	build_section(r->build, SI_PID_EIT, section, build_table(section, &t));
}

static void put_section(struct rig *r, unsigned number, const uint8_t *events,
			size_t len)
{
	put_table(r, (struct build_table){
		.table_id = EIT_SCHEDULE_TABLE_ID, .number = (uint8_t)number,
		.last = 0xff }, events, len);
}

/* As many events as a section has. */
static void put_many(struct rig *r, unsigned number, uint8_t running)
{
	uint8_t events[EVENTS * EVENT];

	for (unsigned i = 0; i < EVENTS; i++)
		put_event(events + i * EVENT, number * EVENTS + i, running, 0);
	put_section(r, number, events, sizeof events);
}

/* One event with descriptors of no content. */
static void put_long(struct rig *r, unsigned number)
{
	enum { DESCRIPTORS = 4000 };
	uint8_t event[EVENT + DESCRIPTORS] = { 0 };

	put_event(event, number, 0, DESCRIPTORS);
	for (size_t i = EVENT; i < sizeof event; i += 2)
		event[i] = 0x4e;
	put_section(r, number, event, sizeof event);
}

/* Reads what was put.  Returns the number of calls that it took. */
static unsigned read_all(struct rig *r, int *changes)
{
	unsigned calls = 0;
	size_t left = 0;

	ring_write(r->writer, r->build->data, r->build->n);
	ring_publish(r->writer);
	r->build->n = 0;
	for (*changes = 0; left == 0; calls++) {
		left = READ;
		*changes += epg_stream_read(r->stream, &left, NOON_S);
	}
	return calls;
}

Test(epg_stream, the_work_on_many_events_counts_as_bytes_that_are_read)
{
	struct rig r;
	int changes;

	open_rig(&r);
	for (unsigned i = 0; i < SECTIONS; i++)
		put_many(&r, i, 0);
	(void)read_all(&r, &changes);
	cr_expect_eq(changes, SECTIONS);
	cr_expect_eq(guide_count(r.guide).events, SECTIONS * EVENTS);
	/* repeated sections are no work */
	for (unsigned i = 0; i < SECTIONS; i++)
		put_many(&r, i, 0);
	cr_expect_eq(read_all(&r, &changes), 1);
	cr_expect_eq(changes, 0);
	/* each event is looked for in all events of the service */
	for (unsigned i = 0; i < SECTIONS; i++)
		put_many(&r, i, 1);
	cr_expect_geq(read_all(&r, &changes), SECTIONS);
	cr_expect_eq(changes, SECTIONS);
	close_rig(&r);
}

Test(epg_stream, the_work_on_many_descriptors_counts_as_bytes_that_are_read)
{
	enum { LONG = 40 };
	struct rig r;
	int changes;

	open_rig(&r);
	for (unsigned i = 0; i < LONG; i++)
		put_long(&r, i);
	cr_expect_geq(read_all(&r, &changes), LONG / 10);
	cr_expect_eq(changes, LONG);
	close_rig(&r);
}

/* So that the events of a service do not change with each table that is
 * read. */
Test(epg_stream, an_undefined_running_status_changes_no_event)
{
	uint8_t event[EVENT];
	int changes = 0;
	struct rig r;

	open_rig(&r);
	for (uint8_t running = 4; running <= 4; running -= 2) {
		put_event(event, 0, running, 0);
		put_section(&r, 0, event, sizeof event);
		(void)read_all(&r, &changes);
		cr_expect_eq(changes, running == 0 ? 0 : 1, "%u", running);
	}
	close_rig(&r);
}

/* The running_status of each event. */
static void expect_running(const struct rig *r, const char *expected)
{
	json_t *all = guide_read(r->guide, "a", &(struct guide_span){
		.from_s = NOON_S, .to_s = NOON_S + 3600, .now_s = NOON_S,
		.max = 9, .bytes = 1 << 20 });
	const json_t *events = json_object_get(json_array_get(
		json_object_get(all, "services"), 0), "events");
	char text[16] = "";
	const json_t *e;
	size_t i;

	json_array_foreach(events, i, e)
		text[i] = (char)('0' + json_integer_value(
			json_object_get(e, "running_status")));
	cr_expect_str_eq(text, expected);
	json_decref(all);
}

Test(epg_stream, the_present_event_ends_the_one_before)
{
	struct build_table t = { .table_id = EIT_TABLE_ID, .last = 1 };
	uint8_t events[3 * EVENT];
	struct rig r;
	int changes;

	open_rig(&r);
	for (unsigned i = 0; i < 3; i++)
		put_event(events + i * EVENT, i, 0, 0);
	put_section(&r, 0, events, sizeof events);
	for (unsigned i = 0; i < 2; i++) {
		put_event(events + i * EVENT, i, 4, 0);
		put_table(&r, t, events + i * EVENT, EVENT);
		(void)read_all(&r, &changes);
		cr_expect_gt(changes, 0);
		expect_running(&r, i == 0 ? "400" : "140");
	}
	/* the following one says nothing of the others */
	t.number = 1;
	put_table(&r, t, events + 2 * EVENT, EVENT);
	(void)read_all(&r, &changes);
	expect_running(&r, "140");
	/* a pause */
	t.number = 0;
	put_table(&r, t, events, 0);
	(void)read_all(&r, &changes);
	cr_expect_gt(changes, 0);
	expect_running(&r, "110");
	close_rig(&r);
}
