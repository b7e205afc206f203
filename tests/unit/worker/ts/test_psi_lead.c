/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/psi_lead.h"

#include "tests/unit/worker/ts/build.h"
#include "worker/ts/pat.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PMTS = 0x400 };

/* Sections that lead, in packets. */
struct lead {
	size_t sections, packets;
	struct psi *psi;
	uint8_t cc[TS_PIDS];
};

static void put(const struct psi_section *s, uint16_t pid, void *arg)
{
	uint8_t packets[8 * TS_PACKET];
	struct lead *l = arg;
	size_t n = section_pack(s->data, s->len, pid, &l->cc[pid],
				packets);

	for (size_t i = 0; i < n; i++)
		(void)psi_feed(l->psi, packets + i * TS_PACKET);
	l->sections++;
	l->packets += n;
}

/* A PAT with one program in each of n sections, and all PMTs. */
static struct psi *make(unsigned n)
{
	static const struct build_es es[] = { { 0x1b, 0x101, "", 0 } };
	struct psi *psi = psi_new();
	struct build *b = build_new();
	uint8_t section[SECTION_PSI_MAX];

	for (unsigned i = 0; i < n; i++) {
		struct build_entry entry = { (uint16_t)(1 + i),
					     (uint16_t)(PMTS + i) };
		size_t len = build_pat(section, 0, &entry, 1);

		section[6] = (uint8_t)i;
		section[7] = (uint8_t)(n - 1);
		build_mend_crc(section, len);
		build_section(b, TS_PID_PAT, section, len);
	}
	/* the first program has no PMT yet */
	for (unsigned i = n > 1; i < n; i++)
		build_section(b, (uint16_t)(PMTS + i), section,
			      build_pmt(section,
					(struct build_entry){
						(uint16_t)(1 + i), 0x101 },
					0, es, 1));
	for (size_t i = 0; i < b->n; i++)
		(void)psi_feed(psi, build_packet(b, i));
	build_free(b);
	return psi;
}

Test(psi_lead, is_the_whole_pat_and_each_pmt)
{
	static const unsigned sizes[] = { 1, 2, 4, 5, 128 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct psi *psi = make(sizes[i]);
		struct lead l = { .psi = psi_new() };
		const struct psi_program *programs;

		psi_lead(psi, put, &l);
		cr_assert_eq(l.sections, 2 * sizes[i] - (sizes[i] > 1));
		cr_assert_eq(psi_programs(l.psi, &programs), sizes[i]);
		cr_assert(psi_has_pmt(l.psi));
		psi_free(&psi);
		psi_free(&l.psi);
	}
}

Test(psi_lead, of_a_long_pat_is_what_the_main_program_needs)
{
	struct psi *psi = make(256);
	struct lead l = { .psi = psi_new() };

	psi_lead(psi, put, &l);
	cr_assert_eq(psi_main_program(psi)->number, 2);
	cr_assert_eq(l.sections, 2);
	cr_assert_eq(l.packets, 2);
	psi_free(&psi);
	psi_free(&l.psi);
}

Test(psi_lead, is_empty_without_tables)
{
	struct psi *psi = psi_new();
	struct lead l = { .psi = NULL };

	psi_lead(psi, put, &l);
	cr_assert_eq(l.sections, 0);
	psi_free(&psi);
}
