/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A path of HLS whose segments and parts a test makes. */
#pragma once

#include "tests/unit/worker/deliver/rig.h"

#include "common/base/fd.h"
#include "common/base/ring_segment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define HEAD(path) "HEAD " path " HTTP/1.1\r\nHost: x\r\n\r\n"

enum { PACKETS = 1000, FIRST = 5000 };

static const struct msg_deliver_mount news = {
	.address = RIG_ADDRESS, .path = "/news.m3u8", .stream = "a001",
	.hls = 4
};

struct scene {
	struct rig rig;
	struct ring_segment open;
	bool begun;
};

static inline void scene_init(struct scene *s)
{
	*s = (struct scene){ .open = { .number = FIRST, .base = FIRST,
				       .wall_ms = 1000000,
				       .independent = true } };
	rig_init(&s->rig, 16 << 20);
	rig_mount(&s->rig, &news);
}

/* The next segment begins here. */
static inline void cut(struct scene *s)
{
	struct ring_segment done = s->open;

	done.end = s->open.pos = ring_writer_pos(s->rig.writer);
	done.duration_ms = 3000;
	s->open.number += s->begun;
	ring_segment_cut(s->rig.writer, s->begun ? &done : NULL, &s->open);
	s->begun = true;
}

static inline void add_segments(struct scene *s, unsigned n)
{
	if (!s->begun)
		cut(s);
	while (n-- > 0) {
		rig_write(&s->rig, PACKETS);
		cut(s);
	}
}

static inline unsigned read_head(struct scene *s, int fd, size_t *ret_len)
{
	char head[1024];
	const char *len;
	unsigned status = 0;

	rig_read_head(&s->rig, fd, head, sizeof head);
	cr_assert_eq(sscanf(head, "HTTP/1.1 %u ", &status), 1, "%s", head);
	len = strstr(head, "\r\nContent-Length: ");
	cr_assert_not_null(len, "%s", head);
	*ret_len = strtoul(len + strlen("\r\nContent-Length: "), NULL, 10);
	return status;
}

static inline void say(int fd, const char *text)
{
	cr_assert_eq(send(fd, text, strlen(text), 0), (ssize_t)strlen(text));
}

static inline void expect_playlist(struct scene *s, int fd, unsigned first,
				   unsigned n)
{
	char text[4096], line[64];
	const char *at;
	size_t len;

	cr_assert_eq(read_head(s, fd, &len), 200);
	cr_assert_lt(len, sizeof text);
	rig_read(&s->rig, fd, text, len);
	text[len] = '\0';
	(void)snprintf(line, sizeof line, "#EXT-X-MEDIA-SEQUENCE:%u\n", first);
	cr_assert_not_null(strstr(text, line), "%s", text);
	at = text;
	for (unsigned i = 0; i < n; i++) {
		(void)snprintf(line, sizeof line, "\nnews/%u.ts\n", first + i);
		at = strstr(at, line);
		cr_assert_not_null(at, "%s", text);
	}
	cr_assert_eq(strlen(at), strlen(line), "%s", text);
}

static inline void expect_segment(struct scene *s, int fd, unsigned index)
{
	uint64_t pos = (uint64_t)index * PACKETS * RING_PACKET;
	size_t len;

	cr_assert_eq(read_head(s, fd, &len), 200);
	cr_assert_eq(len, PACKETS * RING_PACKET);
	rig_read_packets(&s->rig, fd, &pos, PACKETS);
}

static inline void expect_error(struct scene *s, int fd, unsigned status)
{
	char body[64];
	size_t len;

	cr_assert_eq(read_head(s, fd, &len), status);
	cr_assert_lt(len, sizeof body);
	rig_read(&s->rig, fd, body, len);
}

static inline bool has_answer(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

static inline void add_part(struct scene *s, unsigned index)
{
	uint64_t pos = ring_writer_pos(s->rig.writer);

	rig_write(&s->rig, PACKETS / 4);
	ring_part_target(s->rig.writer, 500);
	ring_part_add(s->rig.writer, &(struct ring_part){
		.number = s->open.number, .index = index, .pos = pos,
		.end = ring_writer_pos(s->rig.writer), .duration_ms = 500,
		.independent = index == 0 });
}

static inline void expect_part(struct scene *s, int fd, uint64_t pos)
{
	size_t len;

	pos *= RING_PACKET;
	cr_assert_eq(read_head(s, fd, &len), 200);
	cr_assert_eq(len, PACKETS / 4 * RING_PACKET);
	rig_read_packets(&s->rig, fd, &pos, PACKETS / 4);
}
