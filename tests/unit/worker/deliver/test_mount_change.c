/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A path whose permissions change while it has viewers and requests. */
#include "tests/unit/worker/deliver/rig.h"
#include "worker/deliver/deliver_inner.h"
#include "worker/deliver/mount.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOST " HTTP/1.1\r\nHost: x\r\n\r\n"

enum { ASKED_MAX = 16, PACKETS = 64 };

/* The questions that the master got, and how many of them it has answered. */
struct scene {
	struct rig rig;
	unsigned n, answered;
	uint32_t seq[ASKED_MAX];
};

static int on_send(const struct msg *m, void *arg)
{
	struct scene *s = arg;

	if (m->type != MSG_DELIVER_ASK)
		return 0;
	cr_assert_lt(s->n, (unsigned)ASKED_MAX);
	s->seq[s->n++] = m->seq;
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

static bool is_asked(void *arg)
{
	const struct scene *s = arg;

	return s->n > s->answered;
}

static void await_question(struct scene *s)
{
	rig_until(&s->rig, is_asked, s);
}

static void answer(struct scene *s, enum ask_verdict verdict)
{
	uint32_t seq = s->seq[s->answered++];

	deliver_answer(s->rig.deliver, &(struct msg_deliver_answer){
		.verdict = verdict, .login = "", .location = "",
	}, seq);
}

static bool has_bytes(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
	       errno != EAGAIN;
}

static void open_path(struct scene *s, struct msg_deliver_mount *name,
		      bool no_auth)
{
	name->no_auth = no_auth;
	rig_mount(&s->rig, name);
}

/* The viewer receives what is written now. */
static void expect_packets(struct scene *s, int fd, uint64_t *pos)
{
	rig_write(&s->rig, PACKETS);
	rig_read_packets(&s->rig, fd, pos, PACKETS);
}

Test(mount_change, viewers_stay_until_the_master_has_an_answer)
{
	struct msg_deliver_mount name = rig_name("/o", "a001");
	uint64_t pos = 0;
	struct scene s;
	int fd;

	init(&s);
	open_path(&s, &name, true);
	rig_mark(&s.rig);
	fd = rig_request(&s.rig, "GET /o" HOST);
	rig_expect_status(&s.rig, fd, 200);
	expect_packets(&s, fd, &pos);
	cr_assert_eq(s.n, 0);

	open_path(&s, &name, false);
	await_question(&s);
	expect_packets(&s, fd, &pos);
	answer(&s, ASK_ALLOWED);
	expect_packets(&s, fd, &pos);

	/* no permission is needed any more */
	open_path(&s, &name, true);
	deliver_review(s.rig.deliver, 0);
	expect_packets(&s, fd, &pos);
	cr_assert_eq(s.n, 1);

	open_path(&s, &name, false);
	await_question(&s);
	answer(&s, ASK_DENIED);
	(void)rig_read_to_end(&s.rig, fd, &pos);
	rig_await_viewers(&s.rig, 0);
	(void)close(fd);
	rig_done(&s.rig);
}

static void expect_start(struct scene *s, unsigned packet)
{
	uint64_t pos = packet * UINT64_C(188);
	int fd = rig_request(&s->rig, "GET /o" HOST);

	rig_expect_status(&s->rig, fd, 200);
	rig_read_packets(&s->rig, fd, &pos, 100 - packet);
	(void)close(fd);
}

Test(mount_change, a_new_viewer_gets_as_much_at_once_as_the_output_says)
{
	struct msg_deliver_mount name = rig_name("/o", "a001");
	uint64_t pos = 70 * UINT64_C(188);
	struct scene s;
	int fd;

	init(&s);
	name.fill = 4; /* 22 packets */
	open_path(&s, &name, true);
	for (unsigned i = 0; i < 10; i++) {
		rig_mark(&s.rig);
		rig_write(&s.rig, 10);
		rig_turn(&s.rig, RIG_TICK_MS);
	}
	expect_start(&s, 70);
	fd = rig_request(&s.rig, "GET /o" HOST);
	rig_expect_status(&s.rig, fd, 200);
	rig_read_packets(&s.rig, fd, &pos, 30);
	/* others begin elsewhere, and this one stays */
	name.fill = 0;
	open_path(&s, &name, true);
	expect_start(&s, 90);
	name.fill = 1000;
	open_path(&s, &name, true);
	expect_start(&s, 0);
	expect_packets(&s, fd, &pos);
	(void)close(fd);
	rig_done(&s.rig);
}

Test(mount_change, clients_of_the_other_scheme_are_led_there)
{
	struct msg_deliver_mount name = rig_name("/live.m3u8", "a001");
	char head[1024];
	struct scene s;
	int fd, waits, link[2];

	name.hls = 4;
	init(&s);
	open_path(&s, &name, true);
	/* there is no segment yet */
	waits = rig_request(&s.rig, "GET /live.m3u8?token=x" HOST);
	rig_turn(&s.rig, 20);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, link), 0);
	deliver_set_tls(s.rig.deliver, link[0]);
	name.tls = true;
	open_path(&s, &name, true);
	/* a request that waits goes there, and the next one */
	rig_read_head(&s.rig, waits, head, sizeof head);
	cr_assert_not_null(strstr(head, "HTTP/1.1 302 "), "%s", head);
	fd = rig_request(&s.rig, "GET /live.m3u8?token=x" HOST);
	rig_read_head(&s.rig, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, "HTTP/1.1 302 "), "%s", head);
	cr_assert_not_null(strstr(head, "\r\nLocation: https://x/live.m3u8"
				  "?token=x\r\n"), "%s", head);
	(void)close(fd);
	fd = rig_request(&s.rig, "GET /live/17.ts HTTP/1.1\r\n"
			 "Host: [::1]:80\r\n\r\n");
	rig_read_head(&s.rig, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, "\r\nLocation: "
				  "https://[::1]:80/live/17.ts\r\n"), "%s",
			   head);
	(void)close(fd);
	(void)close(waits);
	/* there is no certificate */
	(void)close(link[1]);
	rig_turn(&s.rig, 20);
	fd = rig_request(&s.rig, "GET /live.m3u8" HOST);
	rig_expect_status(&s.rig, fd, 503);
	(void)close(fd);
	rig_done(&s.rig);
}

Test(mount_change, a_playlist_that_waits_is_judged_again)
{
	struct msg_deliver_mount name = rig_name("/live.m3u8", "a001");
	struct scene s;
	int fd, other;

	name.hls = 4;
	init(&s);
	open_path(&s, &name, true);
	/* there is no segment yet */
	fd = rig_request(&s.rig, "GET /live.m3u8" HOST);
	other = rig_request(&s.rig, "GET /live.m3u8?token=x" HOST);
	rig_turn(&s.rig, 20);
	open_path(&s, &name, false);
	await_question(&s);
	answer(&s, ASK_ALLOWED);
	await_question(&s);
	answer(&s, ASK_DENIED);
	rig_turn(&s.rig, 20);
	/* one of them waits for a segment */
	cr_assert_eq(has_bytes(fd) + has_bytes(other), 1);
	rig_expect_status(&s.rig, has_bytes(fd) ? fd : other, 403);

	/* one that waits for its permission needs none */
	(void)close(other);
	other = rig_request(&s.rig, "GET /live.m3u8?token=y" HOST);
	await_question(&s);
	open_path(&s, &name, true);
	answer(&s, ASK_DENIED);
	rig_turn(&s.rig, 20);
	cr_assert_not(has_bytes(other));
	deliver_unmount(s.rig.deliver, &name);
	rig_expect_status(&s.rig, other, 404);
	(void)close(fd);
	(void)close(other);
	rig_done(&s.rig);
}

static bool has_no_viewer(void *arg)
{
	const struct scene *s = arg;

	return deliver_status(s->rig.deliver).viewers == 0;
}

Test(mount_change, a_path_that_the_next_master_does_not_name_ends)
{
	struct msg_deliver_mount kept = rig_name("/o", "a002");
	struct scene s;
	uint64_t pos = 0;
	int ended, stays;

	init(&s);
	deliver_set_policy(s.rig.deliver, &(struct msg_deliver_policy){ 0 });
	rig_mount(&s.rig, &kept);
	ended = rig_request(&s.rig, "GET /a" HOST);
	stays = rig_request(&s.rig, "GET /o" HOST);
	rig_await_viewers(&s.rig, 2);
	deliver_renew(s.rig.deliver);
	rig_mount(&s.rig, &kept);
	deliver_settle(s.rig.deliver, &(struct msg_deliver_settle){ false });
	rig_await_viewers(&s.rig, 1);
	rig_expect_status(&s.rig, ended, 200);
	cr_assert_eq(rig_read_to_end(&s.rig, ended, &pos), 0);
	(void)close(stays);
	rig_until(&s.rig, has_no_viewer, &s);
	(void)close(ended);
	rig_done(&s.rig);
}

Test(mount_change, a_second_measurement_in_one_millisecond_changes_nothing)
{
	struct scene s;
	struct mount *m;
	uint64_t now_ms;

	init(&s);
	rig_write(&s.rig, PACKETS);
	m = s.rig.deliver->mounts.mounts[0];
	now_ms = m->rate_ms + 1000;
	mount_measure(m, now_ms);
	rig_write(&s.rig, PACKETS);
	mount_measure(m, now_ms + 1000);
	cr_assert_gt(m->rate, 0);
	mount_measure(m, now_ms + 1000);
	cr_assert_gt(m->rate, 0);
	cr_assert_eq(m->rate_ms, now_ms + 1000);
	rig_done(&s.rig);
}
