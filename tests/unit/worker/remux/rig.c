/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/remux/rig.h"

#include "common/base/alloc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct sink *s = arg;

	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			cr_assert_lt(s->n, OUT_MAX);
			memcpy(s->data[s->n], p, TS_PACKET);
			s->from[s->n++] = p;
			s->cc_errors += cc_feed(&s->cc, p) == CC_ERROR;
			(void)psi_feed(s->psi, p);
		}
	}
}

struct bench bench_new(const struct remux_options *o)
{
	return bench_new_source(o, NULL, 0);
}

static struct bench open_bench(const struct remux_config *from)
{
	struct remux_config config = *from;
	struct bench b = {
		.in = build_new(),
		.out = xcalloc(1, sizeof *b.out),
		.versions = xcalloc(1, sizeof *b.versions),
	};

	b.out->psi = psi_new();
	config.versions = b.versions;
	config.out = take;
	config.arg = b.out;
	b.remux = remux_new(&config);
	return b;
}

struct bench bench_new_source(const struct remux_options *o,
			      struct si_versions *si, uint32_t source)
{
	return open_bench(&(struct remux_config){
		.options = o, .first = { 5, 6, 7, 8 }, .si = si,
		.source = source,
	});
}

struct bench bench_new_cas(const struct remux_options *o,
			   const struct cas_list *cas)
{
	return open_bench(&(struct remux_config){
		.options = o, .first = { 5, 6, 7, 8 }, .cas = cas,
	});
}

struct bench bench_new_descrambled(const struct remux_options *o)
{
	return open_bench(&(struct remux_config){
		.options = o, .first = { 5, 6, 7, 8 }, .descrambled = true,
	});
}

struct bench bench_new_onid(const struct remux_options *o, uint16_t onid)
{
	return open_bench(&(struct remux_config){
		.options = o, .first = { 5, 6, 7, 8 }, .onid = onid,
		.new_onid = onid,
	});
}

struct bench bench_new_eit(const struct remux_options *o,
			   enum table_origin eit,
			   const struct service_spec *list, size_t n)
{
	return open_bench(&(struct remux_config){
		.options = o, .first = { 5, 6, 7, 8 }, .descrambled = true,
		.eit = eit, .services = list, .n_services = n,
	});
}

struct bench bench_new_services(const struct remux_options *o,
				const struct service_spec *list, size_t n)
{
	return open_bench(&(struct remux_config){
		.options = o, .first = { 5, 6, 7, 8 }, .services = list,
		.n_services = n,
	});
}

void bench_done(struct bench *b)
{
	cr_expect_eq(psi_crc_errors(b->out->psi), 0);
	cr_expect_eq(psi_broken(b->out->psi), 0);
	remux_free(&b->remux);
	cr_assert_null(b->remux);
	psi_free(&b->out->psi);
	build_free(b->in);
	free(b->out);
	free(b->versions);
}

void feed(struct bench *b)
{
	struct ts_run run = { b->in->data + b->fed * TS_PACKET,
			      b->in->n - b->fed };

	b->fed = b->in->n;
	remux_feed(b->remux, &run, 1, 0);
}

size_t count(const struct bench *b, uint16_t pid)
{
	size_t n = 0;

	for (size_t i = 0; i < b->out->n; i++)
		n += ts_pid(b->out->data[i]) == pid;
	return n;
}

void pat(struct bench *b, uint8_t version, const struct build_entry *entries,
	 size_t n)
{
	uint8_t section[1024];

	build_section(b->in, 0, section,
		      build_pat(section, version, entries, n));
}

void pmt(struct bench *b, struct build_entry entry, uint8_t version,
	 uint16_t video, uint16_t audio)
{
	struct build_es es[] = { { 0x1b, video, NULL, 0 },
				 { 0x03, audio, NULL, 0 } };
	uint16_t pmt_pid = entry.pid;
	uint8_t section[1024];

	entry.pid = video; /* of the PCR */
	build_section(b->in, pmt_pid, section,
		      build_pmt(section, entry, version, es,
				audio != 0 ? 2 : 1));
}

const struct build_entry two[2] = { { 1, 0x100 }, { 2, 0x200 } };

void two_programs(struct bench *b)
{
	pat(b, 0, two, 2);
	pmt(b, two[0], 0, 0x101, 0x102);
	pmt(b, two[1], 0, 0x201, 0x202);
}

void play(struct bench *b, size_t rounds)
{
	for (size_t i = 0; i < rounds; i++) {
		uint64_t pcr = 1000000 + b->in->n * MS;

		build_pcr(b->in, 0x101, pcr);
		build_pcr(b->in, 0x201, pcr);
		for (int k = 0; k < 4; k++) {
			build_payload(b->in, 0x101, 1);
			build_payload(b->in, 0x102, 2);
			build_payload(b->in, 0x201, 3);
			build_payload(b->in, 0x202, 4);
		}
	}
}

const struct psi_program *program(const struct bench *b, size_t i)
{
	const struct psi_program *list;

	cr_assert_gt(psi_programs(b->out->psi, &list), i);
	return &list[i];
}

void put_table(struct bench *b, uint16_t pid, uint8_t table_id,
	       const char *body, size_t len)
{
	uint8_t section[1024];

	build_section(b->in, pid, section,
		      build_table(section, &(struct build_table){
			.table_id = table_id, .extension = 7, .body = body,
			.len = len }));
}

void collect(const struct bench *b, uint16_t pid, struct sections *s)
{
	*s = (struct sections){ 0 };
	section_init(&s->assembler, s->buffer, sizeof s->buffer);
	for (size_t i = 0; i < b->out->n; i++) {
		const uint8_t *section;
		size_t len;

		if (ts_pid(b->out->data[i]) != pid)
			continue;
		section_push(&s->assembler, b->out->data[i]);
		while ((section = section_pull(&s->assembler, &len))) {
			memcpy(s->last, section, len);
			s->len = len;
			s->n++;
		}
	}
	cr_assert_eq(s->assembler.crc_errors, 0);
	cr_assert_eq(s->assembler.broken, 0);
}
