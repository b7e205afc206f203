/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A multiplex of many programs, whose packets leave little or no room. */
#include "tests/unit/worker/remux/rig.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	TICK_MS = 5,
	TICK_PACKETS = 66, /* 13,200 packets/s: 19.9 Mbit/s */
	PROGRAMS_MAX = 60,
	TICKS = 4000 / TICK_MS,
	PACKETS_IN_SPACING = 19, /* in 1.5 ms */
};

/* The source, and what came out of each PID. */
struct full {
	size_t programs, pmt_len;
	unsigned pmt_ms;   /* the interval of each PMT */
	unsigned nulls;    /* each so-many-th packet; 0: none */
	unsigned restless; /* the interval of the changes of program 1 */
	bool shares_pid;   /* all PMTs have the same PID */
	struct build_entry all[PROGRAMS_MAX];
	size_t tick, events, services, changes;
	size_t begun[TS_PIDS];    /* sections */
	size_t last[TS_PIDS];     /* tick of the last one */
	size_t longest[TS_PIDS];  /* ticks between two of them */
	size_t last_nth[TS_PIDS]; /* of all packets: the last packet */
	size_t nth, close;        /* packets of a PMT that came too soon */
};

/* Has each PMT come, and gone out? */
static bool is_settled(const struct full *f)
{
	return f->tick * TICK_MS > 2 * f->pmt_ms;
}

static bool is_every(const struct full *f, unsigned ms)
{
	return ms != 0 && f->tick % (ms / TICK_MS) == 0;
}

static void put_pmt(struct bench *b, struct full *f, size_t i)
{
	static const uint8_t filler[2] = { 0xfe, 250 };
	uint16_t pid = f->all[i].pid;
	char desc[1000] = { 0 };
	const struct build_es es = { 0x1b, (uint16_t)(0x401 + i), desc,
				     f->pmt_len - 21 };
	struct build_entry e = { f->all[i].number, es.pid };
	uint8_t section[1024];
	uint8_t version = i == 0 ? (uint8_t)(f->changes & 31) : 0;

	for (size_t at = 0; at < es.desc_len; at += 252) {
		memcpy(desc + at, filler, 2);
		if (es.desc_len - at < 252)
			desc[at + 1] = (char)(es.desc_len - at - 2);
	}
	if (i == 0)
		memcpy(desc + 2, &f->changes, 4);
	build_section(b->in, pid, section,
		      build_pmt(section, e, version, &es, 1));
}

static void put_si(struct bench *b, struct full *f)
{
	static const char event[300] = { 0, 7, 0, 3, 0, 0x4e };
	static const char service[5] = { 0, 3, (char)0xff, 0, 1 };

	if (is_every(f, 20)) {
		put_table(b, 0x12, 0x60, event, sizeof event);
		f->events++;
	}
	if (is_every(f, 500)) {
		put_table(b, 0x11, 0x46, service, sizeof service);
		f->services++;
	}
}

/* All PMTs are spread over their interval. */
static void put_tables(struct bench *b, struct full *f)
{
	size_t ticks = f->pmt_ms / TICK_MS, at = f->tick % ticks;

	if (is_every(f, 100))
		pat(b, 0, f->all, f->programs);
	for (size_t i = at * f->programs / ticks;
	     i < (at + 1) * f->programs / ticks; i++)
		put_pmt(b, f, i);
	if (is_every(f, f->restless)) {
		f->changes++;
		put_pmt(b, f, 0);
	}
	put_si(b, f);
}

static void put_tick(struct bench *b, struct full *f)
{
	b->in->n = b->fed = b->out->n = 0;
	build_pcr(b->in, 0x401, (uint64_t)f->tick * TICK_MS * MS);
	put_tables(b, f);
	for (size_t i = b->in->n; i < TICK_PACKETS; i++) {
		if (f->nulls != 0 && (f->tick + i) % f->nulls == 0)
			build_null(b->in);
		else
			build_payload(b->in, 0x401, 1);
	}
	feed(b);
}

static void note(struct full *f, const uint8_t *p)
{
	uint16_t pid = ts_pid(p);
	bool settled = is_settled(f);
	bool spread = settled && pid > 0x200 && pid < 0x400 &&
		      f->restless == 0;

	f->nth++;
	f->close += spread && f->nth - f->last_nth[pid] < PACKETS_IN_SPACING;
	f->last_nth[pid] = f->nth;
	if (!ts_pusi(p))
		return;
	if (settled)
		f->longest[pid] = MAX(f->longest[pid],
				      f->tick - f->last[pid]);
	f->last[pid] = f->tick;
	f->begun[pid]++;
}

static void play_full(struct full *f)
{
	struct remux_options o = { .set_tsid = 9, .pass_data = true };
	struct bench b = bench_new(&o);
	struct remux_counters counted;

	for (uint16_t i = 0; i < f->programs; i++)
		f->all[i] = (struct build_entry){ (uint16_t)(i + 1),
			(uint16_t)(0x201 + (f->shares_pid ? 0 : i)) };
	for (f->tick = 0; f->tick < TICKS; f->tick++) {
		put_tick(&b, f);
		for (size_t i = 0; i < b.out->n; i++)
			note(f, b.out->data[i]);
	}
	remux_counters(b.remux, &counted);
	cr_expect_eq(counted.dropped, 0, "%u", (unsigned)counted.dropped);
	cr_expect_eq(b.out->cc_errors, 0);
	bench_done(&b);
}

static size_t longest_ms(const struct full *f, uint16_t pid)
{
	return MAX(f->longest[pid], f->tick - f->last[pid]) * TICK_MS;
}

/* Each table comes as often as in the source, or ten times a second. */
static void check_intervals(const struct full *f)
{
	/* those before the PMTs were known */
	size_t early = f->pmt_ms / 20;

	cr_expect_geq(f->begun[0x12] + early + 1, f->events, "EIT %zu of %zu",
		      f->begun[0x12], f->events);
	cr_expect_geq(f->begun[0x11] + 1, f->services, "SDT %zu of %zu",
		      f->begun[0x11], f->services);
	cr_expect_leq(longest_ms(f, 0x12), 100, "EIT after %zu ms",
		      longest_ms(f, 0x12));
	cr_expect_leq(longest_ms(f, 0), 120, "PAT after %zu ms",
		      longest_ms(f, 0));
	for (size_t i = 0; i < f->programs; i++) {
		size_t ms = longest_ms(f, f->all[i].pid);

		cr_expect_leq(ms, MAX(f->pmt_ms, 200u) + 2 * TICK_MS,
			      "PMT %zu after %zu ms", i, ms);
	}
	cr_expect_eq(f->close, 0, "%zu packets of PMTs", f->close);
}

Test(remux_full, no_table_waits_for_others_without_null_packets)
{
	static struct full f = { .programs = 40, .pmt_len = 300,
				 .pmt_ms = 200 };

	play_full(&f);
	check_intervals(&f);
}

Test(remux_full, nor_does_one_with_few_null_packets)
{
	static struct full f = { .programs = 40, .pmt_len = 300,
				 .pmt_ms = 200, .nulls = 20 };

	play_full(&f);
	check_intervals(&f);
}

Test(remux_full, nor_does_one_of_60_programs)
{
	static struct full f = { .programs = 60, .pmt_len = 350,
				 .pmt_ms = 400, .nulls = 20 };

	play_full(&f);
	check_intervals(&f);
}

Test(remux_full, a_pmt_that_keeps_changing_does_not_hold_up_the_others)
{
	static struct full f = { .programs = 40, .pmt_len = 300,
				 .pmt_ms = 200, .restless = 50 };

	play_full(&f);
	check_intervals(&f);
}

/* One round of PMTs lasts longer than the interval of the PAT, which goes out
 * between the packets of a PMT. */
Test(remux_full, pmts_that_share_a_pid_go_out_one_after_the_other)
{
	static struct full f = { .programs = 12, .pmt_len = 1000,
				 .pmt_ms = 400, .shares_pid = true };

	play_full(&f);
	cr_expect_geq(f.begun[0x201], f.programs * 15, "%zu PMTs",
		      f.begun[0x201]);
}
