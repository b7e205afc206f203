/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets of audio and tables do not overflow the transport buffer. */
#include "worker/mux/spread.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/mux/waiting.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/t_std.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { PMT = 0x100, VIDEO, AUDIO, AC3, AAC };

static struct psi *tables(void)
{
	static const struct build_entry program = { 1, PMT };
	static const struct build_es es[] = { { 0x1b, VIDEO, NULL, 0 },
					      { 0x03, AUDIO, NULL, 0 },
					      { 0x06, AC3, "\x6a\1\0", 3 },
					      { 0x0f, AAC, NULL, 0 } };
	struct build *b = build_new();
	struct psi *psi = psi_new();
	uint8_t section[SECTION_PSI_MAX];
	struct ts_run run;
	size_t len = build_pat(section, 0, &program, 1);

	(void)build_section(b, TS_PID_PAT, section, len);
	len = build_pmt(section, program, 0, es, 4);
	(void)build_section(b, PMT, section, len);
	run = build_run(b);
	for (size_t i = 0; i < run.n; i++)
		(void)psi_feed(psi, run.data + i * TS_PACKET);
	build_free(b);
	return psi;
}

/* n packets at once: the fill of the buffer never exceeds its size. */
static uint64_t burst(struct spread *s, uint16_t pid, unsigned n, unsigned bps)
{
	uint64_t at = 0, last = 1000 * SECOND_NS;
	double level = 0;

	for (unsigned i = 0; i < n; i++) {
		at = spread_place(s, pid, 1000 * SECOND_NS);
		cr_assert_geq(at, last);
		level -= (double)(at - last) * bps / 8 / SECOND_NS;
		level = (level < 0 ? 0 : level) + TS_PACKET;
		cr_assert_leq(level, T_STD_TB, "packet %u: %f", i, level);
		last = at;
	}
	return at - 1000 * SECOND_NS;
}

Test(spread, a_burst_of_audio_or_tables_fits_into_the_transport_buffer)
{
	struct spread *s = xcalloc(1, sizeof *s);
	struct psi *psi = tables();

	spread_follow(s, psi);
	for (uint16_t pid = AUDIO; pid <= AAC; pid++)
		cr_expect_gt(burst(s, pid, 12, 2000000), 5 * MS);
	cr_expect_gt(burst(s, PMT, 12, T_STD_TABLES_BPS), 10 * MS);
	/* without a parameter set the rate of video is not known */
	for (unsigned i = 0; i < 100; i++)
		cr_expect_eq(spread_place(s, VIDEO, SECOND_NS), SECOND_NS);
	psi_free(&psi);
	free(s);
}

Test(spread, video_is_spread_by_the_level_of_its_parameter_set)
{
	/* level 2: 2,000 x 1,200 bit/s */
	static const uint8_t es[40] = { 0, 0, 0, 1, 0x67, 77, 0, 20, 0x95 };
	struct spread *s = xcalloc(1, sizeof *s);
	struct psi *psi = tables();
	struct build *b = build_new();

	spread_follow(s, psi);
	spread_learn(s, build_pes(b, VIDEO, es, sizeof es));
	cr_expect_gt(burst(s, VIDEO, 12, 2400000), 4 * MS);
	/* other tables with the same video */
	spread_follow(s, psi);
	cr_expect_gt(spread_place(s, VIDEO, 1000 * SECOND_NS),
		     1000 * SECOND_NS);
	build_free(b);
	psi_free(&psi);
	free(s);
}

Test(spread, a_pid_that_exceeds_the_rate_is_not_delayed_for_ever)
{
	struct spread *s = xcalloc(1, sizeof *s);
	struct psi *psi = tables();
	uint64_t at = 0, last;

	spread_follow(s, psi);
	/* 3 Mbit/s for ten seconds */
	for (uint64_t i = 0; i < 20000; i++) {
		last = at;
		at = spread_place(s, AUDIO, i * 500000);
		cr_assert_geq(at, last);
		cr_assert_leq(at, i * 500000 + (SPREAD_MAX_MS + 2) * MS);
	}
	cr_expect_eq(at, UINT64_C(19999) * 500000);
	/* 1.5 Mbit/s for two seconds */
	for (uint64_t i = 0; i < 2000; i++)
		(void)spread_place(s, AUDIO, 10 * SECOND_NS + i * MS);
	cr_expect_gt(burst(s, AUDIO, 12, 2000000), 5 * MS);
	psi_free(&psi);
	free(s);
}

static void forget_time(struct spread *s, uint16_t pid)
{
	s->pids[pid].at_ns = s->pids[pid].left_ns = 0;
}

Test(spread, video_with_another_level_is_spread_by_it)
{
	/* levels 2 and 3 */
	static const uint8_t low[40] = { 0, 0, 0, 1, 0x67, 77, 0, 20, 0x95 };
	static const uint8_t high[40] = { 0, 0, 0, 1, 0x67, 77, 0, 30, 0x95 };
	struct spread *s = xcalloc(1, sizeof *s);
	struct psi *psi = tables();
	struct build *b = build_new();

	spread_follow(s, psi);
	spread_learn(s, build_pes(b, VIDEO, low, sizeof low));
	cr_expect_gt(burst(s, VIDEO, 12, 2400000), 4 * MS);
	spread_learn(s, build_pes(b, VIDEO, high, sizeof high));
	forget_time(s, VIDEO);
	cr_expect_lt(burst(s, VIDEO, 12, 12000000), 4 * MS);
	spread_learn(s, build_pes(b, VIDEO, low, sizeof low));
	forget_time(s, VIDEO);
	cr_expect_gt(burst(s, VIDEO, 12, 2400000), 4 * MS);
	build_free(b);
	psi_free(&psi);
	free(s);
}

Test(waiting, packets_leave_in_order_and_of_one_time_as_they_came)
{
	static const uint64_t times[] = { 5, 3, 9, 3, 5, 1, 9, 3 };
	struct waiting *w = xcalloc(1, sizeof *w);
	uint64_t last = 0;
	unsigned before = 0;

	cr_expect_eq(waiting_next(w), UINT64_MAX);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < ARRAY_LEN(times); i++) {
			uint8_t p[TS_PACKET] = { (uint8_t)i };

			p[2] = (uint8_t)(i % 3);
			waiting_add(w, times[i], p);
		}
		cr_expect(waiting_has(w, 2) && !waiting_has(w, 3));
		cr_expect_eq(waiting_next(w), 1u);
		for (last = 0; w->n > 0;) {
			const struct waiting_packet *p = waiting_take(w);

			cr_expect(p->at_ns > last ||
				  (p->at_ns == last && p->data[0] > before));
			last = p->at_ns;
			before = p->data[0];
		}
		cr_expect(!waiting_has(w, 2));
	}
	free(w);
}
