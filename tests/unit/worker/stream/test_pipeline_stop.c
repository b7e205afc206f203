/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the end of the path leaves to the next one. */
#include "tests/unit/worker/stream/rig.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/shared.h"
#include "common/base/units.h"
#include "proto/ipc/contract.h"
#include "worker/output/output.h"
#include "worker/stream/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	SEVEN = 7 * TS_PACKET,
	STEADY = 7 * 200,
	BURST = 7 * 110,
	ALL = STEADY + BURST,
	PID = 0x100, /* of rig_make_packets() */
};

/* The next path takes what the memory has room for. */
Test(pipeline_stop, a_long_queue_is_sent_before_the_end)
{
	uint8_t *data = xcalloc(ALL, TS_PACKET);
	struct rig r;

	rig_init(&r);
	rig_make_packets(data, 0, ALL);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	for (size_t at = 0; at < ALL; at += 7) {
		rig_send(&r, data + at * TS_PACKET, SEVEN);
		if (at < STEADY)
			rig_turn(&r, 1);
	}
	/* the path has read the burst in one wake-up, and sent a part */
	rig_await(&r, 0, (STEADY + 7) * TS_PACKET);
	pipeline_free(&r.pipeline);
	rig_await(&r, 0, (ALL - STREAM_WAITING_MAX) * TS_PACKET);
	for (size_t at = 0; at < r.out[0].len; at++)
		cr_assert_eq(r.out[0].data[at], data[at], "%zu", at);
	rig_done(&r);
	free(data);
}

static const struct stream_memory *watched;
static unsigned n_watched; /* calls while packets waited */

static size_t number_of(const uint8_t *packet)
{
	size_t number;

	memcpy(&number, packet + 4, sizeof number);
	return number;
}

void __real_output_send(struct output *, const struct ts_run *, size_t,
			uint64_t);
void __wrap_output_send(struct output *, const struct ts_run *, size_t,
			uint64_t);

/* If the worker is killed here, the next one continues behind these packets. */
void __wrap_output_send(struct output *o, const struct ts_run *runs, size_t n,
			uint64_t now_ns)
{
	uint32_t late_ms;

	if (watched != NULL && n > 0 && runs[n - 1].n > 0) {
		const struct ts_run *last = &runs[n - 1];
		struct ts_run waiting =
			stream_memory_waiting(watched, now_ns, &late_ms);

		if (waiting.n > 0) {
			cr_assert_eq(number_of(waiting.data),
				     number_of(last->data +
					       (last->n - 1) * TS_PACKET) + 1);
			n_watched++;
		}
	}
	__real_output_send(o, runs, n, now_ns);
}

/* A worker may be killed while it sends. */
Test(pipeline_stop, packets_that_are_sent_do_not_wait)
{
	uint8_t *data = xcalloc(ALL, TS_PACKET);
	struct stream_memory *m;
	struct rig r;
	int err;

	rig_init(&r);
	r.memory = shared_create("test", STREAM_MEMORY_SIZE);
	m = stream_memory_open(r.memory, mono_ns(), &err);
	cr_assert_eq(err, 0);
	rig_make_packets(data, 0, ALL);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, "udp://127.0.0.1:5000", "udp://127.0.0.1:6000", NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	watched = m;
	for (size_t at = 0; at < ALL; at += 7) {
		rig_send(&r, data + at * TS_PACKET, SEVEN);
		if (at < STEADY)
			rig_turn(&r, 1);
	}
	rig_await(&r, 0, ALL * TS_PACKET);
	cr_assert_gt(n_watched, 3);
	watched = NULL;
	rig_done(&r);
	stream_memory_close(&m);
	fd_close(&r.memory);
	free(data);
}

/* A queue of its own, which nobody takes.  Its counters are in the memory. */
Test(pipeline_stop, the_queue_of_an_output_is_sent_before_the_end)
{
	uint8_t *data = xcalloc(ALL, TS_PACKET);
	struct rig r;

	rig_init(&r);
	rig_make_packets(data, 0, ALL);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	r.out[0].header = 12; /* RTP */
	rig_start(&r, "udp://127.0.0.1:5000", "rtp://127.0.0.1:6000#burst=5",
		  NULL);
	rig_aim(&r, "127.0.0.1", 5000);
	for (size_t at = 0; at < ALL; at += 7) {
		rig_send(&r, data + at * TS_PACKET, SEVEN);
		if (at < STEADY)
			rig_turn(&r, 1);
	}
	rig_await(&r, 0, (STEADY + 7) * TS_PACKET);
	cr_assert_lt(r.out[0].len, (size_t)ALL * TS_PACKET);
	pipeline_free(&r.pipeline);
	rig_await(&r, 0, ALL * TS_PACKET);
	for (size_t at = 0; at < r.out[0].len; at++)
		cr_assert_eq(r.out[0].data[at], data[at], "%zu", at);
	rig_done(&r);
	free(data);
}

/* Another path ended before, so long ago, and seven packets of a component
 * waited. */
static struct stream_memory *leave_queue(struct rig *r, uint8_t *data,
					 uint64_t before_ns)
{
	struct stream_memory *m;
	int err;

	r->memory = shared_create("test", STREAM_MEMORY_SIZE);
	m = stream_memory_open(r->memory, mono_ns(), &err);
	cr_assert_eq(err, 0);
	m->components.bits[PID / 8] = 1u << PID % 8;
	rig_make_packets(data, 0, 7);
	stream_memory_set_waiting(m, (struct ts_run){ data, 7 },
				  mono_ns() - before_ns);
	return m;
}

static void end(struct rig *r, struct stream_memory *m)
{
	rig_done(r);
	stream_memory_close(&m);
	fd_close(&r->memory);
}

/* Without new packets, by a fast or a late successor. */
Test(pipeline_stop, the_next_path_sends_the_queue_scrambled)
{
	static const uint64_t before_ns[] = { 0, 10 * SECOND_NS };

	for (size_t i = 0; i < ARRAY_LEN(before_ns); i++) {
		struct stream_memory *m;
		uint8_t data[SEVEN];
		struct rig r;

		rig_init(&r);
		m = leave_queue(&r, data, before_ns[i]);
		rig_listen(&r, 0, "127.0.0.1", 6000);
		rig_start(&r, "udp://127.0.0.1:5000",
			  "udp://127.0.0.1:6000#biss=123456ABCDEF", NULL);
		cr_expect_eq(m->n_waiting, 0U);
		rig_await(&r, 0, SEVEN);
		for (size_t at = 0; at < SEVEN; at += TS_PACKET) {
			const uint8_t *p = r.out[0].data + at;

			cr_expect_eq(ts_pid(p), PID);
			cr_expect_neq(ts_scrambling(p), 0);
			cr_expect_eq(ts_cc(p), ts_cc(data + at));
		}
		end(&r, m);
	}
}

/* An output that is added much later does not send it. */
Test(pipeline_stop, a_queue_without_an_output_ends_with_the_next_path)
{
	uint8_t data[SEVEN];
	struct stream_memory *m;
	struct rig r;

	rig_init(&r);
	m = leave_queue(&r, data, 0);
	rig_start(&r, "udp://127.0.0.1:5000", NULL, NULL);
	cr_expect_eq(m->n_waiting, 0U);
	end(&r, m);
}
