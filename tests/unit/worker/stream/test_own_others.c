/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SDT other of a stream, as it is scheduled. */
#include "worker/stream/own_others.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/remux/table_versions.h"
#include "worker/stream/other_guides.h"
#include "worker/stream/passed_eits.h"
#include "worker/tables/section_schedule.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WAIT_MS = 20000, STEP_MS = 10 };

static struct {
	struct tables_spec spec;
	struct table_versions versions;
	struct passed_list passed;
	struct schedule *schedule;
	struct own_others *others;
	uint64_t ms;
	uint8_t last[SECTION_PSI_MAX]; /* of the transport stream */
	bool stop_at_one; /* of its sections */
	struct other_guide guide; /* of each stream */
} g;

static void init(enum eit_other eit)
{
	g.spec.sdt_other = true;
	g.spec.eit_other = eit;
	g.schedule = schedule_new();
	g.others = own_others_new(&g.spec, &g.versions, &g.passed, g.schedule);
	cr_assert_not_null(g.others);
}

static void done(void)
{
	own_others_free(&g.others);
	eit_image_free(&g.guide.image);
	schedule_free(&g.schedule);
}

/* A stream of nit_other; its keys as JSON. */
static void add(const char *keys)
{
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	json_t *object = json_loads(keys, 0, NULL);
	struct errmsg error;

	cr_assert_not_null(object);
	(void)!stream_spec_parse(object, spec, &error);
	g.guide.tsid = stream_spec_tsid(spec);
	g.guide.onid = tables_spec_onid(&spec->tables, 0);
	own_others_add(g.others, spec, &g.guide);
	json_decref(object);
	free(spec);
}

static void list(const char *keys)
{
	own_others_begin(g.others);
	if (keys != NULL)
		add(keys);
	own_others_end(g.others);
}

/* The sections of the transport stream that are sent in a while. */
static size_t await(uint16_t tsid)
{
	uint64_t end_ms = g.ms + WAIT_MS;
	struct schedule_due due;
	size_t n = 0;

	for (; g.ms < end_ms && !(g.stop_at_one && n > 0); g.ms += STEP_MS)
		while (schedule_next(g.schedule, g.ms * MS, g.ms, false,
				     &due)) {
			cr_expect_eq(due.pid, SI_PID_SDT);
			cr_expect_eq(due.data[0], SDT_OTHER_TABLE_ID);
			if ((due.data[3] << 8 | due.data[4]) != tsid)
				continue;
			cr_assert_leq(due.len, sizeof g.last);
			memcpy(g.last, due.data, due.len);
			n++;
		}
	return n;
}

static const char two[] = "{\"set_tsid\": 7, \"nit\": \"own\", \"onid\": 9, "
	"\"sdt\": [{\"pnr\": 21, \"name\": \"One\", \"provider\": \"P\"}, "
	"{\"pnr\": 22, \"type\": 2, \"name\": \"Two\"}]}";

/* The guide says this of some services. */
static void give(const uint16_t *numbers, const uint8_t *status, size_t n)
{
	int fd = memfd_create("image", MFD_CLOEXEC), err;
	struct buf b = { 0 };

	eit_image_begin(&b, 0, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		eit_image_service(&b, numbers[i], status[i], 0);
	cr_assert_eq(write(fd, buf_head(&b), buf_len(&b)),
		     (ssize_t)buf_len(&b));
	g.guide.image = eit_image_read(fd, buf_len(&b), &err);
	cr_assert_not_null(g.guide.image);
	(void)close(fd);
	buf_done(&b);
}

Test(own_others, lists_the_services_of_a_stream)
{
	static const uint8_t services[] = {
		0, 9, 0xff,
		0, 21, 0xfc, 0x80, 9, 0x48, 7, 1, 1, 'P', 3, 'O', 'n', 'e',
		0, 22, 0xfc, 0x80, 8, 0x48, 6, 2, 0, 3, 'T', 'w', 'o',
	};

	/* without a guide */
	init(EIT_OTHER_ALL);
	list(two);
	cr_expect_gt(await(7), 0);
	cr_expect_arr_eq(g.last + 8, services, sizeof services);
	done();
}

Test(own_others, a_service_has_the_status_of_its_sdt)
{
	static const uint16_t numbers[] = { 20, 21, 22 };
	static const uint8_t status[] = { 0xf1, 0x31, 0 };

	init(EIT_OTHER_ALL);
	give(numbers, status, 3);
	list(two);
	cr_expect_gt(await(7), 0);
	/* not running and scrambled; not known */
	cr_expect_eq(g.last[11 + 3], 0x30);
	cr_expect_eq(g.last[11 + 5 + 9 + 3], 0x80);
	done();
}

/* The EIT flags of both services, of which the first n have EIT other. */
static unsigned flags_of(enum eit_other eit, size_t n)
{
	static const uint16_t numbers[] = { 21, 22 };
	static const uint8_t status[2];
	unsigned flags;

	init(eit);
	give(numbers, status, 2);
	g.guide.n_sent = n;
	list(two);
	cr_expect_gt(await(7), 0);
	flags = (g.last[11 + 2] & 3U) << 4 | (g.last[11 + 5 + 9 + 2] & 3);
	done();
	return flags;
}

Test(own_others, a_service_has_the_flags_of_the_eit_that_are_sent)
{
	cr_expect_eq(flags_of(EIT_OTHER_ALL, 2), 0x33);
	cr_expect_eq(flags_of(EIT_OTHER_ALL, 1), 0x30);
	cr_expect_eq(flags_of(EIT_OTHER_PRESENT, 1), 0x10);
	cr_expect_eq(flags_of(EIT_OTHER_ALL, 0), 0);
	cr_expect_eq(flags_of(EIT_OTHER_PASS, 2), 0);
}

/* The EIT flags of the first service, where the source has such EIT other.  It
 * is silent then, and another worker begins if `restarts'. */
static unsigned silent_flags(enum eit_other eit, uint8_t table_id,
			     uint16_t onid, uint64_t silent_s, bool restarts)
{
	const uint8_t body[] = { 0, 7, 0, (uint8_t)onid, 0, table_id };
	struct other_guides others = { .n = 1, .list = { { .tsid = 7,
							   .onid = 9 } } };
	struct build *b = build_new();
	uint8_t section[1024];
	struct ts_run run;
	unsigned flags;

	init(eit);
	(void)build_section(b, SI_PID_EIT, section,
			    build_table(section, &(struct build_table){
		.table_id = table_id, .extension = 21, .body = body,
		.len = sizeof body }));
	run = build_run(b);
	(void)own_others_feed(g.others, &others, &run, 1, SECOND_NS);
	cr_expect_not(own_others_feed(g.others, &others, &run, 0, SECOND_NS));
	if (restarts) {
		done();
		init(eit);
	}
	(void)own_others_feed(g.others, &others, &run, 0,
			      (1 + silent_s) * SECOND_NS);
	list(two);
	cr_expect_gt(await(7), 0);
	flags = g.last[11 + 2] & 3U;
	build_free(b);
	done();
	g.passed = (struct passed_list){ 0 };
	return flags;
}

static unsigned passed_flags(enum eit_other eit, uint8_t table_id,
			     uint16_t onid, uint64_t silent_s)
{
	return silent_flags(eit, table_id, onid, silent_s, false);
}

Test(own_others, a_service_has_the_flags_of_the_eit_that_pass)
{
	cr_expect_eq(passed_flags(EIT_OTHER_PASS, 0x4f, 9, 0), 1);
	cr_expect_eq(passed_flags(EIT_OTHER_PASS, 0x61, 9, 59), 2);
	cr_expect_eq(passed_flags(EIT_OTHER_PASS, 0x4f, 9, 60), 0);
	cr_expect_eq(passed_flags(EIT_OTHER_PASS, 0x4f, 8, 0), 0, "another");
	cr_expect_eq(passed_flags(EIT_OTHER_PASS, 0x4e, 9, 0), 0, "actual");
	/* own ones replace present and following, or all */
	cr_expect_eq(passed_flags(EIT_OTHER_PRESENT, 0x4f, 9, 0), 0);
	cr_expect_eq(passed_flags(EIT_OTHER_PRESENT, 0x61, 9, 0), 2);
	cr_expect_eq(passed_flags(EIT_OTHER_ALL, 0x61, 9, 0), 0);
}

Test(own_others, the_next_worker_has_the_same_flags)
{
	cr_expect_eq(silent_flags(EIT_OTHER_PASS, 0x4f, 9, 1, true), 1);
	cr_expect_eq(silent_flags(EIT_OTHER_PASS, 0x61, 9, 899, true), 2);
	cr_expect_eq(silent_flags(EIT_OTHER_PASS, 0x61, 9, 900, true), 0);
	cr_expect_eq(silent_flags(EIT_OTHER_ALL, 0x61, 9, 1, true), 0);
	/* the memory is damaged, and the source has no EIT other */
	memset(&g.passed, 0xff, sizeof g.passed);
	cr_expect_eq(silent_flags(EIT_OTHER_PASS, 0x4f, 8, 1, true), 0);
}

/* With another eit_other than before the present events of the source do not
 * pass any more. */
Test(own_others, a_worker_with_own_present_events_passes_none)
{
	g.passed = (struct passed_list){ .n = 1, .services = { {
		.tsid = 7, .onid = 9, .sid = 21,
		.has = PASSED_PRESENT | PASSED_SCHEDULE,
		.seen_s = { 1, 1 } } } };
	init(EIT_OTHER_PRESENT);
	list(two);
	cr_expect_gt(await(7), 0);
	cr_expect_eq(g.last[11 + 2] & 3U, 2);
	done();
}

Test(own_others, the_only_service_needs_no_list)
{
	static const uint8_t service[] = { 0, 33, 0xfc };

	init(EIT_OTHER_PASS);
	list("{\"set_tsid\": 7, \"set_pnr\": 33, \"service_name\": \"X\"}");
	cr_expect_gt(await(7), 0);
	cr_expect_arr_eq(g.last + 11, service, sizeof service);
	done();
}

Test(own_others, a_stream_that_goes_is_not_sent_any_more)
{
	uint8_t version;

	init(EIT_OTHER_PRESENT);
	list(two);
	cr_expect_gt(await(7), 0);
	version = g.last[5];
	/* the same list: the same version */
	list(two);
	cr_expect_gt(await(7), 0);
	cr_expect_eq(g.last[5], version);
	list("{\"set_tsid\": 7, \"set_pnr\": 33, \"nit\": \"own\", "
	     "\"onid\": 9}");
	cr_expect_gt(await(7), 0);
	cr_expect_neq(g.last[5], version);
	list("{\"set_tsid\": 8, \"set_pnr\": 33}");
	cr_expect_eq(await(7), 0);
	cr_expect_gt(await(8), 0);
	list(NULL);
	cr_expect_eq(await(8), 0);
	done();
}

Test(own_others, networks_may_have_equal_transport_stream_ids)
{
	const uint8_t *networks = g.last + 8;
	unsigned seen = 0;

	init(EIT_OTHER_PASS);
	own_others_begin(g.others);
	add(two);
	add("{\"set_tsid\": 7, \"nit\": \"own\", \"onid\": 10, "
	    "\"set_pnr\": 33}");
	own_others_end(g.others);
	for (unsigned i = 0; i < 3; i++) {
		g.stop_at_one = true;
		cr_expect_eq(await(7), 1);
		cr_expect_eq(g.last[5] >> 1 & 31, 0);
		seen |= 1u << (networks[1] - 9);
	}
	cr_expect_eq(seen, 3);
	g.stop_at_one = false;
	/* the first one goes */
	list("{\"set_tsid\": 7, \"nit\": \"own\", \"onid\": 10, "
	     "\"set_pnr\": 33}");
	cr_expect_gt(await(7), 0);
	cr_expect_eq(networks[1], 10);
	cr_expect_eq(g.last[5] >> 1 & 31, 0);
	done();
}
