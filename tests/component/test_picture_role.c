/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real worker in the role `picture`: rings of real streams and of hostile
 * ones. */
#include "common/base/fd.h"
#include "common/base/ring.h"
#include "common/base/shared.h"
#include "tests/component/rig.h"
#include "tests/component/worker_rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAMPLE_MAX = 64 * 1024, ROUNDS = 40 };

struct bench {
	struct worker_rig rig;
	int ring, memory;
	uint32_t seq;
	struct msg_picture_result result;
	char error[256];
	uint8_t sample[SAMPLE_MAX];
	size_t n; /* packets */
};

static void hear(const struct msg *m, void *arg)
{
	struct bench *b = arg;

	if (m->type != MSG_PICTURE_RESULT)
		return;
	cr_assert_eq(m->seq, b->seq);
	b->result = m->picture_result;
	(void)snprintf(b->error, sizeof b->error, "%s",
		       m->picture_result.error);
}

static void setup(struct bench *b)
{
	*b = (struct bench){ .memory = shared_create("picture",
						     PICTURE_SIZE_MAX) };
	b->ring = ring_create(RING_SIZE_DEFAULT, RING_SIZE_DEFAULT);
	cr_assert(b->memory >= 0 && b->ring >= 0);
	worker_rig_init(&b->rig, "sluice-worker-picture", "picture", hear, b);
	RIG_UNTIL(&b->rig, b->rig.n[MSG_WORKER_READY] == 1);
}

static void teardown(struct bench *b)
{
	int status = worker_rig_done(&b->rig);

	fd_close(&b->ring);
	fd_close(&b->memory);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x",
		  (unsigned)status);
}

static void load(struct bench *b, const char *name)
{
	char path[4096];
	ssize_t len;
	int fd;

	(void)snprintf(path, sizeof path, "tests/fuzz/corpus/picture/%s",
		       name);
	fd = open(rig_source(path), O_RDONLY | O_CLOEXEC);
	cr_assert_geq(fd, 0, "%s", rig_source(path));
	len = read(fd, b->sample, sizeof b->sample);
	cr_assert_gt(len, 0);
	(void)close(fd);
	b->n = (size_t)len / RING_PACKET;
}

/* Appends the sample behind a point to join at. */
static void write_sample(struct bench *b)
{
	int err;
	struct ring_writer *w = ring_writer_new(b->ring, &err);
	size_t done = 0;

	cr_assert_not_null(w);
	ring_mark(w, &(struct ring_rap){ .pos = ring_writer_pos(w) });
	while (done < b->n) {
		size_t n = b->n - done;
		uint8_t *room = ring_room(w, &n);

		n = MIN(n, b->n - done);
		memcpy(room, b->sample + done * RING_PACKET, n * RING_PACKET);
		ring_commit(w, n);
		done += n;
	}
	ring_publish(w);
	ring_writer_free(&w);
}

static void make(struct bench *b)
{
	const struct msg m = { .type = MSG_PICTURE_MAKE, .seq = ++b->seq,
			       .picture_make = { 320 } };
	unsigned before = b->rig.n[MSG_PICTURE_RESULT];
	int ring = fd_reopen_readonly(b->ring), fds[] = { ring, b->memory };

	cr_assert_eq(channel_send(b->rig.channel, &m, fds, 2), 0);
	RIG_UNTIL(&b->rig, b->rig.n[MSG_PICTURE_RESULT] > before);
	fd_close(&ring);
}

Test(picture_role, a_key_frame_of_each_codec_becomes_a_jpeg)
{
	static const char *const names[] = { "h264", "hevc", "mpeg2" };
	static struct bench b;
	uint8_t jpeg[2];

	setup(&b);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		load(&b, names[i]);
		write_sample(&b);
		make(&b);
		cr_assert_gt(b.result.len, 100, "%s: %s", names[i], b.error);
		cr_expect_eq(pread(b.memory, jpeg, 2, 0), 2);
		cr_expect(jpeg[0] == 0xff && jpeg[1] == 0xd8);
	}
	teardown(&b);
}

Test(picture_role, an_empty_ring_has_no_picture_yet)
{
	static struct bench b;

	setup(&b);
	make(&b);
	cr_expect_eq(b.result.len, 0);
	cr_expect_not(b.result.absent);
	cr_expect_str_eq(b.error, "no picture has arrived yet");
	teardown(&b);
}

/* Numbers that differ in each round, and are the same in each run. */
static unsigned next(unsigned *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 16;
}

Test(picture_role, hostile_bytes_end_in_an_error_or_a_picture)
{
	static const char *const names[] = { "h264", "hevc", "mpeg2" };
	static struct bench b;
	unsigned state = 1;

	setup(&b);
	for (unsigned round = 0; round < ROUNDS; round++) {
		load(&b, names[round % ARRAY_LEN(names)]);
		/* behind the tables, so that the bytes reach the decoder */
		for (unsigned i = 0; i < 1 + round * 4; i++) {
			size_t at = 3 * RING_PACKET + next(&state) %
				    ((b.n - 3) * RING_PACKET);

			if (at % RING_PACKET >= 4)
				b.sample[at] = (uint8_t)next(&state);
		}
		write_sample(&b);
		make(&b);
		cr_expect(b.result.len > 0 || b.error[0] != '\0');
	}
	/* and nothing but noise */
	for (size_t i = 0; i < b.n * RING_PACKET; i++)
		b.sample[i] = (uint8_t)next(&state);
	write_sample(&b);
	make(&b);
	cr_expect_eq(b.result.len, 0);
	/* the process still works */
	load(&b, "h264");
	write_sample(&b);
	make(&b);
	cr_expect_gt(b.result.len, 0, "%s", b.error);
	teardown(&b);
}

Test(picture_role, a_damaged_ring_is_an_error)
{
	static struct bench b;
	uint8_t noise[4096];

	setup(&b);
	load(&b, "h264");
	write_sample(&b);
	memset(noise, 0xee, sizeof noise);
	cr_assert_eq(pwrite(b.ring, noise, sizeof noise, 0),
		     (ssize_t)sizeof noise);
	make(&b);
	cr_expect_eq(b.result.len, 0);
	cr_expect_neq(b.error[0], '\0');
	teardown(&b);
}
