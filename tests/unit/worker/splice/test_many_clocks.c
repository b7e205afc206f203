/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many programs whose clocks jump, or have wrong PCRs, in turn: the waits for
 * the next PCR of each do not add up.
 */
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/rounds.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/splice/splice.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define PCR_MS (PCR_HZ / 1000)

enum {
	PROGRAMS = 32,
	PMT = 0x100, /* the first program has this PID */
	VIDEO = 0x400,
	RUN_MS = 2500,
	PACKETS_MS = 10,
};

/* How the clocks of a source behave. */
struct habit {
	unsigned pcr_ms;   /* distance of the PCRs of a program */
	unsigned every_ms; /* distance of the jumps, each of another program */
	unsigned jump_ms;
	bool alone;        /* a source sends one wrong PCR, and wrong units in
			    * front of it */
	bool dies;         /* it sends no PCR for a second behind the jump */
};

struct rig {
	struct splice *splice;
	struct build *in;
	uint64_t now_ns;
	uint64_t clock[PROGRAMS];   /* 27 MHz */
	bool wrong[PROGRAMS];       /* the next PCR is wrong */
	unsigned silent[PROGRAMS];  /* ms without PCRs */
	size_t out, fed;
	size_t fed_at[RUN_MS];      /* packets fed up to that millisecond */
	unsigned oldest;            /* millisecond of the oldest held packet */
	unsigned worst_ms;
	size_t most;
};

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		r->out += runs[i].n;
}

static void add_tables(struct build *b)
{
	struct build_entry list[PROGRAMS];
	uint8_t section[SECTION_PSI_MAX];

	for (uint16_t i = 0; i < PROGRAMS; i++)
		list[i] = (struct build_entry){ (uint16_t)(i + 1),
						(uint16_t)(PMT + i) };
	(void)build_section(b, 0, section,
			    build_pat(section, 0, list, PROGRAMS));
	for (uint16_t i = 0; i < PROGRAMS; i++) {
		const struct build_es es = { 0x1b, (uint16_t)(VIDEO + i), "",
					     0 };

		(void)build_section(b, list[i].pid, section,
				    build_pmt(section, (struct build_entry){
					    list[i].number, es.pid }, 0, &es,
					    1));
	}
}

/* A picture of 40 ms, half a second ahead of its clock. */
static void add_unit(struct build *b, uint16_t pid, uint64_t clock)
{
	uint8_t *p = build_pes(b, pid, "", 0);
	struct pes_times at;

	cr_assert(pes_times(p, &at));
	pes_set_time(p + at.dts,
		     (clock / PCR_PER_TICK + 45000) % PES_TIME_WRAP);
}

static void add_packets(struct rig *r, unsigned ms, const struct habit *h)
{
	unsigned jumps = ms > 1000 && ms % h->every_ms == 0
		? ms / h->every_ms % PROGRAMS : PROGRAMS;

	for (unsigned i = 0; i < PROGRAMS; i++) {
		uint16_t pid = (uint16_t)(VIDEO + i);
		uint64_t *clock = &r->clock[i];

		*clock += PCR_MS;
		r->silent[i] -= r->silent[i] > 0;
		if (i == jumps) {
			*clock += h->jump_ms * (uint64_t)PCR_MS;
			r->silent[i] = h->dies ? 1000 : 0;
			r->wrong[i] = h->alone;
		}
		if ((ms + 7 * i) % h->pcr_ms == 0 && r->silent[i] == 0) {
			(void)build_pcr(r->in, pid, *clock % PCR_WRAP);
			if (r->wrong[i])
				*clock -= h->jump_ms * (uint64_t)PCR_MS;
			r->wrong[i] = false;
		}
		if ((ms + 11 * i) % 40 == 0)
			add_unit(r->in, pid, *clock);
	}
	for (unsigned k = 0; k < PACKETS_MS; k++)
		(void)build_payload(r->in, (uint16_t)(VIDEO + k), 0);
}

static void measure(struct rig *r, unsigned ms)
{
	struct splice_counters c;
	size_t gone;

	splice_counters(r->splice, &c);
	gone = r->out + c.dropped;
	while (r->oldest < ms && r->fed_at[r->oldest] <= gone)
		r->oldest++;
	if (gone >= r->fed)
		return;
	r->worst_ms = MAX(r->worst_ms, ms - r->oldest);
	r->most = MAX(r->most, r->fed - gone);
}

static struct rig *play(const struct habit *h)
{
	struct rig *r = calloc(1, sizeof *r);

	r->in = build_new();
	r->splice = splice_new(&(struct splice_config){ .out = on_out,
							.arg = r });
	r->now_ns = 5000 * MS;
	for (unsigned i = 0; i < PROGRAMS; i++)
		r->clock[i] = i * 1000 * PCR_MS;
	for (unsigned ms = 0; ms < RUN_MS; ms++) {
		struct ts_run run;

		r->now_ns += MS;
		r->in->n = 0;
		if (ms % 100 == 0)
			add_tables(r->in);
		add_packets(r, ms, h);
		run = build_run(r->in);
		r->fed += run.n;
		r->fed_at[ms] = r->fed;
		splice_turn(r->splice, r->now_ns);
		splice_feed(r->splice, &run, 1, r->now_ns);
		measure(r, ms);
	}
	return r;
}

static void rig_free(struct rig *r)
{
	splice_free(&r->splice);
	build_free(r->in);
	free(r);
}

Test(many_clocks, waits_do_not_add_up)
{
	static const unsigned every[] = { 1, 10, 25, 90 };
	static const unsigned pcrs[] = { 40, 95, 130 };
	static const unsigned jumps[] = { 150, 300, 5000 };
	const size_t all = 4 * ARRAY_LEN(every) * ARRAY_LEN(pcrs) *
			   ARRAY_LEN(jumps);

	for (size_t i = 0; i < all; i += 2 * ROUNDS_DIVISOR - 1) {
		struct habit h = {
			.alone = i & 1, .dies = i & 2,
			.every_ms = every[i / 4 % ARRAY_LEN(every)],
			.pcr_ms = pcrs[i / 16 % ARRAY_LEN(pcrs)],
			.jump_ms = jumps[i / 48],
		};
		struct rig *r = play(&h);

		cr_expect_leq(r->worst_ms, SPLICE_WAITS_MS,
			      "%u ms each %u ms, PCRs each %u ms: %u ms, %zu",
			      h.jump_ms, h.every_ms, h.pcr_ms, r->worst_ms,
			      r->most);
		rig_free(r);
	}
}
