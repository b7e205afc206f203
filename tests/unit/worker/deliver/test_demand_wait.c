/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests for a stream on demand wait for its packets. */
#include "worker/deliver/demand_wait.h"

#include "common/base/fd.h"
#include "tests/unit/worker/deliver/rig.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PLENTY = 64 };

static const struct msg_deliver_mount demanded = {
	.address = RIG_ADDRESS, .path = "/d", .stream = "d001",
	.demand = true,
};

struct reports {
	unsigned n;
	uint32_t viewers; /* of the last report */
};

static void on_demand(const struct msg_deliver_viewers *v, void *arg)
{
	struct reports *seen = arg;

	cr_assert_str_eq(v->path, "/d");
	seen->n++;
	seen->viewers = v->viewers;
}

static void mount(struct rig *r, bool stopped)
{
	struct msg_deliver_mount name = demanded;

	name.stopped = stopped;
	rig_mount(r, &name);
}

static void init(struct rig *r, struct reports *seen, unsigned start_ms)
{
	*seen = (struct reports){ 0 };
	rig_init_with(r, RING_UNIT, &(struct deliver_config){
		.start_ms = start_ms,
		.on_demand = on_demand,
		.arg = seen,
	});
	mount(r, false);
}

struct wanted {
	struct rig *rig;
	const struct reports *seen;
	unsigned n;
};

static bool is_reported(void *arg)
{
	const struct wanted *w = arg;

	return w->seen->n == w->n;
}

static int watch(struct rig *r, const struct reports *seen, unsigned n)
{
	struct wanted w = { r, seen, n };
	int fd = rig_request(r, "GET /d HTTP/1.1\r\nHost: x\r\n\r\n");

	rig_until(r, is_reported, &w);
	return fd;
}

static uint32_t count(struct rig *r)
{
	struct msg_deliver_viewers v;
	size_t cursor = 0;
	uint32_t n = UINT32_MAX;

	while (deliver_next_change(r->deliver, &cursor, &v))
		if (strcmp(v.path, "/d") == 0)
			n = v.viewers;
	return n;
}

Test(demand_wait, the_first_viewer_is_reported_and_answered_with_its_packets)
{
	struct rig r;
	struct reports seen;
	char head[512];
	uint64_t pos;
	int fd;

	init(&r, &seen, 0);
	fd = watch(&r, &seen, 1);
	cr_assert_eq(seen.viewers, 1);
	rig_turn(&r, 20);
	cr_assert_lt(recv(fd, head, sizeof head, MSG_DONTWAIT), 0);
	/* without a picture it waits, too */
	rig_write(&r, PLENTY);
	rig_turn(&r, 20);
	cr_assert_lt(recv(fd, head, sizeof head, MSG_DONTWAIT), 0);
	pos = ring_writer_pos(r.writer);
	rig_mark(&r);
	rig_write(&r, PLENTY);
	rig_expect_status(&r, fd, 200);
	rig_read_packets(&r, fd, &pos, PLENTY);
	cr_assert_eq(seen.n, 1);
	(void)close(fd);
	rig_done(&r);
}

Test(demand_wait, a_start_that_fails_is_503_after_the_limit)
{
	struct rig r;
	struct reports seen;
	int fd;

	init(&r, &seen, 50);
	fd = watch(&r, &seen, 1);
	rig_expect_status(&r, fd, 503);
	cr_assert_eq(count(&r), 0);
	(void)close(fd);
	rig_done(&r);
}

struct leaving {
	struct rig *rig;
};

static bool is_forgotten(void *arg)
{
	struct leaving *l = arg;

	return count(l->rig) == 0;
}

Test(demand_wait, a_client_that_leaves_meanwhile_is_not_counted)
{
	struct rig r;
	struct reports seen;
	struct leaving l = { &r };

	init(&r, &seen, 0);
	(void)close(watch(&r, &seen, 1));
	rig_until(&r, is_forgotten, &l);
	/* the next one is the first again */
	(void)close(watch(&r, &seen, 2));
	rig_until(&r, is_forgotten, &l);
	rig_done(&r);
}

Test(demand_wait, a_removed_path_rejects_those_who_wait)
{
	struct rig r;
	struct reports seen;
	int fd;

	init(&r, &seen, 0);
	fd = watch(&r, &seen, 1);
	deliver_unmount(r.deliver, &demanded);
	rig_expect_status(&r, fd, 503);
	(void)close(fd);
	rig_done(&r);
}

/* The stream is the same, another setting of its path has changed. */
static void change(struct rig *r)
{
	struct msg_deliver_mount name = demanded;

	name.no_auth = true;
	rig_mount(r, &name);
}

Test(demand_wait, a_changed_path_keeps_those_who_wait)
{
	struct rig r;
	struct reports seen;
	uint64_t pos;
	int fd;

	init(&r, &seen, 0);
	fd = watch(&r, &seen, 1);
	change(&r);
	/* the master may have made the path anew, without viewers */
	cr_assert_eq(seen.n, 2);
	cr_assert_eq(seen.viewers, 1);
	pos = ring_writer_pos(r.writer);
	rig_mark(&r);
	rig_write(&r, PLENTY);
	rig_expect_status(&r, fd, 200);
	rig_read_packets(&r, fd, &pos, PLENTY);
	(void)close(fd);
	rig_done(&r);
}

/* The viewers of the old path have left, and the master does not know yet. */
Test(demand_wait, the_first_viewer_of_a_changed_path_is_reported)
{
	struct rig r;
	struct reports seen;
	char head[512];
	int old, fd;

	init(&r, &seen, 0);
	old = watch(&r, &seen, 1);
	rig_mark(&r);
	rig_write(&r, PLENTY);
	rig_read_head(&r, old, head, sizeof head);
	change(&r);
	fd = watch(&r, &seen, 2);
	cr_assert_eq(seen.viewers, 1);
	(void)close(old);
	(void)close(fd);
	rig_done(&r);
}

/* The older settings do not stay. */
Test(demand_wait, a_path_that_changes_to_an_invalid_ring_is_gone)
{
	struct msg_deliver_mount name = demanded;
	struct rig r;
	struct reports seen;
	int fds[2], fd;

	init(&r, &seen, 0);
	fd = watch(&r, &seen, 1);
	cr_assert_eq(pipe(fds), 0);
	name.no_auth = true;
	cr_assert_lt(deliver_mount(r.deliver, &name, fds[0]), 0);
	rig_expect_status(&r, fd, 503);
	(void)close(fds[0]);
	(void)close(fds[1]);
	(void)close(fd);
	rig_done(&r);
}

/* A report on an earlier mount may reach the master after the new one. */
Test(demand_wait, a_new_path_reports_that_it_has_no_viewer)
{
	struct rig r;
	struct reports seen;
	int fd;

	init(&r, &seen, 0);
	cr_assert_eq(count(&r), 0);
	fd = watch(&r, &seen, 1);
	deliver_unmount(r.deliver, &demanded);
	mount(&r, true);
	cr_assert_eq(count(&r), 0);
	(void)close(fd);
	rig_done(&r);
}

/* The path is mounted again, stopped. */
Test(demand_wait, a_stopped_stream_gives_no_old_packets)
{
	struct rig r;
	struct reports seen;
	struct leaving l = { &r };
	char head[512];
	uint64_t pos;
	int fd;

	init(&r, &seen, 0);
	fd = watch(&r, &seen, 1);
	rig_mark(&r);
	rig_write(&r, PLENTY);
	rig_read_head(&r, fd, head, sizeof head);
	(void)close(fd);
	rig_until(&r, is_forgotten, &l);
	mount(&r, true);
	fd = watch(&r, &seen, 2);
	rig_turn(&r, 20);
	cr_assert_lt(recv(fd, head, sizeof head, MSG_DONTWAIT), 0);
	pos = ring_writer_pos(r.writer);
	rig_mark(&r);
	rig_write(&r, PLENTY);
	rig_read_head(&r, fd, head, sizeof head);
	rig_read_packets(&r, fd, &pos, PLENTY);
	(void)close(fd);
	rig_done(&r);
}
