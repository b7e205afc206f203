/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a permission of the master counts for, and for how long. */
#include "tests/unit/worker/deliver/rig.h"

#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ASKED_MAX = 64 };

#define HOST " HTTP/1.1\r\nHost: x\r\n\r\n"

/* The questions that the master got. */
struct scene {
	struct rig rig;
	unsigned n;
	uint32_t seq[ASKED_MAX];
	uint64_t client[ASKED_MAX], key[ASKED_MAX];
	bool free[ASKED_MAX];
};

static int on_send(const struct msg *m, void *arg)
{
	struct scene *s = arg;

	if (m->type != MSG_DELIVER_ASK)
		return 0;
	cr_assert_lt(s->n, (unsigned)ASKED_MAX);
	s->seq[s->n] = m->seq;
	s->key[s->n] = m->deliver_ask.key;
	s->free[s->n] = m->deliver_ask.free;
	s->client[s->n++] = m->deliver_ask.client;
	return 0;
}

static void init(struct scene *s)
{
	*s = (struct scene){ 0 };
	rig_init_with(&s->rig, RING_UNIT, &(struct deliver_config){
		.send = on_send, .arg = s,
	});
	deliver_set_policy(s->rig.deliver, &(struct msg_deliver_policy){
		.authorize = true,
	});
}

struct wanted {
	const struct scene *scene;
	unsigned n;
};

static bool is_asked(void *arg)
{
	const struct wanted *w = arg;

	return w->scene->n >= w->n;
}

/* Sends a request and waits for its question, the nth one. */
static int ask(struct scene *s, const char *text, unsigned n)
{
	int fd = rig_request(&s->rig, text);

	rig_until(&s->rig, is_asked, &(struct wanted){ s, n });
	cr_assert_eq(s->n, n);
	return fd;
}

static void answer(struct scene *s, unsigned n, enum ask_verdict verdict)
{
	deliver_answer(s->rig.deliver, &(struct msg_deliver_answer){
		.verdict = verdict, .login = "", .location = "",
	}, s->seq[n - 1]);
}

static void expect(struct scene *s, int fd, unsigned status)
{
	rig_expect_status(&s->rig, fd, status);
	(void)close(fd);
}

static struct msg_deliver_mount playlist(const char *path, bool no_auth)
{
	struct msg_deliver_mount name = rig_name(path, "a001");

	name.hls = 4;
	name.no_auth = no_auth;
	return name;
}

/* That of a segment that does not exist: it never waits. */
static int segment(struct scene *s, const char *path, unsigned n)
{
	char text[256];

	(void)snprintf(text, sizeof text, "GET %s" HOST, path);
	return ask(s, text, n);
}

Test(deliver_door, a_free_playlist_opens_no_other_one)
{
	struct msg_deliver_mount open = playlist("/free.m3u8", true);
	struct msg_deliver_mount closed = playlist("/live.m3u8", false);
	struct scene s;
	int fd;

	init(&s);
	rig_mount(&s.rig, &open);
	rig_mount(&s.rig, &closed);
	expect(&s, segment(&s, "/free/7.ts", 0), 404);
	fd = segment(&s, "/live/7.ts", 1);
	answer(&s, 1, ASK_DENIED);
	expect(&s, fd, 403);
	/* also at the same path, once it is not free any more */
	open.no_auth = false;
	rig_mount(&s.rig, &open);
	fd = segment(&s, "/free/7.ts", 2);
	answer(&s, 2, ASK_DENIED);
	expect(&s, fd, 403);
	rig_done(&s.rig);
}

/* The worker asks nobody: the request takes no place of its user. */
Test(deliver_door, a_method_that_hls_has_not_begins_no_session)
{
	struct msg_deliver_mount live = playlist("/live.m3u8", false);
	struct scene s;

	init(&s);
	rig_mount(&s.rig, &live);
	expect(&s, ask(&s, "DELETE /live/7.ts?token=a" HOST, 0), 405);
	cr_assert_eq(s.n, 0u);
	rig_done(&s.rig);
}

Test(deliver_door, each_query_without_a_token_needs_its_own_permission)
{
	struct msg_deliver_mount live = playlist("/live.m3u8", false);
	struct scene s;
	int fd;

	init(&s);
	rig_mount(&s.rig, &live);
	fd = segment(&s, "/live/7.ts?key=good", 1);
	answer(&s, 1, ASK_ALLOWED);
	expect(&s, fd, 404);
	expect(&s, segment(&s, "/live/7.ts?_HLS_msn=3&key=good", 1), 404);
	fd = segment(&s, "/live/7.ts?key=bad", 2);
	answer(&s, 2, ASK_DENIED);
	expect(&s, fd, 403);
	/* a token says who it is */
	fd = segment(&s, "/live/7.ts?token=a&x=1", 3);
	answer(&s, 3, ASK_ALLOWED);
	expect(&s, fd, 404);
	expect(&s, segment(&s, "/live/7.ts?token=a&x=2", 3), 404);
	rig_done(&s.rig);
}

Test(deliver_door, a_session_of_hls_that_was_ended_stays_so)
{
	struct msg_deliver_mount live = playlist("/live.m3u8", false);
	struct scene s;
	int fd;

	init(&s);
	rig_mount(&s.rig, &live);
	fd = segment(&s, "/live/7.ts?token=a", 1);
	answer(&s, 1, ASK_ALLOWED);
	expect(&s, fd, 404);
	deliver_kick(s.rig.deliver, &(struct msg_deliver_kick){
		.client = s.client[0] });
	/* the second question prolongs the end in the master */
	expect(&s, segment(&s, "/live/7.ts?token=a", 2), 403);
	answer(&s, 2, ASK_ALLOWED);
	fd = segment(&s, "/live/7.ts?token=b", 3);
	answer(&s, 3, ASK_ALLOWED);
	expect(&s, fd, 404);
	rig_done(&s.rig);
}

/* Two workers give the same key to the same client, whatever they served
 * before. */
Test(deliver_door, the_key_of_a_session_is_that_of_its_client)
{
	static const char *const tokens[] = { "a", "b", "a" };
	struct msg_deliver_mount live = playlist("/live.m3u8", false);
	struct msg_deliver_mount other = playlist("/other.m3u8", false);
	uint64_t keys[ARRAY_LEN(tokens)];
	char path[32];
	struct scene s;

	for (size_t i = 0; i < ARRAY_LEN(tokens); i++) {
		init(&s);
		deliver_set_policy(s.rig.deliver, &(struct msg_deliver_policy){
			.authorize = true, .seed = 77,
		});
		if (i > 0)
			rig_mount(&s.rig, &other);
		rig_mount(&s.rig, &live);
		(void)snprintf(path, sizeof path, "/live/7.ts?token=%s",
			       tokens[i]);
		(void)close(segment(&s, path, 1));
		keys[i] = s.key[0];
		rig_done(&s.rig);
	}
	cr_assert_neq(keys[0], 0u);
	cr_assert_neq(keys[0], keys[1]);
	cr_assert_eq(keys[0], keys[2]);
}

Test(deliver_door, the_master_counts_free_viewers_of_several_workers)
{
	struct scene s;
	int fd, other;

	init(&s);
	deliver_set_policy(s.rig.deliver, &(struct msg_deliver_policy){
		.shared = true,
	});
	fd = ask(&s, "GET /a" HOST, 1);
	cr_assert(s.free[0]);
	cr_assert_eq(s.key[0], 0u);
	other = ask(&s, "GET /a" HOST, 2);
	answer(&s, 2, ASK_BUSY);
	answer(&s, 1, ASK_ALLOWED);
	expect(&s, other, 503);
	rig_await_viewers(&s.rig, 1);
	expect(&s, fd, 200);
	rig_done(&s.rig);
}

static int send_fails(const struct msg *m, void *arg)
{
	(void)m, (void)arg;
	return -ENOTCONN;
}

Test(deliver_door, free_viewers_of_several_workers_need_no_answer)
{
	struct scene s = { 0 };
	int fd;

	rig_init_with(&s.rig, RING_UNIT, &(struct deliver_config){
		.send = send_fails,
	});
	deliver_set_policy(s.rig.deliver, &(struct msg_deliver_policy){
		.shared = true,
	});
	fd = rig_request(&s.rig, "GET /a" HOST);
	rig_await_viewers(&s.rig, 1);
	expect(&s, fd, 200);
	rig_done(&s.rig);
}

/* A worker above the configured number keeps its viewers. */
Test(deliver_door, a_worker_that_retires_closes_connections_after_answers)
{
	struct msg_deliver_mount live = playlist("/live.m3u8", true);
	struct msg_deliver_mount stays = rig_name("/a", "a001");
	char head[1024];
	struct scene s;
	int idle, fd, viewer;

	init(&s);
	deliver_set_policy(s.rig.deliver, &(struct msg_deliver_policy){ 0 });
	rig_mount(&s.rig, &live);
	viewer = rig_request(&s.rig, "GET /a" HOST);
	rig_await_viewers(&s.rig, 1);
	idle = rig_request(&s.rig, "GET /live/7.ts" HOST);
	rig_read_head(&s.rig, idle, head, sizeof head);
	fd = rig_connect(&s.rig);
	rig_turn(&s.rig, 20);
	deliver_renew(s.rig.deliver);
	rig_mount(&s.rig, &live);
	rig_mount(&s.rig, &stays);
	deliver_settle(s.rig.deliver, &(struct msg_deliver_settle){ true });
	rig_turn(&s.rig, 20);
	cr_assert_eq(deliver_status(s.rig.deliver).viewers, 1u);
	cr_assert_leq(deliver_status(s.rig.deliver).requests, 1u);
	(void)close(idle);
	(void)close(fd);
	(void)close(viewer);
	rig_done(&s.rig);
}

Test(deliver_door, a_session_of_hls_ends_with_its_last_request_that_waits)
{
	struct msg_deliver_mount live = playlist("/live.m3u8", false);
	struct scene s;
	int fd;

	init(&s);
	rig_mount(&s.rig, &live);
	(void)close(segment(&s, "/live/7.ts", 1));
	rig_turn(&s.rig, 20);
	fd = segment(&s, "/live/7.ts", 2);
	cr_assert_neq(s.client[0], s.client[1]);
	answer(&s, 1, ASK_ALLOWED);
	answer(&s, 2, ASK_DENIED);
	expect(&s, fd, 403);
	rig_done(&s.rig);
}

Test(deliver_door, a_permission_counts_for_its_stream)
{
	struct msg_deliver_mount other = rig_name("/a", "b002");
	struct msg_deliver_mount live = playlist("/live.m3u8", false);
	struct msg_deliver_mount live_other = live;
	int fd, hls;
	struct scene s;

	init(&s);
	rig_mount(&s.rig, &live);
	fd = ask(&s, "GET /a" HOST, 1);
	hls = segment(&s, "/live/7.ts", 2);
	deliver_unmount(s.rig.deliver, &other);
	rig_mount(&s.rig, &other);
	live_other.stream = "b002";
	deliver_unmount(s.rig.deliver, &live);
	rig_mount(&s.rig, &live_other);
	answer(&s, 1, ASK_ALLOWED);
	answer(&s, 2, ASK_ALLOWED);
	expect(&s, fd, 404);
	expect(&s, hls, 404);
	cr_assert_eq(deliver_status(s.rig.deliver).viewers, 0);
	rig_done(&s.rig);
}

Test(deliver_door, a_permission_follows_a_renamed_stream)
{
	struct msg_deliver_mount renamed = rig_name("/a", "b002");
	struct scene s;
	int fd;

	init(&s);
	fd = ask(&s, "GET /a" HOST, 1);
	rig_mount(&s.rig, &renamed);
	answer(&s, 1, ASK_ALLOWED);
	rig_await_viewers(&s.rig, 1);
	expect(&s, fd, 200);
	rig_done(&s.rig);
}

Test(deliver_door, an_end_reaches_viewers_that_wait_for_packets)
{
	struct msg_deliver_mount demanded = rig_name("/d", "d001");
	struct scene s;
	int kicked, denied, stays;

	init(&s);
	demanded.demand = true;
	rig_mount(&s.rig, &demanded);
	kicked = ask(&s, "GET /d" HOST, 1);
	denied = ask(&s, "GET /d" HOST, 2);
	stays = ask(&s, "GET /d" HOST, 3);
	for (unsigned i = 1; i <= 3; i++)
		answer(&s, i, ASK_ALLOWED);
	deliver_kick(s.rig.deliver, &(struct msg_deliver_kick){
		.client = s.client[0] });
	expect(&s, kicked, 403);
	deliver_review(s.rig.deliver, s.client[1]);
	deliver_review(s.rig.deliver, s.client[2]);
	rig_until(&s.rig, is_asked, &(struct wanted){ &s, 5 });
	answer(&s, 4, ASK_DENIED);
	answer(&s, 5, ASK_ALLOWED);
	expect(&s, denied, 403);
	rig_mark(&s.rig);
	rig_write(&s.rig, 64);
	rig_await_viewers(&s.rig, 1);
	expect(&s, stays, 200);
	rig_done(&s.rig);
}

static bool is_waiting(void *arg)
{
	struct scene *s = arg;
	struct msg_deliver_viewers v;
	size_t cursor = 0;

	while (deliver_next_change(s->rig.deliver, &cursor, &v))
		if (strcmp(v.path, "/d") == 0 && v.viewers == 1)
			return true;
	return false;
}

Test(deliver_door, viewers_that_wait_are_judged_by_the_new_settings)
{
	struct msg_deliver_mount demanded = rig_name("/d", "d001");
	struct scene s;
	char head[64];
	int fd, later;

	init(&s);
	demanded.demand = demanded.no_auth = true;
	rig_mount(&s.rig, &demanded);
	fd = rig_request(&s.rig, "GET /d" HOST);
	rig_until(&s.rig, is_waiting, &s);
	cr_assert_eq(s.n, 0);
	demanded.no_auth = false;
	rig_mount(&s.rig, &demanded);
	/* else the stream stops; its packets wait for the permission */
	cr_assert(is_waiting(&s));
	rig_until(&s.rig, is_asked, &(struct wanted){ &s, 1 });
	rig_mark(&s.rig);
	rig_write(&s.rig, 64);
	rig_turn(&s.rig, 20);
	cr_assert_lt(recv(fd, head, sizeof head, MSG_DONTWAIT), 0);
	answer(&s, 1, ASK_DENIED);
	expect(&s, fd, 403);

	/* a permission may come when nobody needs it */
	later = ask(&s, "GET /d" HOST, 2);
	demanded.no_auth = true;
	rig_mount(&s.rig, &demanded);
	answer(&s, 2, ASK_ALLOWED);
	rig_mark(&s.rig);
	rig_write(&s.rig, 64);
	rig_await_viewers(&s.rig, 1);
	expect(&s, later, 200);
	rig_done(&s.rig);
}

/* With several workers the master also counts viewers that everybody may be. */
Test(deliver_door, a_permission_for_all_ends_with_the_setting)
{
	struct msg_deliver_mount open = rig_name("/o", "a001");
	struct scene s;
	int fd;

	init(&s);
	deliver_set_policy(s.rig.deliver, &(struct msg_deliver_policy){
		.authorize = true, .shared = true,
	});
	open.no_auth = true;
	rig_mount(&s.rig, &open);
	fd = ask(&s, "GET /o" HOST, 1);
	cr_assert(s.free[0]);
	open.no_auth = false;
	rig_mount(&s.rig, &open);
	answer(&s, 1, ASK_ALLOWED);
	rig_until(&s.rig, is_asked, &(struct wanted){ &s, 2 });
	cr_assert_not(s.free[1]);
	answer(&s, 2, ASK_DENIED);
	expect(&s, fd, 403);
	rig_done(&s.rig);
}

/* The viewers that the master is told for the stream, and their number in the
 * list. */
static void expect_viewers(struct scene *s, const char *stream, uint32_t n)
{
	static struct msg_deliver_sessions list;
	struct msg_deliver_viewers report;
	size_t cursor = 0;
	bool told = false;

	while (deliver_next_change(s->rig.deliver, &cursor, &report)) {
		if (strcmp(report.stream, stream) != 0)
			continue;
		cr_assert_eq(report.viewers, n, "%u", report.viewers);
		told = true;
	}
	cr_assert(told, "no report");
	deliver_list(s->rig.deliver, 0, &list);
	cr_assert_eq(list.n, n);
	for (size_t i = 0; i < n; i++)
		cr_assert_str_eq(list.list[i].stream, stream);
}

static uint64_t bytes_of_first(struct scene *s)
{
	static struct msg_deliver_sessions list;

	deliver_list(s->rig.deliver, 0, &list);
	return list.n > 0 ? list.list[0].bytes : 0;
}

static bool is_counted(void *arg)
{
	return bytes_of_first(arg) > 0;
}

Test(deliver_door, a_client_of_hls_is_one_viewer_until_its_session_ends)
{
	struct msg_deliver_mount live = playlist("/live.m3u8", false);
	struct scene s;
	int fd;

	init(&s);
	rig_mount(&s.rig, &live);
	fd = segment(&s, "/live/7.ts?token=a", 1);
	/* a request without a permission is none */
	cr_assert_eq(bytes_of_first(&s), 0);
	answer(&s, 1, ASK_ALLOWED);
	expect(&s, fd, 404);
	rig_until(&s.rig, is_counted, &s);
	expect(&s, segment(&s, "/live/8.ts?token=a", 1), 404);
	expect_viewers(&s, "a001", 1);
	fd = segment(&s, "/live/7.ts?token=b", 2);
	answer(&s, 2, ASK_ALLOWED);
	expect(&s, fd, 404);
	expect_viewers(&s, "a001", 2);
	deliver_kick(s.rig.deliver, &(struct msg_deliver_kick){
		.client = s.client[0] });
	expect_viewers(&s, "a001", 1);
	rig_done(&s.rig);
}

Test(deliver_door, a_session_of_hls_without_requests_ends)
{
	struct msg_deliver_mount live = playlist("/live.m3u8", false);
	struct scene s = { 0 };
	int fd, waits;

	rig_init_with(&s.rig, RING_UNIT, &(struct deliver_config){
		.send = on_send, .arg = &s, .hls_idle_ms = 20,
	});
	deliver_set_policy(s.rig.deliver, &(struct msg_deliver_policy){
		.authorize = true,
	});
	rig_mount(&s.rig, &live);
	fd = segment(&s, "/live/7.ts?token=a", 1);
	answer(&s, 1, ASK_ALLOWED);
	expect(&s, fd, 404);
	/* that of a client whose request waits for the first segment stays */
	waits = ask(&s, "GET /live.m3u8?token=b" HOST, 2);
	answer(&s, 2, ASK_ALLOWED);
	expect_viewers(&s, "a001", 2);
	rig_turn(&s.rig, 40);
	deliver_every_second(s.rig.deliver);
	expect_viewers(&s, "a001", 1);
	(void)close(waits);
	rig_turn(&s.rig, 40);
	deliver_every_second(s.rig.deliver);
	expect_viewers(&s, "a001", 0);
	rig_done(&s.rig);
}

Test(deliver_door, a_session_of_hls_follows_its_path)
{
	struct msg_deliver_mount live = playlist("/live.m3u8", false);
	struct msg_deliver_mount renamed = live;
	struct scene s;
	int fd, ring = ring_create(RING_UNIT, RING_GROWN);

	init(&s);
	rig_mount(&s.rig, &live);
	fd = segment(&s, "/live/7.ts?token=a", 1);
	answer(&s, 1, ASK_ALLOWED);
	expect(&s, fd, 404);
	renamed.stream = "b002";
	rig_mount(&s.rig, &renamed);
	expect(&s, segment(&s, "/live/7.ts?token=a", 1), 404);
	expect_viewers(&s, "b002", 1);
	/* to another ring */
	cr_assert_eq(deliver_mount(s.rig.deliver, &renamed,
				   fd_reopen_readonly(ring)), 0);
	expect(&s, segment(&s, "/live/7.ts?token=a", 1), 404);
	/* not to another stream */
	deliver_unmount(s.rig.deliver, &renamed);
	rig_mount(&s.rig, &live);
	fd = segment(&s, "/live/7.ts?token=a", 2);
	answer(&s, 2, ASK_DENIED);
	expect(&s, fd, 403);
	cr_assert_eq(bytes_of_first(&s), 0);
	(void)close(ring);
	rig_done(&s.rig);
}

/* Its timer comes late on a busy machine: the time that passed counts, not the
 * number of its calls. */
Test(deliver_door, asks_at_once_what_the_rate_allows)
{
	enum { CLIENTS = 40 };
	static struct scene s;
	int fds[CLIENTS];
	unsigned most = 0;

	init(&s);
	for (size_t i = 0; i < CLIENTS; i++)
		fds[i] = rig_request(&s.rig, "GET /a" HOST);
	while (s.n < CLIENTS) {
		unsigned before = s.n;

		ev_run(s.rig.loop, EVRUN_ONCE);
		most = MAX(most, s.n - before);
	}
	cr_assert_geq(most, CLIENTS / 2U + 1, "%u", most);
	for (size_t i = 0; i < CLIENTS; i++)
		(void)close(fds[i]);
	rig_done(&s.rig);
}
