/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/ca_inserter.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ECM = 0x600, EMM = 0x700, VIDEO = 0x101, MOST = 1000 };

static struct {
	size_t n;
	uint8_t packets[MOST][TS_PACKET];
} out;

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_leq(out.n + runs[i].n, MOST);
		memcpy(out.packets[out.n], runs[i].data,
		       runs[i].n * TS_PACKET);
		out.n += runs[i].n;
	}
}

/* n packets of a PID. */
static struct ts_run run_of(uint16_t pid, size_t n)
{
	static uint8_t packets[64][TS_PACKET];

	for (size_t i = 0; i < n; i++) {
		memset(packets[i], 0, TS_PACKET);
		packets[i][0] = TS_SYNC_BYTE;
		packets[i][3] = 0x10;
		ts_set_pid(packets[i], pid);
	}
	return (struct ts_run){ packets[0], n };
}

static size_t count(uint16_t pid)
{
	size_t n = 0;

	for (size_t i = 0; i < out.n; i++)
		n += ts_pid(out.packets[i]) == pid;
	return n;
}

static void feed(struct ca_inserter *c, uint16_t pid, size_t n)
{
	struct ts_run run = run_of(pid, n);

	ca_inserter_feed(c, &run, 1);
}

Test(ca_inserter, replaces_null_packets)
{
	struct ca_inserter *c = ca_inserter_new(take, NULL);

	cr_assert(ca_inserter_emm(c, EMM, run_of(0, 1)));
	cr_assert(ca_inserter_ecm(c, ECM, run_of(0, 2)));
	cr_assert(ca_inserter_has(c, ECM));
	feed(c, TS_PID_NULL, 5);
	cr_assert_eq(out.n, 5);
	/* ECMs first */
	cr_assert_eq(ts_pid(out.packets[0]), ECM);
	cr_assert_eq(ts_pid(out.packets[1]), ECM);
	cr_assert_eq(ts_pid(out.packets[2]), EMM);
	cr_assert_eq(ts_cc(out.packets[1]), 1);
	cr_assert_not(ca_inserter_has(c, ECM));
	ca_inserter_free(&c);
}

Test(ca_inserter, inserts_into_a_stream_without_null_packets)
{
	struct ca_inserter *c = ca_inserter_new(take, NULL);

	for (unsigned i = 0; i < 4; i++)
		cr_assert(ca_inserter_ecm(c, ECM, run_of(0, 1)));
	feed(c, VIDEO, 64);
	feed(c, VIDEO, 64);
	cr_assert_eq(count(VIDEO), 128);
	cr_assert_eq(count(ECM), 4);
	cr_assert_eq(out.n, 132);
	ca_inserter_free(&c);
}

Test(ca_inserter, drops_what_has_no_room)
{
	struct ca_inserter *c = ca_inserter_new(take, NULL);
	unsigned n = 0;

	while (ca_inserter_emm(c, EMM, run_of(0, 3)))
		n += 3;
	cr_assert_leq(n, CA_EMMS_MAX);
	cr_assert_gt(n, CA_EMMS_MAX - 3);
	cr_assert(ca_inserter_ecm(c, ECM, run_of(0, 1)));
	for (unsigned i = 0; i < 6; i++)
		feed(c, TS_PID_NULL, 64);
	cr_assert_eq(count(EMM), n);
	for (size_t i = 1, cc = 0; i < out.n; i++)
		if (ts_pid(out.packets[i]) == EMM)
			cr_assert_eq(ts_cc(out.packets[i]), cc++ & 0x0f);
	ca_inserter_free(&c);
}

Test(ca_inserter, a_dropped_ecm_leaves_the_others_in_order)
{
	enum { OTHER = 0x601 };
	struct ca_inserter *c = ca_inserter_new(take, NULL);

	cr_assert(ca_inserter_ecm(c, ECM, run_of(0, 2)));
	cr_assert(ca_inserter_ecm(c, OTHER, run_of(0, 2)));
	cr_assert(ca_inserter_ecm(c, ECM, run_of(0, 1)));
	cr_assert(ca_inserter_ecm(c, OTHER, run_of(0, 1)));
	ca_inserter_drop_ecm(c, ECM);
	cr_assert_not(ca_inserter_has(c, ECM));
	feed(c, TS_PID_NULL, 5);
	cr_assert_eq(count(ECM), 0);
	for (unsigned i = 0; i < 3; i++) {
		cr_assert_eq(ts_pid(out.packets[i]), OTHER);
		cr_assert_eq(ts_cc(out.packets[i]), i);
	}
	ca_inserter_free(&c);
}
