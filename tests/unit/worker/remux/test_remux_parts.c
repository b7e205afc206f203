/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The small parts of the stage: queue, clock, runs. */
#include "tests/unit/worker/ts/build.h"
#include "worker/remux/runs_out.h"
#include "worker/remux/section_queue.h"
#include "worker/remux/stream_clock.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

Test(section_queue, gives_sections_back_packet_by_packet)
{
	static struct section_queue q;
	uint8_t section[4096], buffer[4096], body[4084] = { 5 };
	struct section_assembler a;
	const uint8_t *packet, *whole = NULL;
	size_t len = build_table(section, &(struct build_table){
		.table_id = 0x50, .body = body, .len = sizeof body });
	uint8_t cc = 0;

	cr_assert_eq(len, 4096);
	for (int round = 0; round < 5; round++) {
		cr_assert(section_queue_push(&q, 0x12, section, len));
		cr_assert_eq(q.n, 23);
		section_init(&a, buffer, sizeof buffer);
		while ((packet = section_queue_pop(&q)) != NULL) {
			uint8_t copy[TS_PACKET];
			size_t got;

			memcpy(copy, packet, sizeof copy);
			cr_assert_eq(ts_pid(copy), 0x12);
			ts_set_cc(copy, cc++);
			section_push(&a, copy);
			whole = section_pull(&a, &got);
		}
		cr_assert_not_null(whole);
		cr_assert_arr_eq(whole, section, len);
	}
}

Test(section_queue, accepts_whole_sections_or_none)
{
	static struct section_queue q;
	uint8_t section[4096], body[4084] = { 0 };
	size_t len = build_table(section, &(struct build_table){
		.table_id = 0x50, .body = body, .len = sizeof body });

	cr_assert(section_queue_push(&q, 0x12, section, len));
	cr_assert(section_queue_push(&q, 0x12, section, len));
	cr_assert_not(section_queue_push(&q, 0x12, section, len));
	cr_assert_eq(q.n, 46);
	section_queue_clear(&q);
	cr_assert_null(section_queue_pop(&q));
	cr_assert(section_queue_push(&q, 0x12, section, len));
}

Test(section_queue, a_section_that_was_begun_is_sent_whole)
{
	static struct section_queue q;
	uint8_t section[4096], body[500] = { 0 };
	size_t len = build_table(section, &(struct build_table){
		.table_id = 0x50, .body = body, .len = sizeof body });

	cr_assert(section_queue_push(&q, 0x12, section, len));
	cr_assert(section_queue_push(&q, 0x12, section, len));
	cr_assert_eq(q.n, 6);
	cr_assert_not_null(section_queue_pop(&q));
	section_queue_clear(&q);
	cr_assert_eq(q.n, 2);
	cr_assert_not(ts_pusi(section_queue_pop(&q)));
	section_queue_clear(&q);
	cr_assert_eq(q.n, 1);
}

/* PIDs of the waiting packets, first to last. */
static void expect_pids(const struct section_queue *q, const uint16_t *pids,
			size_t n)
{
	cr_assert_eq(q->n, n);
	for (size_t i = 0; i < n; i++)
		cr_expect_eq(ts_pid(section_queue_at(q, i)), pids[i], "%zu",
			     i);
}

Test(section_queue, packets_of_other_pids_may_overtake)
{
	static struct section_queue q;
	uint8_t section[4096], body[300] = { 0 };
	size_t len = build_table(section, &(struct build_table){
		.table_id = 0x50, .body = body, .len = sizeof body });

	cr_assert(section_queue_push(&q, 0x21, section, len));
	cr_assert(section_queue_push(&q, 0x22, section, len));
	cr_assert(section_queue_push(&q, 0x23, section, len));
	cr_assert_eq(ts_pid(section_queue_take(&q, 2)), 0x22);
	cr_assert_eq(ts_pid(section_queue_take(&q, 0)), 0x21);
	expect_pids(&q, (uint16_t[]){ 0x21, 0x22, 0x23, 0x23 }, 4);
	cr_assert(section_queue_push_first(&q, 0x20, section, len));
	expect_pids(&q, (uint16_t[]){ 0x20, 0x20, 0x21, 0x22, 0x23, 0x23 }, 6);
	cr_assert(ts_pusi(section_queue_at(&q, 0)));
	/* two sections are being sent */
	section_queue_clear(&q);
	expect_pids(&q, (uint16_t[]){ 0x21, 0x22 }, 2);
	cr_assert_not(ts_pusi(section_queue_pop(&q)));
	cr_assert_not(ts_pusi(section_queue_pop(&q)));
	/* all slots are free again */
	for (size_t i = 0; i < SECTION_QUEUE_MAX / 2; i++)
		cr_assert(section_queue_push(&q, 0x21, section, len));
	cr_assert_not(section_queue_push_first(&q, 0x22, section, len));
	cr_assert_eq(q.n, SECTION_QUEUE_MAX);
}

Test(stream_clock, follows_its_pcrs)
{
	struct stream_clock c = { 0 };

	cr_assert_eq(stream_clock_pcr(&c, PCR_WRAP - 100, false, 0), 0);
	cr_assert_eq(stream_clock_pcr(&c, PCR_WRAP - 50, false, 0), 50);
	cr_assert_eq(stream_clock_pcr(&c, 50, false, 0), 100, "over the wrap");
	cr_assert_eq(c.ticks, 150);
}

Test(stream_clock, never_goes_back_and_never_jumps)
{
	struct stream_clock c = { 0 };

	(void)stream_clock_pcr(&c, 1000000, false, 0);
	cr_assert_eq(stream_clock_pcr(&c, 500000, false, 0), 0);
	cr_assert_eq(stream_clock_pcr(&c, 500000 + 2 * PCR_HZ, false, 0), 0);
	cr_assert_eq(stream_clock_pcr(&c, 501000 + 2 * PCR_HZ, true, 0), 0);
	cr_assert_eq(c.ticks, 0);
	cr_assert_eq(stream_clock_pcr(&c, 501500 + 2 * PCR_HZ, false, 0),
		     500);
}

Test(stream_clock, uses_the_time_of_the_caller_without_pcrs)
{
	struct stream_clock c = { 0 };
	uint64_t s = 1000000000;

	stream_clock_tick(&c, 5 * s);
	cr_assert_eq(c.ticks, 0);
	stream_clock_tick(&c, 5 * s + s / 10);
	cr_assert_eq(c.ticks, 0, "patience");
	stream_clock_tick(&c, 6 * s);
	cr_assert_eq(c.ticks, PCR_HZ);
	(void)stream_clock_pcr(&c, 1000, false, 6 * s);
	(void)stream_clock_pcr(&c, 2000, false, 6 * s + s / 10);
	stream_clock_tick(&c, 6 * s + s / 5);
	cr_assert_eq(c.ticks, PCR_HZ + 1000);
	/* a clock of the caller that goes back does no harm */
	stream_clock_tick(&c, s);
	stream_clock_tick(&c, 2 * s);
	cr_assert_eq(c.ticks, 2 * PCR_HZ + 1000);
}

struct seen {
	size_t calls, runs, packets;
	const uint8_t *first;
};

static void see(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct seen *s = arg;

	if (s->calls++ == 0)
		s->first = runs[0].data;
	s->runs += n_runs;
	for (size_t i = 0; i < n_runs; i++)
		s->packets += runs[i].n;
}

Test(runs_out, joins_neighbours_and_copies_nothing)
{
	static uint8_t data[1000 * TS_PACKET];
	struct seen s = { 0 };
	static struct runs_out o;

	o.out = see;
	o.arg = &s;
	for (size_t i = 0; i < 1000; i++)
		runs_out_pass(&o, data + i * TS_PACKET);
	cr_assert_eq(s.calls, 0);
	runs_out_flush(&o);
	cr_assert_eq(s.calls, 1);
	cr_assert_eq(s.runs, 1);
	cr_assert_eq(s.packets, 1000);
	cr_assert_eq(s.first, data);
	runs_out_flush(&o);
	cr_assert_eq(s.calls, 1, "nothing twice");
}

Test(runs_out, hands_over_before_it_is_full)
{
	static uint8_t data[1000 * TS_PACKET];
	struct seen s = { 0 };
	static struct runs_out o;

	o.out = see;
	o.arg = &s;
	for (size_t i = 0; i < 1000; i++) {
		runs_out_pass(&o, data + (i * 2 % 1000) * TS_PACKET);
		memset(runs_out_new(&o), 0x47, TS_PACKET);
	}
	runs_out_flush(&o);
	cr_assert_eq(s.packets, 2000);
	cr_assert_eq(s.runs, 2000);
}
