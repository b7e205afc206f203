/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Playlists and segments on real connections. */
#include "tests/unit/worker/deliver/hls_rig.h"

Test(deliver_hls, serves_a_playlist_and_its_segments_on_one_connection)
{
	struct scene s;
	int fd;

	scene_init(&s);
	add_segments(&s, 6);
	fd = rig_request(&s.rig, GET("/news.m3u8"));
	expect_playlist(&s, fd, FIRST + 2, 4);
	say(fd, GET("/news/5002.ts") GET("/news/5003.ts"));
	expect_segment(&s, fd, 2);
	expect_segment(&s, fd, 3);
	/* also one that has left the playlist */
	say(fd, GET("/news/5000.ts"));
	expect_segment(&s, fd, 0);
	say(fd, GET("/news/4999.ts"));
	expect_error(&s, fd, 404);
	/* that of the open segment is not complete */
	say(fd, GET("/news/5006.ts"));
	expect_error(&s, fd, 404);
	add_segments(&s, 1);
	say(fd, GET("/news/5006.ts") GET("/news.m3u8"));
	expect_segment(&s, fd, 6);
	expect_playlist(&s, fd, FIRST + 3, 4);
	cr_assert_eq(deliver_status(s.rig.deliver).viewers, 0);
	cr_assert_eq(deliver_status(s.rig.deliver).bytes,
		     4 * PACKETS * RING_PACKET);
	(void)close(fd);
	rig_done(&s.rig);
}

static uint64_t session_bytes(const struct scene *s)
{
	struct msg_deliver_sessions list;

	deliver_list(s->rig.deliver, 0, &list);
	cr_assert_eq(list.n, 1);
	return list.list[0].bytes;
}

Test(deliver_hls, a_session_counts_only_its_requests)
{
	struct scene s;
	uint64_t bytes;
	int fd;

	scene_init(&s);
	add_segments(&s, 6);
	fd = rig_request(&s.rig, GET("/news.m3u8"));
	expect_playlist(&s, fd, FIRST + 2, 4);
	bytes = session_bytes(&s);
	cr_assert_gt(bytes, 0);
	say(fd, GET("/news/5002.ts"));
	expect_segment(&s, fd, 2);
	cr_assert_gt(session_bytes(&s), bytes);
	bytes = session_bytes(&s);
	/* on the same connection, as a picture or a list of streams */
	say(fd, GET("/play/a001.jpg"));
	expect_error(&s, fd, 404);
	cr_assert_eq(session_bytes(&s), bytes);
	(void)close(fd);
	rig_done(&s.rig);
}

Test(deliver_hls, a_request_by_head_begins_no_session)
{
	static const char *const requests[] = {
		HEAD("/news.m3u8"), HEAD("/news/5003.ts"),
	};
	struct msg_deliver_sessions list;
	struct scene s;
	size_t len;
	int fd;

	scene_init(&s);
	add_segments(&s, 6);
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		fd = rig_request(&s.rig, requests[i]);
		cr_assert_eq(read_head(&s, fd, &len), 200);
		cr_assert_gt(len, 0u);
		deliver_list(s.rig.deliver, 0, &list);
		cr_assert_eq(list.n, 0u, "%s", requests[i]);
		cr_assert_eq(deliver_status(s.rig.deliver).viewers, 0u);
		/* the connection serves another request */
		say(fd, GET("/news/5000.mp4"));
		expect_error(&s, fd, 404);
		(void)close(fd);
	}
	rig_done(&s.rig);
}

/* Nothing starts it, so that no segment comes. */
/* A browser asks by OPTIONS before its request; that starts no stream. */
Test(deliver_hls, a_request_by_options_begins_no_session)
{
	struct msg_deliver_sessions list;
	struct scene s;
	char head[1024];
	int fd;

	scene_init(&s);
	fd = rig_request(&s.rig, "OPTIONS /news.m3u8 HTTP/1.1\r\n"
				 "Host: x\r\n\r\n");
	rig_read_head(&s.rig, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, "HTTP/1.1 204 "), "%s", head);
	deliver_list(s.rig.deliver, 0, &list);
	cr_assert_eq(list.n, 0u);
	cr_assert_eq(deliver_status(s.rig.deliver).viewers, 0u);
	(void)close(fd);
	rig_done(&s.rig);
}

Test(deliver_hls, a_request_by_head_waits_for_no_stream_on_demand)
{
	struct msg_deliver_mount asleep = news;
	struct scene s;
	char head[1024];
	int fd;

	scene_init(&s);
	asleep.demand = true;
	asleep.path = "/asleep.m3u8";
	rig_mount(&s.rig, &asleep);
	fd = rig_request(&s.rig, HEAD("/asleep.m3u8"));
	rig_read_head(&s.rig, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, "HTTP/1.1 200 "), "%s", head);
	cr_assert_not_null(strstr(head, "mpegurl\r\n"), "%s", head);
	(void)close(fd);
	rig_done(&s.rig);
}

/* Whether this process has served the shorter list or not. */
Test(deliver_hls, a_longer_list_has_no_segment_again)
{
	for (unsigned asked = 0; asked < 2; asked++) {
		struct msg_deliver_mount longer = news;
		struct scene s;
		int fd;

		scene_init(&s);
		add_segments(&s, 10);
		fd = rig_request(&s.rig, GET("/news.m3u8"));
		if (asked)
			expect_playlist(&s, fd, FIRST + 6, 4);
		(void)close(fd);
		longer.hls = 8;
		rig_mount(&s.rig, &longer);
		fd = rig_request(&s.rig, GET("/news.m3u8"));
		expect_playlist(&s, fd, FIRST + 6, 4);
		add_segments(&s, 2);
		say(fd, GET("/news.m3u8"));
		expect_playlist(&s, fd, FIRST + 6, 6);
		add_segments(&s, 6);
		say(fd, GET("/news.m3u8"));
		expect_playlist(&s, fd, FIRST + 10, 8);
		(void)close(fd);
		rig_done(&s.rig);
	}
}

Test(deliver_hls, another_method_gets_those_that_are_allowed)
{
	struct scene s;
	char head[1024];
	int fd;

	scene_init(&s);
	fd = rig_request(&s.rig, "DELETE /news.m3u8 HTTP/1.1\r\n"
				 "Host: x\r\n\r\n");
	rig_read_head(&s.rig, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, "HTTP/1.1 405 "), "%s", head);
	cr_assert_not_null(strstr(head, "\r\nAllow: GET, HEAD, OPTIONS\r\n"),
			   "%s", head);
	(void)close(fd);
	rig_done(&s.rig);
}

Test(deliver_hls, a_segment_that_the_writer_may_reach_is_missing)
{
	struct scene s;
	int fd;

	scene_init(&s);
	add_segments(&s, 80);
	fd = rig_request(&s.rig, GET("/news/5010.ts"));
	expect_error(&s, fd, 404);
	say(fd, GET("/news/5070.ts"));
	expect_segment(&s, fd, 70);
	deliver_limit(s.rig.deliver,
		      &(struct msg_deliver_limits){ .empty_missing = true });
	say(fd, GET("/news/5010.ts"));
	expect_error(&s, fd, 200);
	(void)close(fd);
	rig_done(&s.rig);
}

Test(deliver_hls, a_stream_on_demand_lists_no_segment_of_an_earlier_run)
{
	struct msg_deliver_mount demanded = news;
	struct scene s;
	int fd;

	scene_init(&s);
	add_segments(&s, 6);
	demanded.demand = true;
	/* it runs: the list stays */
	rig_mount(&s.rig, &demanded);
	fd = rig_request(&s.rig, GET("/news.m3u8"));
	expect_playlist(&s, fd, FIRST + 2, 4);
	rig_write(&s.rig, PACKETS / 2);
	demanded.stopped = true;
	rig_mount(&s.rig, &demanded);
	say(fd, GET("/news.m3u8"));
	rig_turn(&s.rig, 20);
	cr_assert_not(has_answer(fd));
	/* a segment from before the stop, and the first one after it */
	cut(&s);
	rig_turn(&s.rig, 20);
	cr_assert_not(has_answer(fd));
	add_segments(&s, 1);
	expect_playlist(&s, fd, FIRST + 7, 1);
	/* a deliver that starts meanwhile */
	deliver_unmount(s.rig.deliver, &demanded);
	rig_mount(&s.rig, &demanded);
	say(fd, GET("/news.m3u8"));
	rig_turn(&s.rig, 20);
	cr_assert_not(has_answer(fd));
	add_segments(&s, 2);
	expect_playlist(&s, fd, FIRST + 8, 2);
	(void)close(fd);
	rig_done(&s.rig);
}

Test(deliver_hls, a_broken_ring_has_no_playlist)
{
	struct scene s;
	uint64_t zero = 1, pos;
	int fd;

	scene_init(&s);
	add_segments(&s, 5);
	fd = rig_request(&s.rig, GET("/news.m3u8"));
	expect_playlist(&s, fd, FIRST + 1, 4);
	/* the position of the header */
	cr_assert_eq(pread(s.rig.ring_fd, &pos, sizeof pos, 64), 8);
	cr_assert_eq(pwrite(s.rig.ring_fd, &zero, sizeof zero, 64), 8);
	say(fd, GET("/news.m3u8"));
	expect_error(&s, fd, 503);
	(void)close(fd);
	/* a sound header heals it */
	rig_turn(&s.rig, 20);
	cr_assert_eq(pwrite(s.rig.ring_fd, &pos, sizeof pos, 64), 8);
	fd = rig_request(&s.rig, GET("/news.m3u8"));
	expect_playlist(&s, fd, FIRST + 1, 4);
	(void)close(fd);
	rig_done(&s.rig);
}

/* The head of an answer without a body. */
static void expect_empty(struct scene *s, int fd, const char *type)
{
	char head[1024];

	rig_read_head(&s->rig, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, "HTTP/1.1 200 "), "%s", head);
	cr_assert_not_null(strstr(head, "\r\nContent-Length: 0\r\n"), "%s",
			   head);
	cr_assert_not_null(strstr(head, type), "%s", head);
}

Test(deliver_hls, a_missing_segment_is_empty_in_its_own_format)
{
	struct msg_deliver_mount mp4 = news;
	struct scene s;
	int fd;

	scene_init(&s);
	deliver_limit(s.rig.deliver,
		      &(struct msg_deliver_limits){ .empty_missing = true });
	add_segments(&s, 2);
	add_part(&s, 0);
	/* also one that was waited for */
	fd = rig_request(&s.rig, GET("/news/5002.1.ts"));
	rig_turn(&s.rig, 20);
	cr_assert_not(has_answer(fd));
	cut(&s);
	add_part(&s, 0);
	expect_empty(&s, fd, "\r\nContent-Type: video/mp2t\r\n");
	mp4.path = "/film.m3u8";
	mp4.fmp4 = true;
	rig_mount(&s.rig, &mp4);
	say(fd, GET("/film/4999.m4s"));
	expect_empty(&s, fd, "\r\nContent-Type: video/mp4\r\n");
	(void)close(fd);
	rig_done(&s.rig);
}

static void get_text(struct scene *s, int fd, char text[4096])
{
	size_t len;

	cr_assert_eq(read_head(s, fd, &len), 200);
	cr_assert_lt(len, 4096);
	rig_read(&s->rig, fd, text, len);
	text[len] = '\0';
}

/* The name behind the nth one of these marks. */
static void name_at(const char *text, const char *mark, unsigned n,
		    char ret[32])
{
	do {
		text = strstr(text, mark);
		cr_assert_not_null(text, "%s %u", mark, n);
		text += strlen(mark);
	} while (n-- > 0);
	cr_assert_eq(sscanf(text, "h%16[0-9a-f]", ret), 1, "%s", text);
	cr_assert_eq(strlen(ret), 16);
}

static void ask_name(int fd, const char *name, const char *rest)
{
	char text[128];

	(void)snprintf(text, sizeof text, "GET /news/h%s%s HTTP/1.1\r\n"
		       "Host: x\r\n\r\n", name, rest);
	say(fd, text);
}

Test(deliver_hls, a_name_by_hash_is_that_of_one_segment_for_ever)
{
	static char text[4096], later[4096];
	char name[32], other[32], open[32];
	struct scene s;
	int fd;

	scene_init(&s);
	deliver_limit(s.rig.deliver,
		      &(struct msg_deliver_limits){ .hash_names = true });
	add_segments(&s, 6);
	add_part(&s, 0);
	fd = rig_request(&s.rig, GET("/news.m3u8"));
	get_text(&s, fd, text);
	cr_assert_null(strstr(text, "news/5"), "%s", text);
	name_at(text, "\nnews/", 0, name);
	name_at(text, "\nnews/", 1, other);
	name_at(text, "HINT:TYPE=PART,URI=\"news/", 0, open);
	cr_assert_str_neq(name, other);
	ask_name(fd, name, ".ts");
	expect_segment(&s, fd, 2);
	ask_name(fd, other, ".ts");
	expect_segment(&s, fd, 3);
	/* that by number, too */
	say(fd, GET("/news/5002.ts"));
	expect_segment(&s, fd, 2);
	ask_name(fd, open, ".0.ts");
	expect_part(&s, fd, 6 * PACKETS);
	ask_name(fd, "0123456789abcdef", ".ts");
	expect_error(&s, fd, 404);
	ask_name(fd, "0123456789abcdef", ".0.ts");
	expect_error(&s, fd, 404);
	/* in another process, and when the segment is complete */
	deliver_unmount(s.rig.deliver, &news);
	rig_mount(&s.rig, &news);
	say(fd, GET("/news.m3u8"));
	get_text(&s, fd, later);
	cr_assert_str_eq(later, text);
	rig_write(&s.rig, PACKETS - PACKETS / 4);
	cut(&s);
	say(fd, GET("/news.m3u8"));
	get_text(&s, fd, later);
	name_at(later, "\nnews/", 3, name);
	cr_assert_str_eq(name, open);
	ask_name(fd, name, ".ts");
	expect_segment(&s, fd, 6);
	(void)close(fd);
	rig_done(&s.rig);
}

static int count_joined(const struct msg *m, void *arg)
{
	if (m->type == MSG_DELIVER_CHANGES)
		*(size_t *)arg += m->deliver_changes.n_joined;
	return 0;
}

/* The master gets the begin of a session in front of a list that has it. */
Test(deliver_hls, the_master_knows_the_sessions_of_a_list)
{
	struct msg_deliver_sessions list;
	struct rig r;
	size_t joined = 0;
	int fd;

	rig_init_with(&r, RING_UNIT, &(struct deliver_config){
		.send = count_joined, .arg = &joined,
	});
	deliver_set_policy(r.deliver, &(struct msg_deliver_policy){ 0 });
	rig_mount(&r, &news);
	fd = rig_request(&r, GET("/news/7.ts"));
	rig_expect_status(&r, fd, 404);
	deliver_list(r.deliver, 0, &list);
	cr_assert_eq(list.n, 1u);
	cr_assert_eq(joined, 1u);
	(void)close(fd);
	rig_done(&r);
}

#define RANGE(method, range) \
	method " /news/5003.ts HTTP/1.1\r\nHost: x\r\n" \
	"Range: bytes=" range "\r\n\r\n"

Test(deliver_hls, a_range_counts_for_get_alone)
{
	static const char *const heads[] = {
		RANGE("HEAD", "188-375"), RANGE("HEAD", "99999999-"),
	};
	uint64_t pos = (3 * PACKETS + 1) * RING_PACKET;
	struct scene s;
	size_t len;
	int fd;

	scene_init(&s);
	add_segments(&s, 6);
	fd = rig_request(&s.rig, RANGE("GET", "188-375"));
	cr_assert_eq(read_head(&s, fd, &len), 206);
	cr_assert_eq(len, (size_t)RING_PACKET);
	rig_read_packets(&s.rig, fd, &pos, 1);
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		say(fd, heads[i]);
		cr_assert_eq(read_head(&s, fd, &len), 200, "%s", heads[i]);
		cr_assert_eq(len, (size_t)PACKETS * RING_PACKET);
	}
	(void)close(fd);
	rig_done(&s.rig);
}

Test(deliver_hls, no_cache_keeps_that_a_range_is_behind_the_segment)
{
	struct scene s;
	char head[1024];
	int fd;

	scene_init(&s);
	add_segments(&s, 6);
	fd = rig_request(&s.rig, RANGE("GET", "99999999-"));
	rig_read_head(&s.rig, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, "HTTP/1.1 416 "), "%s", head);
	cr_assert_not_null(strstr(head, "\r\nContent-Range: bytes */188000"
				  "\r\n"), "%s", head);
	cr_assert_not_null(strstr(head, "\r\nCache-Control: no-store\r\n"),
			   "%s", head);
	cr_assert_null(strstr(head, "max-age"), "%s", head);
	cr_assert_null(strstr(head, "\r\nETag"), "%s", head);
	(void)close(fd);
	rig_done(&s.rig);
}
