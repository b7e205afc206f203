/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "tests/unit/worker/stream/rig.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/util.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* 40 packets every 10 ms: 6.016 Mbit/s; half a second of it */
	PER_PCR = 40,
	PCR_MS = 10,
	PACKETS = 50 * PER_PCR,
	PACKETS_PER_S = 4000,
};

static void put_pcr(uint8_t *p, uint64_t ms)
{
	uint64_t base = 90 * ms;

	p[3] = (uint8_t)(0x30 | (p[3] & 0x0f));
	p[4] = 7;
	p[5] = 0x10;
	p[6] = (uint8_t)(base >> 25);
	p[7] = (uint8_t)(base >> 17);
	p[8] = (uint8_t)(base >> 9);
	p[9] = (uint8_t)(base >> 1);
	p[10] = (uint8_t)((base & 1) << 7 | 0x7e);
	p[11] = 0;
}

static uint8_t *make_stream(void)
{
	uint8_t *data = xcalloc(PACKETS, TS_PACKET);

	rig_make_packets(data, 0, PACKETS);
	for (size_t i = 0; i < PACKETS; i += PER_PCR)
		put_pcr(data + i * TS_PACKET, i / PER_PCR * PCR_MS + 70000);
	return data;
}

struct clip {
	char path[64];
	char address[96];
};

/* A file of packets `stride` bytes apart behind `junk` bytes. */
static void make_clip(struct clip *c, const uint8_t *data, size_t stride,
		      size_t junk)
{
	uint8_t tail[204];
	int fd;

	(void)snprintf(c->path, sizeof c->path, "/tmp/clip.XXXXXX");
	fd = mkstemp(c->path);
	cr_assert_geq(fd, 0);
	(void)snprintf(c->address, sizeof c->address, "file://%s#loop",
		       c->path);
	memset(tail, 0x33, sizeof tail);
	for (size_t i = 0; i < junk; i++)
		cr_assert_eq(write(fd, tail, 1), 1);
	for (size_t i = 0; i < PACKETS; i++) {
		cr_assert_eq(write(fd, data + i * TS_PACKET, TS_PACKET),
			     TS_PACKET);
		cr_assert_eq(write(fd, tail, stride - TS_PACKET),
			     (ssize_t)(stride - TS_PACKET));
	}
	(void)close(fd);
}

/* Every byte of the file, repeatedly; only the clock continues. */
static void assert_looped(const struct rig_capture *c, const uint8_t *data)
{
	uint8_t expect[TS_PACKET];

	for (size_t i = 0; i < c->len / TS_PACKET; i++) {
		size_t in_file = i % PACKETS;

		memcpy(expect, data + in_file * TS_PACKET, TS_PACKET);
		if (in_file % PER_PCR == 0)
			put_pcr(expect, i / PER_PCR * PCR_MS + 70000);
		cr_assert_arr_eq(c->data + i * TS_PACKET, expect, TS_PACKET,
				 "packet %zu", i);
	}
}

/* Plays more than three laps; were they in time?  The machine may stop for a
 * while, and the path and its receiver are one thread: packets that are late by
 * at most that were in time.  No packet is ever early. */
static bool play_loop(const uint8_t *data, size_t stride, size_t junk)
{
	struct rig r;
	struct clip clip;

	rig_init(&r);
	make_clip(&clip, data, stride, junk);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, clip.address, "udp://127.0.0.1:6000", NULL);
	rig_await(&r, 0, TS_PACKET);
	(void)unlink(clip.path);

	uint64_t began = mono_ns();
	size_t before = r.out[0].len;

	rig_await(&r, 0, 7000 * TS_PACKET);

	double s = (double)(mono_ns() - began) / 1e9;
	double stood = (double)r.stood_ns / 1e9;
	double packets = (double)(r.out[0].len - before) / TS_PACKET;
	double ahead = packets / PACKETS_PER_S - s;
	/* no datagram of the seam is late or early */
	bool timely = r.out[0].gap_ns < 100 * MS + r.stood_ns && ahead < 0.06 &&
		      ahead > -0.06 - stood;

	assert_looped(&r.out[0], data);
	cr_assert_eq(r.sum.sync_losses, 0);
	rig_done(&r);
	return timely;
}

/* The thread that reads may be delayed, too: one try of three is in time. */
static void check_loop(size_t stride, size_t junk)
{
	uint8_t *data = make_stream();
	bool timely = false;

	for (int i = 0; i < 3 && !timely; i++)
		timely = play_loop(data, stride, junk);
	cr_assert(timely, "three times late or early");
	free(data);
}

Test(pipeline_file, loops_in_real_time_without_a_seam)
{
	check_loop(188, 0);
}

Test(pipeline_file, packets_of_204_bytes_behind_junk)
{
	check_loop(204, 77);
}

Test(pipeline_file, packets_of_192_bytes)
{
	check_loop(192, 0);
}

/* The thread that reads reports it when it gets there. */
static void await_trouble(struct rig *r)
{
	do
		rig_await_status(r, 1);
	while (r->input_error[0] == '\0');
}

Test(pipeline_file, ends_when_it_is_not_to_be_looped)
{
	struct rig r;
	struct clip clip;
	uint8_t *data = make_stream();

	rig_init(&r);
	make_clip(&clip, data, 188, 0);
	*strchr(clip.address, '#') = '\0';
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, clip.address, "udp://127.0.0.1:6000", NULL);
	rig_await(&r, 0, PACKETS * TS_PACKET);
	await_trouble(&r);
	rig_await_status(&r, 1);
	cr_assert_eq(r.out[0].len, PACKETS * TS_PACKET);
	assert_looped(&r.out[0], data);
	cr_assert_not(r.status.inputs[0].open);
	cr_assert_str_eq(r.input_error, "end of file");
	(void)unlink(clip.path);
	rig_done(&r);
	free(data);
}

Test(pipeline_file, is_tried_again_until_it_is_there)
{
	struct rig r;
	struct clip clip;
	uint8_t *data = make_stream();
	char address[128], path[80], expect[160];

	rig_init(&r);
	make_clip(&clip, data, 188, 0);
	(void)snprintf(path, sizeof path, "%s.later", clip.path);
	(void)snprintf(address, sizeof address, "file://%s#loop", path);
	(void)snprintf(expect, sizeof expect, "%s: No such file or directory",
		       path);
	rig_listen(&r, 0, "127.0.0.1", 6000);
	rig_start(&r, address, "udp://127.0.0.1:6000", NULL);
	await_trouble(&r);
	/* nor is it while it is tried once more */
	for (unsigned i = 0; i < 2; i++) {
		cr_assert_not(r.status.inputs[0].open);
		cr_assert_str_eq(r.input_error, expect);
		rig_await_status(&r, 1);
	}

	cr_assert_eq(rename(clip.path, path), 0);
	rig_await(&r, 0, 100 * TS_PACKET);
	rig_await_status(&r, 1);
	cr_assert(r.status.inputs[0].open);
	/* but for what it lacks, to be told in time */
	cr_assert_str_neq(r.input_error, expect);
	assert_looped(&r.out[0], data);
	(void)unlink(path);
	rig_done(&r);
	free(data);
}

Test(pipeline_file, without_a_stream_in_it_is_an_error_and_no_spinning)
{
	struct rig r;
	char path[] = "/tmp/clip.XXXXXX", address[64];
	uint8_t zero[5000] = { 0 };
	int fd;

	rig_init(&r);
	fd = mkstemp(path);
	(void)snprintf(address, sizeof address, "file://%s#loop", path);
	cr_assert_eq(write(fd, zero, sizeof zero), (ssize_t)sizeof zero);
	rig_start(&r, address, NULL, NULL);
	await_trouble(&r);
	cr_assert_not(r.status.inputs[0].open);
	cr_assert_not_null(strstr(r.input_error, "no transport stream"));
	(void)close(fd);
	(void)unlink(path);
	rig_done(&r);
}

/* Neither of these has an end: the one is too long, the other is looped. */
Test(pipeline_file, a_file_that_is_no_stream_is_given_up)
{
	static const char *const options[] = { "", "#list&loop" };
	char path[] = "/tmp/clip.XXXXXX", list[] = "/tmp/list.XXXXXX";
	int fd = -1, list_fd = -1;

	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		struct rig r;
		char address[64];

		rig_init(&r);
		if (i == 0) {
			fd = mkstemp(path);
			list_fd = mkstemp(list);
			cr_assert_eq(ftruncate(fd, (off_t)1 << 40), 0);
		}
		(void)snprintf(address, sizeof address, "file://%s%s",
			       i == 0 ? path : list, options[i]);
		rig_start(&r, address, NULL, NULL);
		while (strstr(r.input_error, "no transport stream") == NULL)
			rig_await_status(&r, 1);
		rig_done(&r);
		/* a short one for the list */
		cr_assert_eq(ftruncate(fd, 300), 0);
		cr_assert_eq(dprintf(list_fd, "%s\n", path),
			     (int)strlen(path) + 1);
	}
	(void)close(fd);
	(void)close(list_fd);
	(void)unlink(path);
	(void)unlink(list);
}
