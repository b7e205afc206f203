/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/merge/ts_queue.h"

#include <criterion/criterion.h>
#include <string.h>

enum { N = 8000 };

static const uint8_t *packet_of(size_t i)
{
	static uint8_t packet[TS_PACKET];

	packet[0] = TS_SYNC_BYTE;
	memcpy(packet + 4, &i, sizeof i);
	return packet;
}

/* Each waiting packet is found in its place, a popped one is not. */
Test(ts_queue, finds_packets_without_a_search)
{
	struct ts_queue q = { 0 };
	size_t gone = 0;

	for (size_t n = 0; n < N; n++) {
		cr_assert(ts_queue_push(&q, packet_of(n), n, N));
		cr_assert_eq(
			ts_queue_find(&q, q.n - 1, ts_queue_hash(&q, q.n - 1)),
			q.n - 1);
		for (; n % 3 == 0 && q.n > n / 8; gone++)
			ts_queue_pop(&q);
	}
	cr_assert_gt(gone, 0);
	cr_assert_eq(ts_queue_find(&q, 0, 1), q.n);
	while (q.n > 0)
		ts_queue_pop(&q);
	cr_assert(q.counts->kept);
	for (size_t i = 0; i < q.places * TS_QUEUE_SPREAD; i++)
		cr_assert_eq(q.counts->waits[i], 0);
	ts_queue_done(&q);
}

/* Searches that hit the first packet need no counts; all results are right. */
Test(ts_queue, keeps_counts_only_while_they_are_used)
{
	struct ts_queue q = { 0 };

	for (size_t n = 0; n < N; n++) {
		uint64_t hash;

		cr_assert(ts_queue_push(&q, packet_of(n), n, N));
		if (q.n < 300)
			continue;
		hash = ts_queue_hash(&q, 250);
		if (n % 2000 == 1000) {
			cr_assert_not(q.counts->kept, "at %zu", n);
			cr_assert_eq(ts_queue_find(&q, 0, hash), 250);
			cr_assert(q.counts->kept);
		} else if (n % 2000 == 1100) {
			cr_assert(q.counts->kept);
			cr_assert(ts_queue_is_single(&q, hash));
			cr_assert_eq(ts_queue_find(&q, 1, hash), 250);
			cr_assert_eq(ts_queue_find(&q, 251, hash), q.n);
		}
		cr_assert_eq(ts_queue_find(&q, 0, ts_queue_hash(&q, 0)), 0);
		ts_queue_pop(&q);
	}
	ts_queue_done(&q);
}

/* With its mark, and with the time of the packet that it precedes. */
Test(ts_queue, moves_a_packet_to_the_front)
{
	static const size_t order[] = { 5, 0, 1, 2, 3, 4, 6, 7 };
	struct ts_queue q = { 0 };

	/* around the end of the ring */
	for (size_t i = 0; i < 508; i++) {
		cr_assert(ts_queue_push(&q, packet_of(i), i, N));
		ts_queue_pop(&q);
	}
	for (size_t i = 0; i < 8; i++) {
		cr_assert(ts_queue_push(&q, packet_of(i), 1000 + 4 * i, N));
		ts_queue_set_mark(&q, i, i & 3);
	}
	ts_queue_bring_first(&q, 5);
	for (size_t i = 0; i < 8; i++) {
		cr_assert_arr_eq(ts_queue_packet(&q, i), packet_of(order[i]),
				 TS_PACKET);
		cr_assert_eq(ts_queue_find(&q, 0, ts_queue_hash(&q, i)), i);
		cr_assert_eq(ts_queue_mark(&q, i), order[i] & 3);
		cr_assert_eq(ts_queue_at_ns(&q, i), 1000 + 4 * i);
	}
	ts_queue_done(&q);
}
