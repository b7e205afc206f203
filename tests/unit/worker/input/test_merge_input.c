/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "tests/unit/worker/stream/rig.h"
#include "worker/input/input_type.h"
#include "worker/input/redundant_paths.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { PORTS = 5000 };

struct merge_rig {
	struct rig net;
	struct input_spec spec;
	struct input *input;
	struct batch batch;
	uint64_t now_ns;
};

static void ignore(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs, (void)n_runs, (void)arg;
}

static void begin(struct merge_rig *r, const char *address)
{
	struct errmsg error;
	int err;

	*r = (struct merge_rig){ .now_ns = SECOND_NS };
	rig_init(&r->net);
	cr_assert_eq(input_spec_parse(address, &r->spec, NULL, NULL, &error),
		     0);
	r->input = input_open(&r->spec, r->now_ns, &err, &error);
	cr_assert_not_null(r->input, "%s", error.text);
	batch_init(&r->batch, ignore, NULL);
}

static void read_once(struct merge_rig *r)
{
	struct errmsg error = { 0 };

	r->now_ns += 10 * MS;
	cr_assert_geq(input_read(r->input, &r->batch, r->now_ns, &error), 0,
		      "%s", error.text);
}

static void pass_second(struct merge_rig *r)
{
	struct errmsg error = { 0 };

	r->now_ns += SECOND_NS;
	cr_assert_eq(input_every_second(r->input, r->now_ns, &error), 0, "%s",
		     error.text);
}

/* Seven null packets; the sync byte of one of them is damaged. */
static void send_damaged(struct merge_rig *r, uint16_t path)
{
	uint8_t datagram[7 * TS_PACKET] = { 0 };

	for (size_t i = 0; i < 7; i++)
		memcpy(datagram + i * TS_PACKET, "\x47\x1f\xff\x10", 4);
	datagram[5 * TS_PACKET] = 0;
	rig_aim(&r->net, "127.0.0.1", PORTS + path);
	rig_send(&r->net, datagram, sizeof datagram);
}

/* The next read from its socket fails. */
static void break_path(struct merge_rig *r, size_t path)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	cr_assert_geq(dup2(fd, r->input->paths->path[path].fd), 0);
	(void)close(fd);
	read_once(r);
	cr_assert_not(r->input->paths->path[path].open);
}

static uint64_t bad_sync(const struct merge_rig *r)
{
	struct input_counters c;

	input_counters(r->input, &c);
	return c.bad_sync;
}

static void end(struct merge_rig *r)
{
	input_free(&r->input);
	rig_done(&r->net);
}

Test(merge_input, keeps_the_counters_of_a_path_that_dies)
{
	struct merge_rig r;

	begin(&r, "udp://127.0.0.1:5000#merge=udp://127.0.0.1:5001");
	send_damaged(&r, 1);
	read_once(&r);
	pass_second(&r);
	cr_assert_eq(bad_sync(&r), 1);
	send_damaged(&r, 1);
	read_once(&r);
	break_path(&r, 1);
	cr_expect_eq(bad_sync(&r), 2);
	pass_second(&r);
	cr_expect_eq(bad_sync(&r), 2);
	send_damaged(&r, 1);
	read_once(&r);
	cr_expect_eq(bad_sync(&r), 3);
	end(&r);
}

/* Its socket gets the number of the one before. */
Test(merge_input, wakes_up_for_a_path_that_the_watchdog_opened_again)
{
	struct merge_rig r;
	struct pollfd poll_fd = { .events = POLLIN };
	int before;

	begin(&r, "udp://127.0.0.1:5000#watchdog=1&merge="
		  "udp://127.0.0.1:5001");
	before = r.input->paths->path[0].fd;
	pass_second(&r);
	cr_assert_eq(r.input->paths->path[0].fd, before);
	poll_fd.fd = input_fd(r.input);
	cr_assert_eq(poll(&poll_fd, 1, 0), 0);
	send_damaged(&r, 0);
	cr_assert_eq(poll(&poll_fd, 1, RIG_PATIENCE_MS), 1);
	end(&r);
}
