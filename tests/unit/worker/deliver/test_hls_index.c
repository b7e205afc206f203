/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_index.h"

#include "tests/unit/worker/deliver/rig.h"

#include "common/base/ring_segment.h"
#include "common/base/session_number.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

enum { PACKETS = 100, FIRST = 5000, TEXT_MAX = 2048 };

static const struct msg_deliver_limits named = { .session_playlists = true };

static void expect_path(const char *path, const char *stream, uint64_t session)
{
	char text[64];
	uint64_t seen = 0;

	(void)snprintf(text, sizeof text, "%s", path);
	cr_assert_eq(hls_session_path(text, &seen), stream != NULL, "%s", path);
	if (stream == NULL)
		return;
	cr_assert_str_eq(text, stream);
	cr_assert_eq(seen, session);
}

Test(hls_index, the_playlist_of_a_session_is_beside_that_of_its_stream)
{
	expect_path("/play/a/0123456789abcdef.m3u8", "/play/a/index.m3u8",
		    UINT64_C(0x0123456789abcdef));
	expect_path("/play/a/0000000000000000.m3u8", NULL, 0);
	expect_path("/play/a/0123456789ABCDEF.m3u8", NULL, 0);
	expect_path("/play/a/0123456789abcdef0.m3u8", NULL, 0);
	expect_path("/play/a/0123456789abcde.m3u8", NULL, 0);
	expect_path("/play/a/0123456789abcdef.m3u", NULL, 0);
	expect_path("/play/a/0123456789abcdef", NULL, 0);
	expect_path("/live/0123456789abcdef.m3u8", NULL, 0);
	expect_path("", NULL, 0);
}

/* --- on connections --- */

static const struct msg_deliver_mount play = {
	.address = MSG_PLAY_ADDRESS, .path = "/play/a/index.m3u8",
	.stream = "a001", .hls = 4
};

/* A stream of n segments at its play path. */
static void begin(struct rig *r, unsigned n)
{
	struct ring_segment open = { .number = FIRST, .base = FIRST,
				     .wall_ms = 1000000,
				     .independent = true };

	rig_init(r, 16 << 20);
	rig_mount(r, &play);
	deliver_limit(r->deliver, &named);
	for (unsigned i = 0; i <= n; i++) {
		struct ring_segment done = open;

		done.end = open.pos = ring_writer_pos(r->writer);
		done.duration_ms = 3000;
		open.number += i > 0;
		ring_segment_cut(r->writer, i > 0 ? &done : NULL, &open);
		rig_write(r, PACKETS);
	}
}

static void get(struct rig *r, int fd, const char *path, char ret[TEXT_MAX])
{
	char request[256], head[1024];
	const char *len;
	size_t n;

	(void)snprintf(request, sizeof request, GET("%s"), path);
	cr_assert_eq(send(fd, request, strlen(request), 0),
		     (ssize_t)strlen(request));
	rig_read_head(r, fd, head, sizeof head);
	cr_assert_eq(strncmp(head, "HTTP/1.1 200 ", 13), 0, "%s: %s", path,
		     head);
	len = strstr(head, "\r\nContent-Length: ");
	cr_assert_not_null(len, "%s", head);
	n = strtoul(len + strlen("\r\nContent-Length: "), NULL, 10);
	cr_assert_lt(n, TEXT_MAX);
	rig_read(r, fd, ret, n);
	ret[n] = '\0';
}

/* The session that the list of the stream names. */
static uint64_t join_at(struct rig *r, int fd, const char *query,
			unsigned bps)
{
	char path[64], text[TEXT_MAX], wanted[128];
	uint64_t session;
	unsigned rate;
	int end = 0;

	(void)snprintf(path, sizeof path, "%s%s", play.path, query);
	get(r, fd, path, text);
	cr_assert_eq(sscanf(text, "#EXTM3U\n#EXT-X-VERSION:3\n"
			    "#EXT-X-STREAM-INF:BANDWIDTH=%u\n%16" SCNx64 "%n",
			    &rate, &session, &end), 2, "%s", text);
	cr_assert_eq(rate, bps);
	(void)snprintf(wanted, sizeof wanted, ".m3u8%s\n", query);
	cr_assert_str_eq(text + end, wanted);
	return session;
}

static uint64_t join(struct rig *r, int fd, const char *query)
{
	/* of a segment: 100 packets in 3 s */
	return join_at(r, fd, query, PACKETS * 188 * 8 / 3 + 1);
}

static size_t count_sessions(const struct rig *r)
{
	static struct msg_deliver_sessions list;

	deliver_list(r->deliver, 0, &list);
	return list.n;
}

/* Reloads, with no other session. */
static void follow(struct rig *r, int fd, uint64_t session, const char *query)
{
	char path[128], text[TEXT_MAX], uri[128];
	uint64_t pos = 2 * PACKETS * 188;

	(void)snprintf(path, sizeof path, "/play/a/%016" PRIx64 ".m3u8%s",
		       session, query);
	(void)snprintf(uri, sizeof uri, "\n%016" PRIx64 "/%u.ts%s\n", session,
		       FIRST + 2, query);
	get(r, fd, path, text);
	cr_assert_not_null(strstr(text, uri), "%s", text);
	(void)snprintf(path, sizeof path, GET("/play/a/%016" PRIx64 "/%u.ts%s"),
		       session, FIRST + 2, query);
	cr_assert_gt(send(fd, path, strlen(path), 0), 0);
	rig_expect_status(r, fd, 200);
	rig_read_packets(r, fd, &pos, PACKETS);
}

Test(hls_index, players_of_one_address_are_sessions_of_their_own)
{
	uint64_t first, second;
	struct rig r;
	int fd;

	begin(&r, 6);
	fd = rig_connect(&r);
	first = join(&r, fd, "");
	cr_assert_eq(count_sessions(&r), 1u, "the list begins the session");
	second = join(&r, fd, "?token=a");
	cr_assert_neq(first, second);
	for (unsigned i = 0; i < 2; i++) {
		follow(&r, fd, first, "");
		follow(&r, fd, second, "?token=a");
	}
	cr_assert_eq(count_sessions(&r), 2u);
	(void)close(fd);
	rig_done(&r);
}

Test(hls_index, without_the_setting_known_sessions_continue)
{
	char text[TEXT_MAX];
	uint64_t session;
	struct rig r;
	int fd;

	begin(&r, 6);
	fd = rig_connect(&r);
	session = join(&r, fd, "");
	deliver_limit(r.deliver, &(struct msg_deliver_limits){ 0 });
	follow(&r, fd, session, "");
	cr_assert_eq(count_sessions(&r), 1u);
	get(&r, fd, play.path, text);
	cr_assert_not_null(strstr(text, "\nindex/5002.ts\n"), "%s", text);
	(void)close(fd);
	rig_done(&r);
}

static void expect_missing(struct rig *r, const char *path)
{
	char request[128];
	int fd;

	(void)snprintf(request, sizeof request, GET("%s"), path);
	fd = rig_request(r, request);
	rig_expect_status(r, fd, 404);
	(void)close(fd);
}

Test(hls_index, a_client_invents_no_session)
{
	char path[64];
	struct rig r;
	int fd;

	begin(&r, 6);
	deliver_set_policy(r.deliver, &(struct msg_deliver_policy){
		.seed = 77 });
	fd = rig_connect(&r);
	expect_missing(&r, "/play/a/0000000000000001.m3u8");
	expect_missing(&r, "/play/a/0000000000000001/5002.ts");
	cr_assert_eq(count_sessions(&r), 0u);
	follow(&r, fd, session_number_new(77), "");
	cr_assert_eq(count_sessions(&r), 1u);
	deliver_limit(r.deliver, &(struct msg_deliver_limits){ 0 });
	(void)snprintf(path, sizeof path, "/play/a/%016" PRIx64 ".m3u8",
		       session_number_new(77));
	expect_missing(&r, path);
	cr_assert_eq(count_sessions(&r), 1u);
	(void)close(fd);
	rig_done(&r);
}

/* The master playlist names the same rate. */
Test(hls_index, a_few_pictures_have_no_rate_of_their_own)
{
	struct ring_segment few = { .number = FIRST + 6, .base = FIRST,
				    .wall_ms = 1000000, .duration_ms = 40 };
	struct rig r;
	int fd;

	begin(&r, 6);
	few.end = ring_writer_pos(r.writer);
	few.pos = few.end - PACKETS * 188;
	ring_segment_cut(r.writer, &few, &(struct ring_segment){
		.number = FIRST + 7, .base = FIRST, .pos = few.end,
	});
	rig_write(&r, 1);
	fd = rig_connect(&r);
	(void)join_at(&r, fd, "", 2 * PACKETS * 188 * 8 * 100 / 304 + 1);
	(void)close(fd);
	rig_done(&r);
}

Test(hls_index, the_list_waits_for_a_segment)
{
	char text[TEXT_MAX];
	struct rig r;
	int fd;

	begin(&r, 0);
	fd = rig_request(&r, GET("/play/a/index.m3u8"));
	rig_turn(&r, 4 * RIG_TICK_MS);
	cr_assert_eq(recv(fd, text, 1, MSG_PEEK | MSG_DONTWAIT), -1);
	ring_segment_cut(r.writer, &(struct ring_segment){
		.number = FIRST, .base = FIRST, .duration_ms = 3000,
		.end = ring_writer_pos(r.writer),
	}, &(struct ring_segment){
		.number = FIRST + 1, .base = FIRST,
		.pos = ring_writer_pos(r.writer),
	});
	rig_write(&r, 1);
	rig_expect_status(&r, fd, 200);
	(void)close(fd);
	rig_done(&r);
}
