/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The service lists of own NIT and BAT. */
#include "worker/stream/own_network.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "proto/ipc/msg.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/remux/table_versions.h"
#include "worker/stream/other_guides.h"
#include "worker/stream/output_sdt.h"
#include "worker/tables/section_schedule.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	STEP_MS = 100,
	SERVICE_LIST = 0x41,
	NAME_LEN = 3,
};

static struct {
	struct psi *psi;
	struct output_sdt sdt;
	struct other_guides others;
	struct table_versions versions;
	struct schedule *schedule;
	struct own_network *network;
	struct build *in;
	size_t fed;
	uint64_t ms;
	uint8_t section; /* its number: one for each transport stream */
	uint8_t nit[SECTION_PSI_MAX];
} g;

static struct stream_spec *read_spec(const char *keys)
{
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	json_t *object = json_loads(keys, 0, NULL);
	struct errmsg error;

	cr_assert_not_null(object);
	cr_assert_eq(stream_spec_parse(object, spec, &error), 0, "%s",
		     error.text);
	json_decref(object);
	return spec;
}

/* Program 1 has video, program 2 sound alone. */
static void open_with(const char *keys)
{
	const struct build_entry entries[] = { { 1, 0x100 }, { 2, 0x200 } };
	const struct build_es video = { 0x1b, 0x101, NULL, 0 };
	const struct build_es sound = { 0x03, 0x201, NULL, 0 };
	struct stream_spec *spec = read_spec(keys);
	uint8_t section[1024];

	g.in = build_new();
	g.psi = psi_new();
	g.schedule = schedule_new();
	g.ms = 1000;
	output_sdt_init(&g.sdt);
	other_guides_init(&g.others);
	build_section(g.in, 0, section, build_pat(section, 0, entries, 2));
	build_section(g.in, 0x100, section,
		      build_pmt(section, (struct build_entry){ 1, 0x101 }, 0,
				&video, 1));
	build_section(g.in, 0x200, section,
		      build_pmt(section, (struct build_entry){ 2, 0x201 }, 0,
				&sound, 1));
	g.network = own_network_new(&(struct own_network_config){
		.spec = spec, .psi = g.psi, .sdt = &g.sdt,
		.others = &g.others, .versions = &g.versions,
		.schedule = g.schedule });
	for (; g.fed < g.in->n; g.fed++)
		(void)psi_feed(g.psi, build_packet(g.in, g.fed));
	own_network_build(g.network);
	free(spec);
}

static void done(void)
{
	own_network_free(&g.network);
	other_guides_done(&g.others);
	schedule_free(&g.schedule);
	psi_free(&g.psi);
	build_free(g.in);
}

/* An SDT with these types of the services 1 and 2; 0: the service has no
 * descriptor. */
static void put_sdt(uint8_t one, uint8_t two)
{
	const uint8_t types[] = { one, two };
	uint8_t body[64] = { 0, 3, 0xff }, section[1024];
	size_t at = 3;
	struct ts_run run;

	for (uint8_t i = 0; i < 2; i++) {
		const uint8_t entry[] = { 0, (uint8_t)(i + 1), 0xfc, 0x80,
					  types[i] != 0 ? 5 : 0,
					  0x48, 3, types[i], 0, 0 };
		size_t len = types[i] != 0 ? sizeof entry : 5;

		memcpy(body + at, entry, len);
		at += len;
	}
	build_section(g.in, SI_PID_SDT, section,
		      build_table(section, &(struct build_table){
			.table_id = SDT_TABLE_ID, .body = body, .len = at }));
	run = (struct ts_run){ build_packet(g.in, g.fed), g.in->n - g.fed };
	g.fed = g.in->n;
	if (output_sdt_feed(&g.sdt, &run, 1) != 0)
		own_network_build(g.network);
}

/* The NITs that are sent in this time; the last one is in g.nit. */
static size_t run_for(unsigned ms)
{
	struct schedule_due due;
	size_t n = 0;

	for (uint64_t end = g.ms + ms; g.ms < end; g.ms += STEP_MS) {
		own_network_turn(g.network, g.ms * MS);
		while (schedule_next(g.schedule, g.ms * MS, g.ms, false,
				     &due)) {
			cr_assert_eq(due.pid, SI_PID_NIT);
			if (due.data[6] != g.section)
				continue;
			memcpy(g.nit, due.data, due.len);
			n++;
		}
	}
	return n;
}

/* The list of numbers and types. */
static void expect_list(const char *list, size_t len)
{
	const uint8_t *p = g.nit + 10 + 2 + NAME_LEN + 2;

	cr_assert_eq(p[6], SERVICE_LIST);
	cr_assert_eq(p[7], len);
	cr_expect_arr_eq(p + 8, list, len);
}

static void open_keys(const char *more, const char *sdt)
{
	char text[512];

	(void)snprintf(text, sizeof text, "{\"nit\": \"own\", %s"
		       "\"network_name\": \"Net\", \"si_interval\": 500, "
		       "\"sdt\": [%s]}", more, sdt);
	open_with(text);
}

static void open_sdt(const char *sdt)
{
	open_keys("", sdt);
}

/* original_network_id of the transport stream. */
static unsigned onid_of_nit(void)
{
	const uint8_t *p = g.nit + 10 + 2 + NAME_LEN + 2;

	return (unsigned)(p[2] << 8 | p[3]);
}

Test(own_network, repeats_the_types_of_the_sdt)
{
	open_sdt("{\"pnr\": 1, \"type\": 2}");
	put_sdt(0x19, 0x0a);
	cr_assert_gt(run_for(1000), 0);
	expect_list("\0\1\x19\0\2\x0a", 6);
	/* another source has other ones */
	put_sdt(0x16, 0x0a);
	cr_assert_gt(run_for(1000), 0);
	expect_list("\0\1\x16\0\2\x0a", 6);
	done();
}

Test(own_network, the_first_nit_waits_for_the_sdt)
{
	uint8_t version;

	open_sdt("");
	cr_expect_eq(run_for(1500), 0);
	put_sdt(0x19, 0x0a);
	cr_assert_gt(run_for(1000), 0);
	expect_list("\0\1\x19\0\2\x0a", 6);
	version = g.nit[5];
	cr_assert_gt(run_for(3000), 0);
	cr_expect_eq(g.nit[5], version);
	done();
}

Test(own_network, without_an_sdt_keys_and_components_decide)
{
	open_sdt("{\"pnr\": 1, \"type\": 25}");
	cr_expect_eq(run_for(2000), 0);
	cr_assert_gt(run_for(1000), 0);
	expect_list("\0\1\x19\0\2\x02", 6);
	done();
}

Test(own_network, types_of_all_programs_in_the_keys_need_no_sdt)
{
	open_keys("\"onid\": 9, ", "{\"pnr\": 1, \"type\": 25}, "
		  "{\"pnr\": 2, \"type\": 10}");
	cr_assert_gt(run_for(STEP_MS), 0);
	expect_list("\0\1\x19\0\2\x0a", 6);
	cr_expect_eq(onid_of_nit(), 9);
	put_sdt(0x19, 0x0a);
	cr_assert_gt(run_for(1000), 0);
	cr_expect_eq(onid_of_nit(), 9);
	done();
}

Test(own_network, without_the_key_has_the_network_of_the_sdt)
{
	open_sdt("{\"pnr\": 1, \"type\": 25}, {\"pnr\": 2, \"type\": 10}");
	cr_expect_eq(run_for(1500), 0);
	put_sdt(0x19, 0x0a);
	cr_assert_gt(run_for(1000), 0);
	cr_expect_eq(onid_of_nit(), 3);
	done();
	/* nor an SDT */
	memset(&g, 0, sizeof g);
	open_sdt("{\"pnr\": 1, \"type\": 25}, {\"pnr\": 2, \"type\": 10}");
	cr_assert_gt(run_for(4000), 0);
	cr_expect_eq(onid_of_nit(), 1);
	done();
}

Test(own_network, a_stream_without_a_list_is_listed_by_its_number)
{
	struct stream_spec *other = read_spec("{\"set_tsid\": 7, "
		"\"set_pnr\": 33, \"service_type\": 25}");

	open_sdt("{\"pnr\": 1, \"type\": 1}, {\"pnr\": 2, \"type\": 2}");
	own_network_add_other(g.network, other, 0x2012);
	own_network_build(g.network);
	g.section = 1;
	cr_assert_gt(run_for(3000), 0);
	cr_expect_eq(onid_of_nit(), 0x2012);
	expect_list("\0\x21\x19", 3);
	free(other);
	done();
}

/* Stream b of nit_other, as the guide knows it. */
static void list_other(struct stream_spec *other, uint16_t key_onid)
{
	other_guides_begin(&g.others);
	other_guides_add(&g.others, "b", 7, key_onid);
	other_guides_end(&g.others);
	own_network_clear_others(g.network);
	own_network_add_other(g.network, other, g.others.list[0].onid);
	own_network_build(g.network);
}

/* The guide has this original network of it; 0: no SDT yet. */
static void guide_gives(struct stream_spec *other, uint16_t onid)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct msg_stream_guide m = { .stream = "b" };
	struct buf b = { 0 };

	eit_image_begin(&b, onid, 0);
	cr_assert_eq(write(fd, buf_head(&b), buf_len(&b)),
		     (ssize_t)buf_len(&b));
	m.len = (uint32_t)buf_len(&b);
	cr_assert_neq(other_guides_take(&g.others, &m, fd), 0);
	list_other(other, 0);
	(void)close(fd);
	buf_done(&b);
}

Test(own_network, the_first_nit_waits_for_the_networks_of_others)
{
	struct stream_spec *other = read_spec("{\"set_tsid\": 7, "
		"\"set_pnr\": 33}");
	uint8_t version;

	open_sdt("");
	list_other(other, 0);
	guide_gives(other, 0);
	put_sdt(0x19, 0x0a);
	g.section = 1;
	cr_expect_eq(run_for(3000), 0);
	guide_gives(other, 0x85);
	cr_assert_gt(run_for(1000), 0);
	cr_expect_eq(onid_of_nit(), 0x85);
	/* the guide starts again */
	version = g.nit[5];
	guide_gives(other, 0);
	cr_assert_gt(run_for(1000), 0);
	cr_expect_eq(onid_of_nit(), 0x85);
	cr_expect_eq(g.nit[5], version);
	done();
	free(other);
}

/* The list comes in a message behind the start of the worker. */
Test(own_network, the_first_nit_waits_for_the_list_of_others)
{
	struct stream_spec *other = read_spec("{\"set_tsid\": 7, "
		"\"set_pnr\": 33}");

	open_keys("\"nit_other\": [\"b\"], ", "");
	put_sdt(0x19, 0x0a);
	cr_expect_eq(run_for(3000), 0);
	list_other(other, 0x85);
	cr_assert_gt(run_for(1000), 0);
	cr_expect_eq(g.nit[7], 1, "sections");
	done();
	/* the list does not arrive */
	memset(&g, 0, sizeof g);
	open_keys("\"nit_other\": [\"b\"], ", "");
	put_sdt(0x19, 0x0a);
	cr_expect_gt(run_for(5000), 0);
	cr_expect_eq(g.nit[7], 0);
	done();
	free(other);
}

Test(own_network, a_network_that_stays_unknown_is_waited_for_four_seconds)
{
	struct stream_spec *other = read_spec("{\"set_tsid\": 7, "
		"\"set_pnr\": 33}");

	open_sdt("");
	list_other(other, 0);
	put_sdt(0x19, 0x0a);
	g.section = 1;
	cr_expect_eq(run_for(4000), 0);
	cr_assert_gt(run_for(1000), 0);
	cr_expect_eq(onid_of_nit(), 1);
	done();
	/* that of a key is known */
	memset(&g, 0, sizeof g);
	open_sdt("");
	list_other(other, 0x85);
	put_sdt(0x19, 0x0a);
	g.section = 1;
	cr_assert_gt(run_for(1000), 0);
	cr_expect_eq(onid_of_nit(), 0x85);
	done();
	free(other);
}
