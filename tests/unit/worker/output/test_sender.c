/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/sender.h"

#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/output/output_type.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { VIDEO = 0x101, WAITING = 20, PCR_AT = 5 };

static const uint64_t now = 1000 * SECOND_NS;

/* The packets that the output sent. */
static struct build *sent;

static void keep(struct output *o, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns)
{
	(void)o, (void)now_ns;
	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_leq(sent->n + runs[i].n, (size_t)BUILD_PACKETS);
		memcpy(sent->data + sent->n * TS_PACKET, runs[i].data,
		       runs[i].n * TS_PACKET);
		sent->n += runs[i].n;
	}
}

/* The packets that waited when a worker ended, one of them with a PCR, are
 * taken over so much later. */
static struct build *take_over(struct sender *s, uint32_t late_ms)
{
	static const struct output_ops ops = { .send = keep };
	static struct output output = { .ops = &ops };
	static struct output *outputs[] = { &output };
	struct build *waiting = build_new();

	for (unsigned i = 0; i < WAITING; i++)
		(void)(i == PCR_AT ? build_pcr(waiting, VIDEO, 27000000)
				   : build_payload(waiting, VIDEO, 0xaa));
	sent = build_new();
	sender_init(s, outputs, 1, NULL);
	sender_take_over(s, build_run(waiting), late_ms, now);
	return waiting;
}

static size_t count_pcrs(const struct build *b)
{
	size_t n = 0;
	uint64_t pcr;

	for (size_t i = 0; i < b->n; i++)
		n += ts_pcr(b->data + i * TS_PACKET, &pcr);
	return n;
}

static void end(struct sender *s, struct build *waiting)
{
	sender_done(s);
	build_free(waiting);
	build_free(sent);
}

/* The first packets of the next worker may wait for a picture. */
Test(sender, packets_of_a_worker_that_ended_just_now_leave_as_they_are)
{
	struct sender s;
	struct build *waiting = take_over(&s, SENDER_LATE_MS - 1);

	cr_expect_eq(sender_waiting(&s).n, 0U);
	cr_assert_eq(sent->n, (size_t)WAITING);
	cr_expect_arr_eq(sent->data, waiting->data, WAITING * TS_PACKET);
	end(&s, waiting);
}

/* Later their PCRs would be wrong, in front of those of the new packets. */
Test(sender, packets_of_a_worker_that_ended_earlier_leave_without_their_clock)
{
	struct sender s;
	struct build *waiting = take_over(&s, SENDER_LATE_MS);

	cr_expect_eq(sender_waiting(&s).n, 0U);
	cr_assert_eq(sent->n, (size_t)WAITING, "none is dropped");
	cr_expect_eq(count_pcrs(waiting), 1U);
	cr_expect_eq(count_pcrs(sent), 0U);
	for (size_t i = 0; i < WAITING; i++)
		cr_expect_eq(ts_cc(build_packet(sent, i)),
			     ts_cc(build_packet(waiting, i)));
	end(&s, waiting);
}

/* The next packets find a pacer that has not begun. */
Test(sender, new_packets_follow_late_ones)
{
	struct sender s;
	struct build *waiting = take_over(&s, 10 * SENDER_LATE_MS);
	struct ts_run run = build_run(waiting);

	run.n = 14;
	for (unsigned ms = 0; ms < 100; ms += 10)
		sender_feed(&s, &run, ms == 0, now + ms * MS);
	cr_expect_eq(sent->n, (size_t)WAITING + 14);
	cr_expect_eq(count_pcrs(sent), 1U);
	end(&s, waiting);
}

Test(sender, packets_that_come_at_their_pace_leave_at_once)
{
	struct sender s;
	struct build *waiting = take_over(&s, 0), *more = build_new();

	s.immediate = true;
	for (unsigned i = 0; i < 1000; i++)
		(void)build_payload(more, VIDEO, 0x55);
	sender_feed(&s, &(struct ts_run){ more->data, more->n }, 1, now);
	/* none would be sent again by the next worker */
	cr_expect_eq(sender_waiting(&s).n, 0u);
	cr_expect_eq(sent->n, WAITING + 1000u);
	build_free(more);
	end(&s, waiting);
}

static void count(struct output *o, const struct ts_run *runs, size_t n_runs,
		  uint64_t now_ns)
{
	(void)o, (void)runs, (void)n_runs, (void)now_ns;
}

/* 60 Mbit/s, half a second of which waits: releases grow, and nothing is
 * dropped. */
Test(sender, a_high_rate_has_a_second_of_queue)
{
	static const struct output_ops ops = { .send = count };
	static struct output output = { .ops = &ops };
	static struct output *outputs[] = { &output };
	struct build *ts = build_new();
	struct ts_run run = { 0 };
	struct sender s;

	sender_init(&s, outputs, 1, NULL);
	for (uint64_t ms = 0; ms < 8000; ms += 10) {
		/* the machine is busy, and the packets come at its end */
		bool busy = ms >= 5000 && ms < 5500;

		ts->n = 0;
		(void)build_pcr(ts, VIDEO, 27000000 + ms * 27000);
		for (unsigned i = 1; i < 399; i++)
			(void)build_payload(ts, VIDEO, 0x55);
		run = (struct ts_run){ ts->data, ts->n };
		sender_feed(&s, &run, 1, now + (busy ? 5500 : ms) * MS);
	}
	cr_expect_eq(s.dropped, 0u);
	sender_done(&s);
	build_free(ts);
}

/* --- a queue that outlives its sender --- */

enum { NUMBER_AT = 20, BATCH = 400, ADDRESS = 4711 };

static void *map_memory(void)
{
	void *p = mmap(NULL, sender_memory_size(), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(p, MAP_FAILED);
	return p;
}

static uint32_t expected;

/* Each packet has the next number. */
static void follow(struct output *o, const struct ts_run *runs, size_t n_runs,
		   uint64_t now_ns)
{
	(void)o, (void)now_ns;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			uint32_t number;

			memcpy(&number,
			       runs[i].data + k * TS_PACKET + NUMBER_AT,
			       sizeof number);
			cr_assert_eq(number, expected, "%u, not %u", number,
				     expected);
			expected++;
		}
}

static void begin_kept(struct sender *s, void *memory, uint64_t now_ns)
{
	static const struct output_ops ops = { .send = follow };
	static struct output output = { .ops = &ops };
	static struct output *outputs[] = { &output };

	sender_init(s, outputs, 1, NULL);
	pacer_set_burst(&s->pacer, 2);
	sender_keep(s, memory, ADDRESS, now_ns);
	sender_resume(s, now_ns);
}

/* Workers that are killed between two turns.  The packets come in bursts. */
Test(sender, the_next_one_sends_the_queue_that_it_finds)
{
	static uint8_t packets[BATCH * TS_PACKET];
	void *memory = map_memory();
	uint64_t now_ns = now;
	uint32_t number = 0;
	size_t found = 0;
	struct sender s;

	srand(5);
	memset(packets, TS_SYNC_BYTE, sizeof packets);
	for (unsigned workers = 0; workers < 200; workers++) {
		unsigned turns = 1 + (unsigned)rand() % 40;

		begin_kept(&s, memory, now_ns);
		cr_assert_eq(sender_waiting(&s).n, 0u);
		cr_assert_eq(expected, number, "worker %u", workers);
		for (unsigned i = 0; i < turns; i++, now_ns += 2 * MS) {
			struct ts_run run = { packets, i % 8 == 0 ? BATCH : 0 };

			for (size_t k = 0; k < run.n; k++, number++)
				memcpy(packets + k * TS_PACKET + NUMBER_AT,
				       &number, sizeof number);
			sender_feed(&s, &run, run.n > 0, now_ns);
		}
		found += sender_waiting(&s).n;
		sender_done(&s);
	}
	cr_expect_gt(found, 10000u);
	(void)munmap(memory, sender_memory_size());
}

/* --- workers that are killed while they send --- */

enum { KILLS = 60, RECEIVED_MAX = 1 << 20 };

/* Memory that outlives them. */
struct world {
	uint32_t made, n;
	uint64_t now_ns;
	uint32_t sends_left; /* until this process is killed */
	uint32_t n_noted;    /* packets that the sender has noted */
	uint8_t noted[SENDER_PACKETS_MAX * TS_PACKET];
	uint32_t received[RECEIVED_MAX];
};

static struct world *world;

static void receive(struct output *o, const struct ts_run *runs, size_t n_runs,
		    uint64_t now_ns)
{
	(void)o, (void)now_ns;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			cr_assert_lt(world->n, (uint32_t)RECEIVED_MAX);
			memcpy(&world->received[world->n++],
			       runs[i].data + k * TS_PACKET + NUMBER_AT, 4);
		}
	/* the kernel sends all of a call, and then ends the process */
	if (--world->sends_left == 0)
		(void)kill(getpid(), SIGKILL);
}

static void note(struct ts_run run, uint64_t now_ns, void *arg)
{
	(void)now_ns, (void)arg;
	memcpy(world->noted, run.data, run.n * TS_PACKET);
	world->n_noted = (uint32_t)run.n;
}

/* The next worker, until it is killed.  memory: NULL: it notes its queue. */
static void work(void *memory)
{
	static const struct output_ops ops = { .send = receive };
	static struct output output = { .ops = &ops };
	static struct output *outputs[] = { &output };
	static uint8_t packets[BATCH * TS_PACKET], noted[sizeof world->noted];
	struct ts_run waiting = { noted, world->n_noted };
	struct sender s;

	memset(packets, TS_SYNC_BYTE, sizeof packets);
	memcpy(noted, world->noted, waiting.n * TS_PACKET);
	world->n_noted = 0;
	sender_init(&s, outputs, 1, memory != NULL ? NULL
				    : &(struct sender_note){ .fn = note });
	pacer_set_burst(&s.pacer, 2);
	if (memory != NULL) {
		sender_keep(&s, memory, ADDRESS, world->now_ns);
		sender_resume(&s, world->now_ns);
	} else {
		sender_take_over(&s, waiting, 0, world->now_ns);
	}
	for (;;) {
		struct ts_run run = { packets, 1 + (size_t)rand() % BATCH };

		if (rand() % 8 > 0)
			run.n %= 20;
		for (size_t k = 0; k < run.n; k++, world->made++)
			memcpy(packets + k * TS_PACKET + NUMBER_AT,
			       &world->made, sizeof world->made);
		sender_feed(&s, &run, run.n > 0, world->now_ns);
		world->now_ns += 2 * MS;
	}
}

/* Each packet that a stage before has counted is sent, and once. */
static void kill_workers(void *memory)
{
	world = mmap(NULL, sizeof *world, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(world, MAP_FAILED);
	world->now_ns = now;
	for (unsigned i = 0; i < KILLS; i++) {
		pid_t pid;

		srand(i);
		world->sends_left = 1 + (unsigned)rand() % 50;
		pid = fork();
		if (pid == 0)
			work(memory);
		cr_assert_eq(waitpid(pid, NULL, 0), pid);
	}
	cr_assert_gt(world->n, 10000u);
	for (uint32_t i = 0; i < world->n; i++)
		cr_assert_eq(world->received[i], i, "%u: %u", i,
			     world->received[i]);
	(void)munmap(world, sizeof *world);
}

Test(sender, a_worker_that_is_killed_while_it_sends_loses_no_packet)
{
	void *memory = map_memory();

	kill_workers(memory);
	(void)munmap(memory, sender_memory_size());
}

Test(sender, what_waits_is_noted_before_others_are_sent)
{
	kill_workers(NULL);
}

Test(sender, a_queue_of_another_output_or_a_damaged_one_is_not_sent)
{
	for (unsigned i = 0; i < 3; i++) {
		static uint8_t packets[BATCH * TS_PACKET];
		struct ts_run run = { packets, BATCH };
		uint8_t *memory = map_memory();
		struct sender s;

		memset(packets, TS_SYNC_BYTE, sizeof packets);
		sender_init(&s, NULL, 0, NULL);
		sender_keep(&s, memory, ADDRESS + (i == 0), now);
		sender_feed(&s, &run, 1, now);
		cr_assert_gt(sender_waiting(&s).n, 0u);
		sender_done(&s);
		if (i == 1)
			memory[0] ^= 1;
		else if (i == 2)
			for (size_t k = 0; k < BATCH; k++)
				memory[64 * 1024 + k * TS_PACKET] = 0;
		sender_init(&s, NULL, 0, NULL);
		sender_keep(&s, memory, ADDRESS, now);
		cr_assert_eq(sender_waiting(&s).n, 0u, "%u", i);
		sender_done(&s);
		(void)munmap(memory, sender_memory_size());
	}
}
