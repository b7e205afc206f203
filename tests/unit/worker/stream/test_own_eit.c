/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Own EIT of a stream, and of the streams of nit_other, as they are sent. */
#include "worker/stream/own_eit.h"

#include "common/base/units.h"
#include "proto/ipc/msg.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/remux/section_writer.h"
#include "worker/stream/other_guides.h"
#include "worker/stream/output_sdt.h"
#include "worker/tables/eit_image.h"
#include "worker/tables/eit_versions.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	NOON_S = 1548158400,
	HOUR_S = 3600,
	NULLS = 32,
	BUILT_PACKETS = 8,
	TURN_MS = 20,
	EIT_OTHER_SCHEDULE_ID = 0x60,
	EVENT_FLAGS_AT = 14 + 10,
};

static struct {
	struct tables_spec spec;
	struct psi *psi;
	struct output_sdt sdt;
	struct other_guides others;
	struct eit_versions versions;
	uint8_t cc[TS_PIDS];
	struct table_stage *stage;
	struct own_eit *own;
	uint64_t ms;
	uint8_t status, flags; /* of services and events of the guide */
	uint16_t onid; /* of its streams */
	uint64_t guides; /* of the config */
	uint8_t next_cc; /* of the section that is sent next */
	struct section_assembler in;
	uint8_t buffer[SECTION_MAX];
	size_t n; /* sections since the last pass() */
	/* flags: of the first event; 0: there is none */
	struct { uint8_t id, flags; uint16_t sid, tsid, onid; } seen[4096];
} g;

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	const uint8_t *s;
	size_t len;

	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) != SI_PID_EIT)
				continue;
			section_push(&g.in, p);
			while ((s = section_pull(&g.in, &len)) != NULL) {
				cr_assert_lt(g.n, ARRAY_LEN(g.seen));
				g.seen[g.n].id = section_table_id(s);
				g.seen[g.n].flags = len > EVENT_FLAGS_AT +
					SECTION_CRC ? s[EVENT_FLAGS_AT] : 0;
				g.seen[g.n].sid = (uint16_t)(s[3] << 8 | s[4]);
				g.seen[g.n].tsid = (uint16_t)(s[8] << 8 | s[9]);
				g.seen[g.n++].onid =
					(uint16_t)(s[10] << 8 | s[11]);
			}
		}
}

/* Program 2 of the stream is number 77 of its second input. */
static bool find_input(uint16_t pnr, unsigned *ret_place, uint16_t *ret_number,
		       void *arg)
{
	(void)arg;
	*ret_place = 2;
	*ret_number = 77;
	return pnr == 2;
}

static void open_with(enum eit_other other, own_eit_input_fn *input_of)
{
	const struct build_entry entries[] = { { 1, 0x100 }, { 2, 0x200 } };
	struct build *b = build_new();
	uint8_t section[1024];
	struct ts_run run;

	g.psi = psi_new();
	(void)build_section(b, 0, section, build_pat(section, 0, entries, 2));
	run = build_run(b);
	for (size_t i = 0; i < run.n; i++)
		(void)psi_feed(g.psi, run.data + i * TS_PACKET);
	build_free(b);
	section_init(&g.in, g.buffer, sizeof g.buffer);
	output_sdt_init(&g.sdt);
	other_guides_init(&g.others);
	g.spec.eit_other = other;
	g.spec.eit_rate_kbps = 1000;
	g.stage = table_stage_new(&(struct table_stage_config){
		.cc = g.cc, .out = take });
	g.own = own_eit_new(&(struct own_eit_config){
		.spec = &g.spec, .psi = g.psi, .sdt = &g.sdt,
		.others = &g.others,
		.versions = &g.versions, .stage = g.stage,
		.input_of = input_of, .guides = g.guides });
	cr_assert_not_null(g.own);
	g.ms = UINT64_C(1000) * NOON_S;
}

static void done(void)
{
	own_eit_free(&g.own);
	other_guides_done(&g.others);
	table_stage_free(&g.stage);
	psi_free(&g.psi);
}

/* An event of n services from this one on in this hour. */
static void give_event(const char *other, unsigned place, uint8_t id,
		       uint16_t number, size_t n)
{
	const uint8_t bare[EIT_EVENT_HEAD] = { 0, id, [10] = g.flags };
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct msg_stream_guide m = { .place = place, .stream = other };
	struct buf b = { 0 };

	eit_image_begin(&b, g.onid, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		eit_image_service(&b, (uint16_t)(number + i), g.status, 1);
		eit_image_event(&b, &(struct eit_item){ NOON_S, HOUR_S,
							sizeof bare, bare });
	}
	cr_assert_eq(write(fd, buf_head(&b), buf_len(&b)),
		     (ssize_t)buf_len(&b));
	m.len = (uint32_t)buf_len(&b);
	if (other[0] == '\0')
		own_eit_guide(g.own, &m, fd);
	else if (other_guides_take(&g.others, &m, fd))
		own_eit_use(g.own);
	(void)close(fd);
	buf_done(&b);
}

static void give_many(const char *other, unsigned place, uint16_t number,
		      size_t n)
{
	give_event(other, place, 7, number, n);
}

static void give(const char *other, unsigned place, uint16_t number)
{
	give_many(other, place, number, 1);
}

static void feed(const struct ts_run *run)
{
	if (output_sdt_feed(&g.sdt, run, 1) &
	    (OUTPUT_SDT_IDS | OUTPUT_SDT_STATUS))
		own_eit_use(g.own);
	own_eit_turn(g.own, g.ms);
	table_stage_feed(g.stage, run, 1, g.ms * MS, g.ms);
	g.ms += TURN_MS;
}

static void pass_more(unsigned ms)
{
	static uint8_t nulls[NULLS * TS_PACKET];

	for (size_t i = 0; i < NULLS; i++) {
		uint8_t *p = nulls + i * TS_PACKET;

		p[0] = TS_SYNC_BYTE;
		ts_set_pid(p, TS_PID_NULL);
		p[3] = 0x10;
	}
	for (unsigned t = 0; t < ms; t += TURN_MS)
		feed(&(struct ts_run){ nulls, NULLS });
}

static void pass(unsigned ms)
{
	g.n = 0;
	pass_more(ms);
}

/* Sections of a service since the last pass(). */
static size_t count(uint8_t id, uint16_t sid)
{
	size_t n = 0;

	for (size_t i = 0; i < g.n; i++)
		n += g.seen[i].id == id && g.seen[i].sid == sid;
	return n;
}

static void expect_ids(uint16_t tsid, uint16_t onid)
{
	cr_expect_gt(g.n, 0);
	for (size_t i = 0; i < g.n; i++) {
		cr_expect_eq(g.seen[i].tsid, tsid);
		cr_expect_eq(g.seen[i].onid, onid);
	}
}

static void send_section(uint16_t pid, const struct build_table *t)
{
	struct build *b = build_new_of(BUILT_PACKETS);
	uint8_t section[1024];
	struct ts_run run;

	b->cc[pid] = g.next_cc++ & 15;
	(void)build_section(b, pid, section, build_table(section, t));
	run = build_run(b);
	feed(&run);
	build_free(b);
}

static void send_sdt(uint8_t table_id, uint16_t tsid, uint16_t onid)
{
	const uint8_t body[] = { (uint8_t)(onid >> 8), (uint8_t)onid, 0xff };

	send_section(SI_PID_SDT, &(struct build_table){
		.table_id = table_id, .extension = tsid, .body = body,
		.len = sizeof body });
}

static void list_others(const char *first, const char *second)
{
	other_guides_begin(&g.others);
	other_guides_add(&g.others, first, 100, 9);
	if (second != NULL)
		other_guides_add(&g.others, second, 200, 9);
	other_guides_end(&g.others);
	own_eit_use(g.own);
}

Test(own_eit, has_the_identifiers_of_the_sdt)
{
	g.spec.eit = ORIGIN_OWN;
	open_with(EIT_OTHER_PASS, NULL);
	give("", 0, 1);
	/* it is awaited for a while */
	pass(1000);
	cr_expect_eq(g.n, 0);
	send_sdt(SDT_OTHER_TABLE_ID, 8, 8);
	send_sdt(SDT_TABLE_ID, 5, 0x2001);
	pass(3000);
	expect_ids(5, 0x2001);
	cr_expect_gt(count(EIT_TABLE_ID, 1), 0);
	/* another source */
	send_sdt(SDT_TABLE_ID, 6, 0x2002);
	/* what is in the queue */
	pass(100);
	pass(3000);
	expect_ids(6, 0x2002);
	done();
}

/* The message with them is behind the first packets if the worker is fast:
 * empty EIT would have another version. */
Test(own_eit, waits_for_the_events_of_the_stream_and_of_its_inputs)
{
	g.spec.eit = ORIGIN_OWN;
	g.guides = 1 << 0 | 1 << 2;
	open_with(EIT_OTHER_PASS, find_input);
	send_sdt(SDT_TABLE_ID, 5, 0x2001);
	pass(2000);
	cr_expect_eq(g.n, 0);
	give("", 0, 1);
	pass(2000);
	cr_expect_eq(g.n, 0);
	give("", 2, 77);
	pass(3000);
	cr_expect_gt(count(EIT_TABLE_ID, 1), 0);
	cr_expect_gt(count(EIT_TABLE_ID, 2), 0);
	done();
}

Test(own_eit, without_a_guide_is_empty_behind_a_wait)
{
	g.spec.eit = ORIGIN_OWN;
	g.guides = 1;
	open_with(EIT_OTHER_PASS, NULL);
	send_sdt(SDT_TABLE_ID, 5, 0x2001);
	pass(8000);
	cr_expect_gt(count(EIT_TABLE_ID, 1), 0);
	done();
}

/* The guide gives none to a stream that sends EIT other alone. */
Test(own_eit, of_others_wait_for_no_guide_of_the_stream)
{
	g.guides = 1;
	open_with(EIT_OTHER_PRESENT, NULL);
	list_others("b", NULL);
	give("b", 0, 21);
	send_sdt(SDT_TABLE_ID, 5, 0x2001);
	pass(3000);
	cr_expect_gt(g.n, 0);
	done();
}

Test(own_eit, without_an_sdt_has_those_of_the_pat_and_the_key)
{
	g.spec.eit = ORIGIN_OWN;
	g.spec.onid = 3;
	open_with(EIT_OTHER_PASS, NULL);
	give("", 0, 1);
	pass(8000);
	expect_ids(psi_tsid(g.psi), 3);
	done();
}

Test(own_eit, without_an_sdt_and_the_key_has_network_1)
{
	g.spec.eit = ORIGIN_OWN;
	open_with(EIT_OTHER_PASS, NULL);
	give("", 0, 1);
	pass(8000);
	expect_ids(psi_tsid(g.psi), 1);
	done();
}

Test(own_eit, of_others_have_the_network_of_their_key_or_their_sdt)
{
	open_with(EIT_OTHER_PRESENT, NULL);
	g.onid = 0x2012;
	list_others("b", NULL);
	give("b", 0, 21);
	pass(15000);
	expect_ids(100, 9);
	other_guides_begin(&g.others);
	other_guides_add(&g.others, "b", 100, 0);
	other_guides_add(&g.others, "c", 200, 0);
	other_guides_end(&g.others);
	own_eit_use(g.own);
	cr_expect_eq(g.others.list[1].onid, 1, "not known");
	pass(1000);
	pass(15000);
	expect_ids(100, 0x2012);
	done();
}

Test(own_eit, a_new_list_of_others_keeps_the_events_of_those_that_stay)
{
	open_with(EIT_OTHER_ALL, NULL);
	list_others("b", NULL);
	give("b", 0, 21);
	give("unknown", 0, 22);
	pass(15000);
	cr_expect_gt(count(EIT_OTHER_TABLE_ID, 21), 0);
	cr_expect_gt(count(EIT_OTHER_SCHEDULE_ID, 21), 0);
	cr_expect_eq(count(EIT_OTHER_TABLE_ID, 22), 0);
	expect_ids(100, 9);
	list_others("c", "b");
	pass(25000);
	cr_expect_gt(count(EIT_OTHER_TABLE_ID, 21), 0);
	expect_ids(200, 9);
	/* one that goes */
	list_others("c", NULL);
	pass(1000);
	pass(25000);
	cr_expect_eq(g.n, 0);
	done();
}

Test(own_eit, of_others_can_be_present_and_following_alone)
{
	open_with(EIT_OTHER_PRESENT, NULL);
	list_others("b", NULL);
	give("b", 0, 21);
	pass(30000);
	cr_expect_gt(count(EIT_OTHER_TABLE_ID, 21), 0);
	cr_expect_eq(count(EIT_OTHER_SCHEDULE_ID, 21), 0);
	done();
}

/* The flags of all events in a table of a service since the last pass(). */
static unsigned flags_in(uint8_t id, uint16_t sid)
{
	unsigned flags = 0;

	for (size_t i = 0; i < g.n; i++)
		if (g.seen[i].id == id && g.seen[i].sid == sid)
			flags |= g.seen[i].flags;
	return flags;
}

Test(own_eit, of_others_have_the_status_of_their_service)
{
	open_with(EIT_OTHER_ALL, NULL);
	list_others("b", NULL);
	/* not running, and scrambled */
	g.status = 0x31;
	g.flags = 0x10;
	give("b", 0, 21);
	/* all segments */
	pass(60000);
	cr_expect_eq(flags_in(EIT_OTHER_TABLE_ID, 21), 0x30);
	cr_expect_eq(flags_in(EIT_OTHER_SCHEDULE_ID, 21), 0x10);
	g.status = 0x81;
	g.flags = 0;
	give("b", 0, 21);
	pass(1000);
	pass(60000);
	cr_expect_eq(flags_in(EIT_OTHER_TABLE_ID, 21), 0x80);
	cr_expect_eq(flags_in(EIT_OTHER_SCHEDULE_ID, 21), 0);
	done();
}

static void send_status(uint8_t status)
{
	const uint8_t body[] = { 0, 3, 0xff, 0, 1, 0xfc, status, 0 };

	send_section(SI_PID_SDT, &(struct build_table){
		.table_id = SDT_TABLE_ID, .extension = 7, .body = body,
		.len = sizeof body });
}

Test(own_eit, has_the_status_that_the_sdt_of_the_output_has)
{
	g.spec.eit = ORIGIN_OWN;
	open_with(EIT_OTHER_PASS, NULL);
	give("", 0, 1);
	/* not running, and scrambled */
	send_status(0x30);
	pass(15000);
	cr_expect_eq(flags_in(EIT_TABLE_ID, 1), 0x30);
	cr_expect_eq(flags_in(EIT_SCHEDULE_TABLE_ID, 1), 0x10);
	send_status(0x80);
	/* what is in the queue */
	pass(1000);
	pass(15000);
	cr_expect_eq(flags_in(EIT_TABLE_ID, 1), 0x80);
	cr_expect_eq(flags_in(EIT_SCHEDULE_TABLE_ID, 1), 0);
	done();
}

/* Does a section of the source pass, of the service with this table_id? */
static bool passes(uint8_t table_id, uint16_t sid)
{
	const uint8_t body[] = { 0, 1, 0, 1, 0, table_id };
	size_t before;

	pass(200);
	before = count(table_id, sid);
	send_section(SI_PID_EIT, &(struct build_table){
		.table_id = table_id, .extension = sid, .body = body,
		.len = sizeof body });
	pass_more(200);
	return count(table_id, sid) > before;
}

Test(own_eit, a_service_may_differ_from_its_stream)
{
	g.spec.eit = ORIGIN_OFF;
	g.spec.n_services = 2;
	g.spec.services[0].pnr = 1;
	g.spec.services[0].eit = 1 + ORIGIN_OWN;
	g.spec.services[1].pnr = 5;
	g.spec.services[1].eit = 1 + ORIGIN_PASS;
	open_with(EIT_OTHER_PASS, NULL);
	give("", 0, 1);
	pass(8000);
	cr_expect_gt(count(EIT_TABLE_ID, 1), 0);
	cr_expect_eq(count(EIT_TABLE_ID, 2), 0);
	cr_expect_not(passes(0x5f, 1), "it is own");
	cr_expect_not(passes(0x5f, 2), "it is off");
	cr_expect(passes(0x5f, 5));
	cr_expect(passes(EIT_OTHER_TABLE_ID, 9));
	done();
}

Test(own_eit, a_multiplex_has_the_events_of_its_inputs)
{
	g.spec.eit = ORIGIN_OWN;
	open_with(EIT_OTHER_PASS, find_input);
	give("", 2, 77);
	pass(15000);
	cr_expect_gt(count(EIT_TABLE_ID, 2), 0);
	cr_expect_gt(count(EIT_SCHEDULE_TABLE_ID, 2), 0);
	cr_expect_gt(count(EIT_TABLE_ID, 1), 0, "it is empty");
	done();
}

Test(own_eit, has_a_bound_that_is_counted)
{
	enum { STREAMS = 4, EACH = EIT_SERVICES_MAX / STREAMS + 2,
	       LAST = 1000 * STREAMS + EACH - 1 - 2 * STREAMS };
	char id[] = "b";

	open_with(EIT_OTHER_PRESENT, NULL);
	other_guides_begin(&g.others);
	for (uint16_t i = 1; i <= STREAMS; i++, id[0]++)
		other_guides_add(&g.others, id, i, 9);
	other_guides_end(&g.others);
	own_eit_use(g.own);
	id[0] = 'b';
	for (uint16_t i = 1; i <= STREAMS; i++, id[0]++)
		give_many(id, 0, (uint16_t)(1000 * i), EACH);
	for (unsigned s = 0; s < 20 && count(EIT_OTHER_TABLE_ID, LAST) == 0;
	     s++)
		pass(1000);
	cr_expect_gt(count(EIT_OTHER_TABLE_ID, LAST), 0);
	cr_expect_eq(count(EIT_OTHER_TABLE_ID, LAST + 1), 0);
	cr_expect_eq(own_eit_left_out(g.own), 2 * STREAMS);
	cr_expect_eq(g.others.list[0].n_sent, EACH);
	cr_expect_eq(g.others.list[STREAMS - 1].n_sent, EACH - 2 * STREAMS);
	cr_expect_not(own_eit_waits(g.own));
	give("b", 0, 21);
	cr_expect(own_eit_waits(g.own));
	cr_expect_eq(g.others.list[0].n_sent, 0);
	pass(100);
	cr_expect_eq(g.others.list[0].n_sent, 1);
	cr_expect_eq(own_eit_left_out(g.own), 0);
	done();
}

Test(own_eit, others_get_a_schedule_while_some_change_all_the_time)
{
	open_with(EIT_OTHER_ALL, NULL);
	list_others("b", "c");
	give("c", 0, 31);
	g.n = 0;
	for (unsigned t = 0; t < 15000; t += TURN_MS) {
		give_event("b", 0, (uint8_t)(t / TURN_MS), 21, 3);
		pass_more(TURN_MS);
	}
	cr_expect_gt(count(EIT_OTHER_SCHEDULE_ID, 21), 0);
	cr_expect_gt(count(EIT_OTHER_SCHEDULE_ID, 31), 0);
	done();
}

/* Has a table of this service been built since the last forget_built()? */
static bool is_built(uint16_t sid)
{
	bool any = false;

	for (size_t i = 0; i < EIT_VERSIONS_MAX; i++)
		any |= g.versions.list[i].used > 0 &&
		       (g.versions.list[i].table & 0xffff) == sid;
	return any;
}

static void forget_built(void)
{
	for (size_t i = 0; i < EIT_VERSIONS_MAX; i++)
		g.versions.list[i].used = 0;
}

Test(own_eit, tables_whose_events_stay_are_not_built_again)
{
	open_with(EIT_OTHER_ALL, NULL);
	list_others("b", "c");
	give_many("b", 0, 21, 2);
	give("c", 0, 31);
	pass(15000);
	cr_expect(is_built(21) && is_built(22) && is_built(31));
	forget_built();
	give_many("b", 0, 21, 3);
	pass(15000);
	cr_expect(is_built(23));
	cr_expect_not(is_built(21) || is_built(22) || is_built(31));
	cr_expect_gt(count(EIT_OTHER_SCHEDULE_ID, 23), 0);
	cr_expect_gt(count(EIT_OTHER_SCHEDULE_ID, 31), 0);
	forget_built();
	give_event("b", 0, 8, 21, 1);
	pass(15000);
	cr_expect(is_built(21));
	cr_expect_not(is_built(31));
	/* those that are gone */
	pass(15000);
	cr_expect_eq(count(EIT_OTHER_TABLE_ID, 22), 0);
	cr_expect_eq(count(EIT_OTHER_SCHEDULE_ID, 23), 0);
	/* another transport_stream_id */
	forget_built();
	other_guides_begin(&g.others);
	other_guides_add(&g.others, "b", 100, 9);
	other_guides_add(&g.others, "c", 201, 9);
	other_guides_end(&g.others);
	own_eit_use(g.own);
	pass(1000);
	cr_expect(is_built(31));
	cr_expect_not(is_built(21));
	done();
}
