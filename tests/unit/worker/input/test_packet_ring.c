/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/packet_ring.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX = 5000, STEPS = 20000 };

struct bench {
	struct packet_ring ring;
	uint32_t pushed, taken; /* packets, which are numbered */
};

static uint32_t number_of(const uint8_t *packet)
{
	uint32_t n;

	memcpy(&n, packet + 4, sizeof n);
	return n;
}

static void push(struct bench *b, size_t n)
{
	static uint8_t packets[MAX * TS_PACKET];
	struct ts_run run = { .data = packets, .n = n };

	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = b->pushed + i;

		memset(packets + i * TS_PACKET, (int)number, TS_PACKET);
		memcpy(packets + i * TS_PACKET + 4, &number, sizeof number);
	}
	while (run.n > 0) {
		struct ts_run copy = packet_ring_push(&b->ring, run);

		cr_assert_geq(copy.n, 1);
		cr_assert_arr_eq(copy.data, run.data, copy.n * TS_PACKET);
		run.data += copy.n * TS_PACKET;
		run.n -= copy.n;
	}
	b->pushed += (uint32_t)n;
}

/* In its order, whole, and until the next push. */
static void take(struct bench *b, size_t n)
{
	while (n > 0) {
		struct ts_run run = packet_ring_run(&b->ring, n);

		cr_assert(run.n >= 1 && run.n <= n);
		packet_ring_drop(&b->ring, run.n);
		for (size_t i = 0; i < run.n; i++) {
			const uint8_t *packet = run.data + i * TS_PACKET;

			cr_assert_eq(number_of(packet), b->taken);
			cr_assert_eq(packet[TS_PACKET - 1],
				     (uint8_t)b->taken);
			b->taken++;
		}
		n -= run.n;
	}
}

static size_t pages_there(const struct bench *b)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), there = 0;
	size_t n = (MAX * TS_PACKET + page - 1) / page;
	unsigned char *vec = calloc(n, 1);

	cr_assert_eq(mincore(b->ring.memory, MAX * TS_PACKET, vec), 0);
	for (size_t i = 0; i < n; i++)
		there += vec[i] & 1;
	free(vec);
	return there * page;
}

Test(packet_ring, returns_packets_in_order)
{
	struct bench b = { 0 };

	srand(4711);
	packet_ring_init(&b.ring, MAX);
	for (int i = 0; i < STEPS; i++) {
		/* long queues and short ones, each for a while */
		size_t most = i / 500 % 3 == 0 ? MAX : 300;
		size_t room = MAX - b.ring.len;
		size_t n = (size_t)rand() % 200;

		if (b.ring.len < most)
			push(&b, MIN(n, room));
		n = (size_t)rand() % (most == MAX ? 150 : 400);
		take(&b, MIN(n, b.ring.len));
		if (b.ring.len > 0) {
			n = (size_t)rand() % b.ring.len;
			cr_assert_eq(number_of(packet_ring_at(&b.ring, n)),
				     b.taken + n);
		}
		if (i % 100 == 0)
			packet_ring_trim(&b.ring);
	}
	take(&b, b.ring.len);
	cr_assert_eq(b.taken, b.pushed);
	cr_assert_gt(b.pushed, STEPS * 50);
	packet_ring_done(&b.ring);
}

Test(packet_ring, holds_its_maximum)
{
	struct bench b = { 0 };

	packet_ring_init(&b.ring, MAX);
	push(&b, 100);
	take(&b, 77);
	push(&b, MAX - 23);
	cr_assert_eq(b.ring.len, MAX);
	take(&b, MAX);
	packet_ring_done(&b.ring);
}

/* No copy of it exists elsewhere, and it returns to its place. */
Test(packet_ring, needs_little_more_memory_than_the_waiting_packets)
{
	enum { WAIT = 1000, TURN = 100 };
	struct bench b = { 0 };
	size_t bytes = (WAIT + TURN) * TS_PACKET;

	packet_ring_init(&b.ring, MAX);
	push(&b, WAIT);
	for (int i = 0; i < 500; i++) {
		push(&b, TURN);
		take(&b, TURN);
	}
	cr_assert_leq(pages_there(&b), bytes + bytes / 4);

	take(&b, WAIT);
	packet_ring_trim(&b.ring);
	cr_assert_leq(pages_there(&b), 32 * 1024);
	packet_ring_done(&b.ring);
}
