/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/memory.h"

#include "common/base/fd.h"
#include "common/base/shared.h"
#include "proto/ipc/contract.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define NOW UINT64_C(5000000000)

static struct stream_memory *open_memory(int fd)
{
	int err;
	struct stream_memory *m = stream_memory_open(fd, NOW, &err);

	cr_assert_eq(err, 0);
	return m;
}

static size_t waiting(const struct stream_memory *m)
{
	uint32_t late_ms;

	return stream_memory_waiting(m, NOW, &late_ms).n;
}

Test(memory, the_next_worker_finds_the_memory_of_the_last_one)
{
	int fd = shared_create("test", STREAM_MEMORY_SIZE);
	struct stream_memory *m = open_memory(fd);
	uint8_t packets[3 * TS_PACKET];
	struct ts_run run;
	uint32_t late_ms;

	cr_assert_eq(m->splice.packets, 0);
	m->splice.packets = 17;
	m->tables.stamp = 4;
	memset(packets, TS_SYNC_BYTE, sizeof packets);
	stream_memory_set_waiting(m, (struct ts_run){ packets, 3 }, NOW);
	stream_memory_close(&m);
	cr_assert_null(m);

	m = open_memory(fd);
	cr_assert_eq(m->splice.packets, 17);
	cr_assert_eq(m->tables.stamp, 4);
	run = stream_memory_waiting(m, NOW + 1200000000, &late_ms);
	cr_assert_eq(late_ms, 1200);
	cr_assert_eq(run.n, 3);
	cr_assert_arr_eq(run.data, packets, sizeof packets);
	stream_memory_set_waiting(m, (struct ts_run){ 0 }, NOW);
	cr_assert_eq(waiting(m), 0);
	stream_memory_close(&m);
	fd_close(&fd);
}

Test(memory, an_output_keeps_its_sequence_at_another_place)
{
	/* 8: two outputs with one address */
	static const struct {
		uint64_t now[4];
		uint16_t seq[4];
	} cases[] = {
		{ { 7, 8, 9, 8 }, { 70, 81, 90, 82 } },
		{ { 5, 7, 8, 9 }, { 0, 70, 81, 90 } },
		{ { 8, 8, 7, 7 }, { 82, 81, 70, 0 } },
		{ { 9, 8, 7, 5 }, { 90, 81, 70, 0 } },
		{ { 5, 6, 4, 3 }, { 0, 0, 0, 0 } },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stream_memory *m = open_memory(-1);
		const struct rtp_state outputs[] = {
			{ .address = 7, .seq = 70, .ssrc = 7 },
			{ .address = 8, .seq = 81, .ssrc = 8 },
			{ .address = 9, .seq = 90, .ssrc = 9 },
			{ .address = 8, .seq = 82, .ssrc = 8 },
		};

		memcpy(m->outputs, outputs, sizeof outputs);
		stream_memory_arrange(m, -1, cases[i].now, 4);
		for (size_t k = 0; k < 4; k++) {
			const struct rtp_state *r = &m->outputs[k];

			cr_expect_eq(r->address, cases[i].now[k]);
			cr_expect_eq(r->seq, cases[i].seq[k], "%zu, %zu: %u", i,
				     k, r->seq);
			cr_expect_eq(r->ssrc, r->seq > 0 ? r->address : 0);
		}
		stream_memory_close(&m);
	}
}

Test(memory, an_output_keeps_its_queue_at_another_place)
{
	static const struct {
		uint64_t now[4];
		uint16_t queues[4];
	} cases[] = {
		{ { 7, 8, 9, 6 }, { 1, 2, 3, 4 } },
		{ { 9, 7, 8, 6 }, { 3, 1, 2, 4 } },
		{ { 5, 9, 7, 4 }, { 2, 3, 1, 4 } },
		/* those of 10 and 11 are damaged */
		{ { 10, 11, 8, 3 }, { 1, 3, 2, 4 } },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stream_memory *m = open_memory(-1);
		const struct rtp_state outputs[] = {
			{ .address = 7, .queue = 1 },
			{ .address = 8, .queue = 2 },
			{ .address = 9, .queue = 3 },
			{ .address = 10, .queue = MSG_OUTPUTS_MAX + 1 },
			{ .address = 11, .queue = UINT16_MAX },
		};

		memcpy(m->outputs, outputs, sizeof outputs);
		stream_memory_arrange(m, -1, cases[i].now, 4);
		for (size_t k = 0; k < 4; k++)
			cr_expect_eq(m->outputs[k].queue, cases[i].queues[k],
				     "%zu, %zu: %u", i, k,
				     m->outputs[k].queue);
		stream_memory_close(&m);
	}
}

Test(memory, queues_lie_behind_the_state_and_apart)
{
	enum { SIZE = STREAM_MEMORY_QUEUE };
	int fd = shared_create("test", STREAM_MEMORY_SIZE);
	struct stream_memory *m = open_memory(fd);
	const struct rtp_state none = { 0 }, first = { .queue = 1 },
			       last = { .queue = MSG_OUTPUTS_MAX };
	int err;
	uint8_t *one = stream_memory_queue(fd, &first, SIZE, &err);
	uint8_t *two = stream_memory_queue(fd, &last, SIZE, &err);

	m->splice.packets = 17;
	cr_assert_not_null(one);
	cr_assert_not_null(two);
	one[0] = one[SIZE - 1] = two[0] = two[SIZE - 1] = 1;
	cr_assert_null(stream_memory_queue(fd, &none, SIZE, &err));
	cr_assert_eq(err, 0);
	cr_assert_null(stream_memory_queue(fd, &first, SIZE + 1, &err));
	cr_assert_eq(err, -EFBIG);
	cr_assert_null(stream_memory_queue(-1, &first, SIZE, &err));
	cr_assert_eq(err, 0);
	shared_unmap(one, SIZE);
	shared_unmap(two, SIZE);
	/* a stopped stream keeps no packets */
	cr_assert_eq(shared_release(fd, STREAM_MEMORY_LASTING,
				    STREAM_MEMORY_SIZE - STREAM_MEMORY_LASTING),
		     0);
	one = stream_memory_queue(fd, &first, SIZE, &err);
	cr_assert_eq(one[0] + one[SIZE - 1], 0);
	cr_assert_eq(m->splice.packets, 17);
	shared_unmap(one, SIZE);
	stream_memory_close(&m);
	fd_close(&fd);
}

static size_t pages_of(int fd)
{
	struct stat st;

	cr_assert_eq(fstat(fd, &st), 0);
	return (size_t)st.st_blocks * 512 / 4096;
}

Test(memory, edits_of_outputs_leave_no_queues_behind)
{
	enum { EDITS = 100, KEPT = 3000, SIZE = STREAM_MEMORY_QUEUE };
	int fd = shared_create("test", STREAM_MEMORY_SIZE);
	struct stream_memory *m = open_memory(fd);
	size_t empty = 0;
	int err;

	for (uint64_t i = 1; i <= EDITS; i++) {
		const uint64_t now[] = { i, KEPT };
		uint8_t *queue[2];

		stream_memory_arrange(m, fd, now, 2);
		if (i == 1)
			empty = pages_of(fd);
		cr_assert_eq(m->outputs[1].queue, 2);
		for (size_t k = 0; k < 2; k++) {
			queue[k] = stream_memory_queue(fd, &m->outputs[k],
						       SIZE, &err);
			cr_assert_not_null(queue[k]);
		}
		cr_assert_eq(queue[1][0], i > 1 ? 7 : 0);
		/* the packets of the output before are not those of this one */
		cr_assert_eq(pages_of(fd), empty + 1, "%zu", pages_of(fd));
		cr_assert_eq(queue[0][SIZE - 1], 0);
		queue[1][0] = 7;
		queue[0][0] = queue[0][SIZE / 2] = queue[0][SIZE - 1] = 8;
		shared_unmap(queue[0], SIZE);
		shared_unmap(queue[1], SIZE);
	}
	/* without outputs there is no queue */
	stream_memory_arrange(m, fd, NULL, 0);
	cr_assert_eq(pages_of(fd), empty);
	stream_memory_close(&m);
	fd_close(&fd);
}

Test(memory, of_another_layout_is_reset)
{
	for (int i = 0; i < 3; i++) {
		int fd = shared_create("test", STREAM_MEMORY_SIZE);
		struct stream_memory *m = open_memory(fd);

		m->splice.packets = 17;
		m->splice.clocks[3].used = 200;
		m->splice.tracks[5].pid = 60000;
		m->splice.tracks[5].used = 1;
		m->n_waiting = UINT16_MAX;
		if (i == 0)
			m->magic = 0;
		else if (i == 1)
			m->version++;
		else
			m->splice.at_ns = NOW + 1;
		stream_memory_close(&m);
		m = open_memory(fd);
		cr_assert_eq(m->splice.packets, 0, "%d", i);
		cr_assert_eq(m->splice.clocks[3].used, 0);
		cr_assert_eq(m->splice.tracks[5].pid, 0);
		cr_assert_eq(waiting(m), 0);
		stream_memory_close(&m);
		fd_close(&fd);
	}
}

/* 77 ms of 10 Mbit/s, as a source that sends in bursts has them. */
Test(memory, has_room_for_the_queue_of_a_burst)
{
	enum { BURST = 512 };
	static uint8_t packets[BURST * TS_PACKET];
	struct stream_memory *m = open_memory(-1);

	memset(packets, TS_SYNC_BYTE, sizeof packets);
	stream_memory_set_waiting(m, (struct ts_run){ packets, BURST }, NOW);
	cr_assert_eq(waiting(m), (size_t)BURST);
	stream_memory_close(&m);
}

/* Of a longer queue the newest packets are lost, not all. */
Test(memory, keeps_the_oldest_packets_of_a_longer_queue)
{
	static uint8_t packets[(STREAM_WAITING_MAX + 100) * TS_PACKET];
	struct stream_memory *m = open_memory(-1);
	uint32_t late_ms;
	struct ts_run run;

	for (size_t i = 0; i < STREAM_WAITING_MAX + 100; i++)
		memset(packets + i * TS_PACKET, (int)(i % 251), TS_PACKET);
	for (size_t i = 0; i < sizeof packets; i += TS_PACKET)
		packets[i] = TS_SYNC_BYTE;
	stream_memory_set_waiting(m, (struct ts_run){
		packets, STREAM_WAITING_MAX + 100 }, NOW);
	run = stream_memory_waiting(m, NOW, &late_ms);
	cr_assert_eq(run.n, (size_t)STREAM_WAITING_MAX);
	cr_assert_arr_eq(run.data, packets, run.n * TS_PACKET);
	stream_memory_close(&m);
}

Test(memory, waiting_packets_are_checked)
{
	int fd = shared_create("test", STREAM_MEMORY_SIZE);
	struct stream_memory *m = open_memory(fd);

	m->n_waiting = STREAM_WAITING_MAX + 1;
	cr_assert_eq(waiting(m), 0);
	/* no packets */
	m->n_waiting = 2;
	cr_assert_eq(waiting(m), 0);
	stream_memory_close(&m);
	fd_close(&fd);
}

Test(memory, of_a_stopped_stream_has_no_packets_and_no_control_words)
{
	static uint8_t packets[STREAM_WAITING_MAX * TS_PACKET];
	static const struct crypto_memory none;
	int fd = shared_create("test", STREAM_MEMORY_SIZE);
	struct stream_memory *m = open_memory(fd);

	memset(&m->crypto, 7, sizeof m->crypto);
	memset(packets, TS_SYNC_BYTE, sizeof packets);
	m->splice.packets = 17;
	m->eit.list[EIT_VERSIONS_MAX - 1].version = 5;
	stream_memory_set_waiting(m, (struct ts_run){
		packets, STREAM_WAITING_MAX }, NOW);
	stream_memory_close(&m);
	cr_assert_eq(shared_release(fd, STREAM_MEMORY_LASTING,
				    STREAM_MEMORY_SIZE - STREAM_MEMORY_LASTING),
		     0);
	m = open_memory(fd);
	cr_assert_eq(waiting(m), 0);
	cr_assert_arr_eq(&m->crypto, &none, sizeof none);
	cr_assert_eq(m->splice.packets, 17);
	cr_assert_eq(m->eit.list[EIT_VERSIONS_MAX - 1].version, 5);
	stream_memory_close(&m);
	fd_close(&fd);
}

Test(memory, without_any_it_ends_with_the_process)
{
	struct stream_memory *m = open_memory(-1);
	int err, fd = shared_create("test", 100);

	m->splice.packets = 3;
	stream_memory_close(&m);
	m = stream_memory_open(fd, NOW, &err);
	cr_assert_eq(err, -EBADF);
	cr_assert_eq(m->splice.packets, 0);
	stream_memory_close(&m);
	fd_close(&fd);
}
