/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests that wait for a segment, a part or the next ring. */
#include "common/base/ring_header.h"
#include "tests/unit/worker/deliver/hls_rig.h"

Test(hls_wait, a_playlist_waits_for_the_first_segment)
{
	struct scene s;
	int fds[3];

	scene_init(&s);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = rig_request(&s.rig, GET("/news.m3u8"));
	rig_turn(&s.rig, 20);
	/* a client that leaves meanwhile */
	(void)close(fds[2]);
	rig_turn(&s.rig, 20);
	add_segments(&s, 1);
	expect_playlist(&s, fds[0], FIRST, 1);
	expect_playlist(&s, fds[1], FIRST, 1);
	(void)close(fds[0]);
	(void)close(fds[1]);
	rig_done(&s.rig);
}

Test(hls_wait, a_waiting_request_ends_with_its_path)
{
	struct scene s;
	int fd;

	scene_init(&s);
	fd = rig_request(&s.rig, GET("/news.m3u8"));
	rig_turn(&s.rig, 20);
	deliver_unmount(s.rig.deliver, &news);
	expect_error(&s, fd, 404);
	(void)close(fd);
	rig_done(&s.rig);
}

Test(hls_wait, a_waiting_request_waits_for_the_next_ring_of_its_stream)
{
	int fd, ring = ring_create(RING_UNIT, RING_GROWN);
	struct scene s;

	scene_init(&s);
	cr_assert_eq(deliver_mount(s.rig.deliver, &news,
				   fd_reopen_readonly(ring)), 0);
	fd = rig_request(&s.rig, GET("/news.m3u8"));
	rig_turn(&s.rig, 20);
	rig_mount(&s.rig, &news);
	rig_turn(&s.rig, 20);
	cr_assert_not(has_answer(fd));
	add_segments(&s, 1);
	expect_playlist(&s, fd, FIRST, 1);
	(void)close(fd);
	(void)close(ring);
	rig_done(&s.rig);
}

Test(hls_wait, requests_wait_for_the_next_part)
{
	static char text[4096];
	struct scene s;
	size_t len;
	int list, part;

	scene_init(&s);
	add_segments(&s, 2);
	add_part(&s, 0);
	/* the open segment is 5002 */
	part = rig_request(&s.rig, GET("/news/5002.0.ts"));
	expect_part(&s, part, 2 * PACKETS);
	say(part, GET("/news/5002.1.ts"));
	list = rig_request(&s.rig,
			   GET("/news.m3u8?_HLS_msn=5002&_HLS_part=1"));
	rig_turn(&s.rig, 20);
	cr_assert_not(has_answer(part) || has_answer(list));
	add_part(&s, 1);
	expect_part(&s, part, 2 * PACKETS + PACKETS / 4);
	cr_assert_eq(read_head(&s, list, &len), 200);
	cr_assert_lt(len, sizeof text);
	rig_read(&s.rig, list, text, len);
	cr_assert_not_null(strstr(text, "URI=\"news/5002.1.ts\""), "%s",
			   text);
	cr_assert_not_null(strstr(text, "HINT:TYPE=PART,"
				  "URI=\"news/5002.2.ts\""), "%s", text);

	/* a whole segment */
	say(list, GET("/news.m3u8?_HLS_msn=5002"));
	rig_turn(&s.rig, 20);
	cr_assert_not(has_answer(list));
	cut(&s);
	cr_assert_eq(read_head(&s, list, &len), 200);
	rig_read(&s.rig, list, text, len);
	/* neither a part that is no next one, nor a far segment */
	say(part, GET("/news/5009.0.ts"));
	expect_error(&s, part, 404);
	say(list, GET("/news.m3u8?_HLS_msn=5009"));
	expect_error(&s, list, 400);
	(void)close(list);
	(void)close(part);
	rig_done(&s.rig);
}

/* The process of the stream died while it changed its newest entry. */
Test(hls_wait, no_request_waits_for_a_part_that_can_no_more_come)
{
	struct ring_header *header;
	struct scene s;
	uint64_t newest;
	int late, next, named;

	scene_init(&s);
	add_segments(&s, 3);
	add_part(&s, 0);
	header = s.rig.writer->header;
	newest = header->n_segments - 1;
	header->segments[newest % RING_SEGMENTS].seq++;
	next = rig_request(&s.rig, GET("/news/5003.9.ts"));
	/* the hash of the newest segment is not known */
	named = rig_request(&s.rig, GET("/news/h0123456789abcdef.0.ts"));
	late = rig_request(&s.rig, GET("/news/4000.0.ts"));
	expect_error(&s, late, 404);
	cr_assert_not(has_answer(next) || has_answer(named));
	(void)close(named);
	(void)close(late);
	(void)close(next);
	rig_done(&s.rig);
}

/* The process of the stream died in a part, and left no last one. */
Test(hls_wait, a_request_waits_while_no_part_continues_the_segments)
{
	static char text[4096];
	struct scene s;
	size_t len;
	int list;

	scene_init(&s);
	add_segments(&s, 2);
	add_part(&s, 0);
	rig_write(&s.rig, PACKETS);
	cut(&s);
	list = rig_request(&s.rig,
			   GET("/news.m3u8?_HLS_msn=5003&_HLS_part=0"));
	rig_turn(&s.rig, 20);
	cr_assert_not(has_answer(list));
	add_part(&s, 0);
	cr_assert_eq(read_head(&s, list, &len), 200);
	cr_assert_lt(len, sizeof text);
	rig_read(&s.rig, list, text, len);
	text[len] = '\0';
	cr_assert_not_null(strstr(text, "URI=\"news/5003.0.ts\""), "%s",
			   text);
	/* the output has no parts any more */
	ring_part_target(s.rig.writer, 0);
	say(list, GET("/news.m3u8?_HLS_msn=5003&_HLS_part=1"));
	cr_assert_eq(read_head(&s, list, &len), 200);
	rig_read(&s.rig, list, text, len);
	text[len] = '\0';
	cr_assert_null(strstr(text, "PART"), "%s", text);
	(void)close(list);
	rig_done(&s.rig);
}

/* The writer stopped to add parts to it, as there were too many. */
Test(hls_wait, a_first_segment_without_all_parts_waits_for_those_of_the_next)
{
	struct scene s;
	char text[4096];
	size_t len;
	int fd;

	scene_init(&s);
	cut(&s);
	add_part(&s, 0);
	rig_write(&s.rig, PACKETS);
	fd = rig_request(&s.rig, GET("/news.m3u8"));
	cut(&s);
	rig_turn(&s.rig, 20);
	cr_assert_not(has_answer(fd));
	add_part(&s, 0);
	cr_assert_eq(read_head(&s, fd, &len), 200);
	cr_assert_lt(len, sizeof text);
	rig_read(&s.rig, fd, text, len);
	text[len] = '\0';
	cr_assert_not_null(strstr(text, "\n#EXT-X-PART:DURATION=0.500,"
				  "URI=\"news/5001.0.ts\""), "%s", text);
	cr_assert_null(strstr(text, "news/5000.0.ts"), "%s", text);
	(void)close(fd);
	rig_done(&s.rig);
}

static bool is_closed(int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno == ECONNRESET);
}

/* Clients without a request, in another order than the one that waits. */
Test(hls_wait, a_request_that_waits_keeps_its_place)
{
	enum { PLACES = 3, SILENT = 6 };
	struct scene s = { .open = { .number = FIRST, .base = FIRST,
				     .wall_ms = 1000000,
				     .independent = true } };
	int silent[SILENT], fd;

	rig_init_with(&s.rig, 16 << 20,
		      &(struct deliver_config){ .max_conns = PLACES });
	rig_mount(&s.rig, &news);
	fd = rig_request(&s.rig, GET("/news.m3u8"));
	rig_turn(&s.rig, RIG_TICK_MS);
	for (unsigned i = 0; i < SILENT; i++) {
		silent[i] = rig_request(&s.rig, "GET /");
		rig_turn(&s.rig, RIG_TICK_MS);
	}
	for (unsigned i = 0; i < SILENT; i++)
		cr_expect_eq(is_closed(silent[i]), i <= SILENT - PLACES,
			     "%u", i);
	add_segments(&s, 1);
	expect_playlist(&s, fd, FIRST, 1);
	for (unsigned i = 0; i < SILENT; i++)
		(void)close(silent[i]);
	(void)close(fd);
	rig_done(&s.rig);
}
