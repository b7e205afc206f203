/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SDT of a multiplex, with descriptors that the configuration changes. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "proto/si/desc.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/mux/mux.h"
#include "worker/remux/section_writer.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_MS = 10,
	NUMBERS = 256,
	PMT = 0x100,
	TAG = 0x5f, /* of the descriptors that are added */
	LARGE = 3,  /* of them are of the first service ... */
	FIRST = 101, /* ... with this number in the output */
	VIDEO_OUT = 157, /* its place in the block of the input */
	SDT_HEADER = 11, SDT_SERVICE = 5,
	FREE_CA = 0x10, /* beside running_status */
	HEAD = 16, /* bytes that are kept of an entry */
	UNLISTED = 2, /* services of the PAT without an entry */
};

struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct desc_edit edits[1 + LARGE];
	struct mux *mux;
	struct remux *remux;
	struct build *in;
	uint64_t now_ns;

	struct section_assembler sdt;
	uint8_t buffer[SECTION_MAX];
	/* of the last SDT: descriptors of each service, those added */
	unsigned found[NUMBERS], added[NUMBERS];
	/* and the first bytes behind the number */
	uint8_t heads[NUMBERS][HEAD];
	uint8_t free_ca; /* the services have it in the SDT of the input */
	size_t n_scrambled; /* entries of all SDTs with free_CA_mode */
	struct tables_spec tables;
	size_t lines; /* of the log */
};

static void on_line(enum log_level level, const char *component,
		    const char *text, void *arg)
{
	struct rig *r = arg;

	(void)level, (void)component;
	r->lines += strstr(text, "the SDT has no room") != NULL;
}

/* Counts the descriptors of each service in a section. */
static void take_sdt(struct rig *r, size_t len)
{
	const uint8_t *p = r->buffer + SDT_HEADER;
	const uint8_t *end = r->buffer + len - SECTION_CRC;

	while (end - p >= SDT_SERVICE) {
		struct desc_loop loop = { p + SDT_SERVICE,
					  section_get12(p + 3) };
		unsigned number = (unsigned)(p[0] << 8 | p[1]) % NUMBERS;
		struct desc d;

		r->n_scrambled += (p[3] & FREE_CA) != 0;
		memset(r->heads[number], 0, HEAD);
		memcpy(r->heads[number], p + 2,
		       MIN((size_t)HEAD, SDT_SERVICE - 2 + loop.len));
		p += SDT_SERVICE + loop.len;
		r->found[number] = r->added[number] = 0;
		while (desc_next(&loop, &d)) {
			r->found[number]++;
			r->added[number] += d.tag == TAG;
		}
	}
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			size_t len;

			if (ts_pid(p) != SI_PID_SDT)
				continue;
			section_push(&r->sdt, p);
			while (section_pull(&r->sdt, &len) != NULL)
				take_sdt(r, len);
		}
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	mux_feed(r->mux, 0, runs, n_runs);
}

/* Each service gets a descriptor, and the first one so many of 255 bytes.  With
 * this entry of `sdt'. */
static struct rig *rig_of(size_t large, const struct service_spec *named)
{
	static const struct remux_options options = { .set_tsid = 5 };
	struct rig *r = xcalloc(1, sizeof *r);

	if (named != NULL) {
		r->tables.n_services = 1;
		r->tables.services[0] = *named;
	}
	r->now_ns = 1001 * SECOND_NS;
	r->in = build_new();
	section_init(&r->sdt, r->buffer, sizeof r->buffer);
	for (size_t i = 0; i <= large; i++) {
		uint8_t len = i == 0 ? 10 : 255;

		r->edits[i] = (struct desc_edit){
			.table = EDIT_SDT, .action = EDIT_ADD,
			.pnr = i == 0 ? 0 : FIRST,
			.len = 2U + len, .bytes = { TAG, len } };
	}
	r->mux = mux_new(&(struct mux_config){
		.n_inputs = 1, .kbps = 4000, .delay_ms = 200,
		.tsid = 5, .onid = 6, .tables = &r->tables,
		.edits = { r->edits, 1 + large },
		.versions = &r->versions, .continuity = &r->continuity,
		.out = on_out, .arg = r });
	mux_setup(r->mux, 0, &(struct mux_source_config){
		.base = 100, .count = 100, .priority = 100 });
	r->remux = remux_new(&(struct remux_config){
		.options = &options, .versions = &r->versions,
		.place = mux_place(r->mux, 0), .out = on_remuxed, .arg = r });
	mux_set_remux(r->mux, 0, r->remux);
	return r;
}

static struct rig *rig_new(size_t large)
{
	return rig_of(large, NULL);
}

static void rig_free(struct rig *r)
{
	remux_free(&r->remux);
	mux_free(&r->mux);
	build_free(r->in);
	free(r);
}

/* Services 1 to n, each with a name in so many bytes. */
static void put_tables(struct rig *r, uint16_t n, const uint8_t *names)
{
	const struct build_es es = { 0x1b, PMT + 1, NULL, 0 };
	struct build_entry list[NUMBERS];
	uint8_t section[SECTION_PSI_MAX], sdt[SECTION_PSI_MAX] = { 0, 1, 0xff };
	size_t len, at = 3;

	for (uint16_t k = 0; k < n; k++) {
		size_t name = names[k];
		const uint8_t head[] = { 0, (uint8_t)(k + 1), 0xfc,
					 0x80 | r->free_ca,
					 (uint8_t)(name + 5), 0x48,
					 (uint8_t)(name + 3), 1, 0,
					 (uint8_t)name };

		list[k] = (struct build_entry){ (uint16_t)(k + 1), PMT };
		memcpy(sdt + at, head, sizeof head);
		memset(sdt + at + sizeof head, 'n', name);
		at += sizeof head + name;
	}
	len = build_pat(section, 0, list, n);
	(void)build_section(r->in, TS_PID_PAT, section, len);
	for (uint16_t k = 0; k < n; k++) {
		len = build_pmt(section, list[k], 0, &es, 1);
		(void)build_section(r->in, PMT, section, len);
	}
	len = build_table(section, &(struct build_table){
		.table_id = SDT_TABLE_ID, .extension = 1,
		.body = sdt, .len = at });
	(void)build_section(r->in, SI_PID_SDT, section, len);
}

/* Four seconds with these tables. */
static void play(struct rig *r, uint16_t n, const uint8_t *names)
{
	for (unsigned i = 0; i < 400; i++) {
		struct ts_run run;

		r->in->n = 0;
		if (i % 10 == 0)
			put_tables(r, n, names);
		(void)build_pes(r->in, PMT + 1, "", 0);
		run = build_run(r->in);
		mux_heard(r->mux, 0, r->now_ns);
		remux_feed(r->remux, &run, 1, r->now_ns);
		mux_turn(r->mux, r->now_ns, r->now_ns / MS);
		r->now_ns += TICK_MS * MS;
	}
}

Test(mux_sdt, a_full_section_gets_the_descriptors_of_all_services)
{
	struct rig *r = rig_new(0);
	uint8_t names[25];

	memset(names, 28, sizeof names);
	play(r, sizeof names, names);
	for (size_t i = 0; i < sizeof names; i++) {
		cr_expect_eq(r->found[FIRST + i], 2u, "%zu", i);
		cr_expect_eq(r->added[FIRST + i], 1u, "%zu", i);
	}
	rig_free(r);
}

Test(mux_sdt, a_service_without_room_for_its_descriptors_stays_alone)
{
	static const uint8_t crowded[] = { 230, 28 }, fits[] = { 28, 28 };
	struct rig *r = rig_new(LARGE);

	log_open(on_line, r, LOG_LEVEL_ERROR);
	play(r, sizeof crowded, crowded);
	cr_expect_eq(r->found[FIRST], 1u);
	cr_expect_eq(r->added[FIRST + 1], 1u);
	cr_expect_eq(r->lines, 1u);
	play(r, sizeof fits, fits);
	cr_expect_eq(r->added[FIRST], 1u + LARGE);
	cr_expect_eq(r->lines, 1u);
	/* and is logged again */
	play(r, sizeof crowded, crowded);
	cr_expect_eq(r->added[FIRST], 0u);
	cr_expect_eq(r->lines, 2u);
	rig_free(r);
}

/* Another stage has removed the scrambling, or the input was wrong. */
Test(mux_sdt, the_first_one_has_the_free_ca_mode_of_the_pmts)
{
	static const uint8_t names[] = { 3, 3 };
	struct rig *r = rig_new(0);

	r->free_ca = FREE_CA;
	play(r, sizeof names, names);
	cr_expect_eq(r->found[FIRST + 1], 2u);
	cr_expect_eq(r->n_scrambled, 0u);
	rig_free(r);
}

Test(mux_sdt, a_service_has_the_name_of_its_input_and_the_pids_of_its_pmt)
{
	static const uint8_t names[] = { 3, 0 };
	struct rig *r = rig_new(0);
	uint16_t pids[2] = { 0 };
	char name[8] = "?";

	play(r, sizeof names, names);
	mux_service_name(r->mux, 0, 0, name, sizeof name);
	cr_expect_str_eq(name, "nnn");
	/* it is cut */
	mux_service_name(r->mux, 0, 0, name, 3);
	cr_expect_str_eq(name, "nn");
	mux_service_name(r->mux, 0, 1, name, sizeof name);
	cr_expect_str_eq(name, "");
	/* that of the clock is behind those of the streams */
	cr_assert_eq(mux_service_pids(r->mux, 0, 1, pids, 2), 2u);
	cr_expect_eq(pids[0], VIDEO_OUT);
	cr_expect_neq(pids[1], VIDEO_OUT);
	cr_expect_eq(mux_service_pids(r->mux, 0, 1, pids, 0), 0u);
	rig_free(r);
}

/* Three services, the last one radio, and an SDT of the first one, or none. */
static void put_more(struct rig *r, bool sdt)
{
	const struct build_es video = { 0x1b, PMT + 1, NULL, 0 };
	const struct build_es audio = { 0x03, PMT + 2, NULL, 0 };
	const struct build_entry list[] = { { 1, PMT }, { 2, PMT },
					    { 3, PMT } };
	static const uint8_t body[] = { 0, 1, 0xff, 0, 1, 0xfd, 0x80, 6,
					0x48, 4, 1, 0, 1, 'A' };
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, 0, list, 1 + UNLISTED);

	(void)build_section(r->in, TS_PID_PAT, section, len);
	for (size_t k = 0; k <= UNLISTED; k++) {
		len = build_pmt(section, list[k], 0,
				k == UNLISTED ? &audio : &video, 1);
		(void)build_section(r->in, PMT, section, len);
	}
	len = build_table(section, &(struct build_table){
		.table_id = SDT_TABLE_ID, .extension = 1,
		.body = body, .len = sizeof body });
	if (sdt)
		(void)build_section(r->in, SI_PID_SDT, section, len);
}

static void play_more(struct rig *r, unsigned seconds, bool sdt)
{
	for (unsigned i = 0; i < 100 * seconds; i++) {
		struct ts_run run;

		r->in->n = 0;
		if (i % 10 == 0)
			put_more(r, sdt);
		(void)build_pes(r->in, PMT + 1, "", 0);
		(void)build_pes(r->in, PMT + 2, "", 0);
		run = build_run(r->in);
		mux_heard(r->mux, 0, r->now_ns);
		remux_feed(r->remux, &run, 1, r->now_ns);
		mux_turn(r->mux, r->now_ns, r->now_ns / MS);
		r->now_ns += TICK_MS * MS;
	}
}

Test(mux_sdt, has_the_services_that_its_source_does_not_list)
{
	static const uint8_t listed[] = { 0xfd, 0x80, 18, 0x48, 4, 1, 0, 1,
					  'A', TAG };
	static const uint8_t named[] = { 0xfc, 0x80, 18, 0x48, 4, 1, 0, 1, 'B',
					 TAG };
	static const uint8_t radio[] = { 0xfc, 0x80, 17, 0x48, 3, 2, 0, 0,
					 TAG };
	struct rig *r = rig_of(0, &(struct service_spec){
		.pnr = FIRST + 1, .name = "B" });

	/* their entries may still come */
	play_more(r, 4, true);
	cr_expect_arr_eq(r->heads[FIRST], listed, sizeof listed);
	cr_expect_eq(r->found[FIRST + 1], 0u);
	play_more(r, 4, true);
	cr_expect_arr_eq(r->heads[FIRST], listed, sizeof listed);
	cr_expect_arr_eq(r->heads[FIRST + 1], named, sizeof named);
	cr_expect_arr_eq(r->heads[FIRST + 2], radio, sizeof radio);
	rig_free(r);
}

Test(mux_sdt, has_the_services_of_a_source_without_an_sdt)
{
	struct rig *r = rig_new(0);

	play_more(r, 8, false);
	for (size_t k = 0; k <= UNLISTED; k++)
		cr_expect_eq(r->added[FIRST + k], 1u, "%zu", k);
	rig_free(r);
}
