/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An output of constant bit rate whose workers are killed: no packet that the
 * queue had is missing or sent twice, and the PCRs follow their positions. */
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/output/cbr.h"
#include "worker/output/pacer.h"
#include "worker/ts/pcr.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PID = 0x101,
	KBPS = 4000,
	TURN_MS = 10,
	LOG_MAX = 150000, /* packets, 56 s */
	FEED_MAX = 4000,
	PCR_EVERY = 20,   /* packets: 33 ms at most */
	KILLS = 150,
};

#define PCR_MS (PCR_HZ / 1000)
#define START (UINT64_C(77777) * MS)
#define ADDRESS UINT64_C(4711)
/* 2.2 Mbit/s: 6 for 200 ms, 0.9 for 600 ms */
#define PERIOD_MS 800
#define PEAK_MS 200

/* What outlives the workers. */
struct scene {
	void *memory;    /* of the queue */
	size_t size;
	uint64_t now_ns;
	uint32_t next;   /* the next packet of the source ... */
	uint32_t from;   /* ... and the first one of the feed that runs */
	size_t lost;     /* the result of cbr_keep() */
	volatile size_t n;
	uint8_t log[LOG_MAX][TS_PACKET];
};

static void *map_shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(p, MAP_FAILED);
	return p;
}

static struct scene *scene_new(void)
{
	struct scene *s = map_shared(sizeof *s);
	struct cbr *cbr = cbr_new(KBPS, PACER_BURST_MS);

	s->size = cbr_memory_size(cbr);
	s->memory = map_shared(s->size);
	s->now_ns = START;
	cbr_free(&cbr);
	return s;
}

static void scene_free(struct scene *s)
{
	(void)munmap(s->memory, s->size);
	(void)munmap(s, sizeof *s);
}

/* The packets of the source until ns after its start. */
static uint32_t due(uint64_t ns)
{
	uint64_t ms = ns / MS, rest = ms % PERIOD_MS;
	uint64_t kbit = ms / PERIOD_MS * (PEAK_MS * 6 +
					  (PERIOD_MS - PEAK_MS) * 9 / 10);

	kbit += MIN(rest, (uint64_t)PEAK_MS) * 6;
	if (rest > PEAK_MS)
		kbit += (rest - PEAK_MS) * 9 / 10;
	return (uint32_t)(kbit * 1000 / 8 / TS_PACKET);
}

static void make(struct scene *s, uint8_t *p)
{
	bool has_pcr = s->next % PCR_EVERY == 0;

	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = 0;
	ts_set_pid(p, PID);
	p[3] = (uint8_t)(0x10 | (s->next & 15));
	if (has_pcr) {
		p[3] |= 0x20;
		p[4] = 7;
		p[5] = 0x10;
		ts_set_pcr(p, (s->now_ns - START) * 27 / 1000 + PCR_HZ);
	}
	memcpy(p + 12, &s->next, sizeof s->next);
	s->next++;
}

/* Packets in front of `next' are lost with the worker that takes them. */
static void feed(struct scene *s, struct cbr *cbr)
{
	static uint8_t packets[FEED_MAX][TS_PACKET];
	struct ts_run run = { .data = packets[0] };

	s->from = s->next;
	while (s->next < due(s->now_ns - START) && run.n < FEED_MAX)
		make(s, packets[run.n++]);
	cbr_feed(cbr, &run, run.n > 0, s->now_ns);
	s->from = s->next;
}

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct scene *s = arg;

	for (size_t i = 0; i < n_runs; i++) {
		size_t n = MIN(runs[i].n, LOG_MAX - s->n);

		memcpy(s->log[s->n], runs[i].data, n * TS_PACKET);
		s->n += n;
	}
}

static void turn(struct scene *s, struct cbr *cbr)
{
	s->now_ns += TURN_MS * MS;
	feed(s, cbr);
	cbr_run(cbr, s->now_ns, take, s);
	if (s->now_ns / MS % 1000 < TURN_MS)
		cbr_every_second(cbr);
}

static struct cbr *begin(struct scene *s)
{
	struct cbr *cbr = cbr_new(KBPS, PACER_BURST_MS);

	s->lost = cbr_keep(cbr, s->memory, ADDRESS, s->now_ns);
	return cbr;
}

static void play(struct scene *s, struct cbr *cbr, unsigned ms)
{
	for (unsigned done = 0; done < ms; done += TURN_MS)
		turn(s, cbr);
}

/* --- the judge --- */

struct judge {
	const struct scene *s;
	size_t at;         /* packets read so far */
	size_t lost;       /* positions that killed workers may not have sent
			    * since the last PCR */
	bool paused;       /* PCRs arrive at the rate of the source while
			    * positions of a pause are sent faster */
	size_t skipped;    /* those that they did not send */
	uint32_t next;
	uint64_t pcr;
	size_t pcr_at;
	unsigned announced;
};

static void judge_pcr(struct judge *j, const uint8_t *p)
{
	uint64_t pcr;
	double went, by_place;

	if (!ts_pcr(p, &pcr))
		return;
	went = (double)wrap_diff(pcr, j->pcr, PCR_WRAP);
	by_place = (double)(j->at + j->skipped - j->pcr_at) * TS_PACKET * 8 *
		   PCR_MS / KBPS;
	if (ts_discontinuity(p)) {
		j->announced++;
	} else if (j->pcr_at > 0) {
		if (fabs(went - by_place) > 2) {
			double step = (double)TS_PACKET * 8 * PCR_MS / KBPS;
			double hole = (went - by_place) / step;

			cr_assert(hole > 0 && hole < (double)j->lost + 0.01,
				  "packet %zu: %.1f positions, %zu lost",
				  j->at, hole, j->lost);
			j->skipped += (size_t)lround(hole);
		}
		cr_assert(j->lost > 0 ||
				  went <= (j->paused ? 100. : 40.) * PCR_MS,
			  "%.1f ms", went / PCR_MS);
	}
	j->lost = 0;
	j->pcr = pcr;
	j->pcr_at = j->at + j->skipped;
}

/* Reads what was sent; at most `lost' packets were not, by a worker that ended
 * in the middle, and `from' to `to' had not entered its queue. */
static void judge(struct judge *j, size_t lost, uint32_t from, uint32_t to)
{
	j->lost += lost;
	for (; j->at < j->s->n; j->at++) {
		const uint8_t *p = j->s->log[j->at];
		uint32_t number;

		judge_pcr(j, p);
		if (ts_pid(p) != PID || !ts_has_payload(p))
			continue;
		memcpy(&number, p + 12, sizeof number);
		if (number != j->next && j->next == from && number == to)
			j->next = to;
		cr_assert_geq(number, j->next, "packet %u twice", number);
		cr_assert_leq(number - j->next, lost, "%u to %u missing",
			      j->next, number);
		if (number > j->next)
			lost = 0;
		j->next = number + 1;
	}
}

/* --- */

static _Noreturn void work(struct scene *s)
{
	struct cbr *cbr = begin(s);

	while (s->n < LOG_MAX)
		turn(s, cbr);
	_exit(0);
}

/* Returns the number of workers that were killed before the log was full. */
static unsigned kill_all(struct scene *s, struct judge *j, unsigned *in_a_send)
{
	unsigned kills = 0;

	while (s->n < LOG_MAX) {
		/* enough to catch up: positions older than a second are
		 * skipped */
		size_t until = s->n + 800 + (size_t)rand() % 1000;
		uint32_t from = s->from, to = s->next;
		pid_t pid;

		s->from = s->next;
		pid = fork();
		if (pid == 0)
			work(s);
		cr_assert_gt(pid, 0);
		while (s->n < MIN(until, (size_t)LOG_MAX))
			;
		for (int spin = rand() % 20000; spin > 0; spin--)
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
		cr_assert_eq(kill(pid, SIGKILL), 0);
		cr_assert_eq(waitpid(pid, NULL, 0), pid);
		*in_a_send += s->lost > 0;
		judge(j, s->lost, from, to);
		kills++;
		s->now_ns += (uint64_t)rand() % 300 * MS;
	}
	return kills;
}

Test(cbr_restart, a_worker_killed_at_any_moment_loses_no_queue, .timeout = 60)
{
	unsigned kills = 0, in_a_send = 0;

	srand(13);
	for (unsigned scenes = 0; scenes < 50 && kills < KILLS; scenes++) {
		struct scene *s = scene_new();
		struct judge j = { .s = s };

		kills += kill_all(s, &j, &in_a_send);
		cr_expect_eq(j.announced, 0);
		scene_free(s);
	}
	cr_expect_geq(kills, (unsigned)KILLS);
	cr_log_info("%u kills, %u in a send", kills, in_a_send);
}

Test(cbr_restart, continues_the_positions_with_the_queue)
{
	for (unsigned ms = 0; ms < 900; ms += 50) {
		struct scene *s = scene_new();
		struct judge j = { .s = s };
		struct cbr *cbr = begin(s);
		size_t waiting;

		play(s, cbr, PERIOD_MS * 4 + PEAK_MS);
		waiting = cbr_waiting(cbr);
		cr_assert_gt(waiting, 50u);
		cbr_free(&cbr);
		s->now_ns += ms * MS;
		cbr = begin(s);
		cr_assert_eq(s->lost, 0u);
		cr_assert_eq(cbr_waiting(cbr), waiting);
		play(s, cbr, 3000);
		judge(&j, 0, 0, 0);
		cr_assert_eq(j.announced, 0);
		/* all but those that wait */
		cr_assert_eq(j.next + cbr_waiting(cbr), s->next, "%u ms", ms);
		cbr_free(&cbr);
		scene_free(s);
	}
}

/* queued_ms: the part of the peak that was played; 0: the queue is empty */
static void leave_alone(unsigned ms, unsigned queued_ms)
{
	struct scene *s = scene_new();
	struct judge j = { .s = s, .paused = true };
	struct cbr *cbr = begin(s);

	play(s, cbr, PERIOD_MS * 4 + queued_ms);
	cr_assert_eq(cbr_waiting(cbr) > 50, queued_ms > 0);
	cbr_free(&cbr);
	s->now_ns += ms * MS;
	/* the source had no receiver */
	s->next = due(s->now_ns - START) / 16 * 16 + s->next % 16;
	s->from = s->next;
	cbr = begin(s);
	/* no packet arrives in the first turn */
	cbr_run(cbr, s->now_ns, take, s);
	play(s, cbr, 3000);
	for (; j.at < s->n; j.at++)
		judge_pcr(&j, s->log[j.at]);
	cr_assert_eq(j.announced, 1, "%u ms: %u", ms, j.announced);
	cbr_free(&cbr);
	scene_free(s);
}

Test(cbr_restart, a_long_time_without_a_worker_is_one_announced_step)
{
	for (unsigned ms = 1300; ms < 20000; ms += 900) {
		leave_alone(ms, PEAK_MS);
		leave_alone(ms, 0);
	}
}

Test(cbr_restart, another_output_continues_nothing)
{
	struct scene *s = scene_new();
	struct cbr *cbr = begin(s);

	play(s, cbr, PEAK_MS);
	cr_assert_gt(cbr_waiting(cbr), 0u);
	cbr_free(&cbr);
	cbr = cbr_new(KBPS, PACER_BURST_MS);
	cr_expect_eq(cbr_keep(cbr, s->memory, ADDRESS + 1, s->now_ns), 0u);
	cr_expect_eq(cbr_waiting(cbr), 0u);
	cr_expect_eq(cbr_next_ns(cbr), UINT64_MAX);
	cbr_free(&cbr);
	scene_free(s);
}

/* A worker that crashes at what it finds does not leave it to the next one. */
Test(cbr_restart, what_was_found_is_found_once)
{
	struct scene *s = scene_new();
	struct cbr *cbr = begin(s);

	play(s, cbr, PEAK_MS);
	cbr_free(&cbr);
	cbr = begin(s);
	cr_assert_gt(cbr_waiting(cbr), 0u);
	cbr_free(&cbr);
	cbr = begin(s);
	cr_assert_eq(cbr_waiting(cbr), 0u);
	cbr_free(&cbr);
	scene_free(s);
}

/* Workers that die soon do not continue a queue for ever. */
Test(cbr_restart, a_queue_is_continued_three_times)
{
	struct scene *s = scene_new();
	struct cbr *cbr = begin(s);

	play(s, cbr, PEAK_MS);
	for (int i = 0; i < 4; i++) {
		cbr_free(&cbr);
		cbr = begin(s);
		cr_expect_eq(cbr_waiting(cbr) > 0, i < 3, "time %d", i + 1);
		turn(s, cbr);
	}
	cbr_free(&cbr);
	scene_free(s);
}

Test(cbr_restart, survives_damaged_memory, .timeout = 60)
{
	enum { STATE = 60000 }; /* bytes, with most of both states */
	struct scene *s = scene_new();
	uint8_t *bytes = s->memory;
	struct cbr *cbr = begin(s);
	uint8_t *whole;

	play(s, cbr, PERIOD_MS + PEAK_MS);
	cbr_free(&cbr);
	whole = malloc(s->size);
	memcpy(whole, bytes, s->size);
	srand(7);
	for (unsigned round = 0; round < 3000; round++) {
		unsigned n = 1 + (unsigned)rand() % 8;

		memcpy(bytes, whole, STATE);
		for (unsigned i = 0; i < n; i++)
			bytes[rand() % (i % 2 ? 1000 : STATE)] ^=
				(uint8_t)(1 << rand() % 8);
		s->n = 0;
		cbr = begin(s);
		play(s, cbr, 100);
		cbr_free(&cbr);
		s->now_ns -= 100 * MS;
	}
	free(whole);
	scene_free(s);
}
