/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "tests/unit/worker/stream/rig.h"
#include "worker/input/input_keeper.h"
#include "worker/input/input_type.h"
#include "worker/input/redundant_paths.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PORTS = 5000, N_PORTS = 3, STEP_MS = 100, TRIES_MAX = 16 };

/* The times at which a port was bound. */
static struct {
	bool refuse;
	uint64_t now_ns;
	size_t n[N_PORTS];
	uint64_t ns[N_PORTS][TRIES_MAX];
} tries;

/* Stands before the one of libc. */
int bind(int fd, const struct sockaddr *at, socklen_t len)
{
	size_t port = (size_t)(ntohs(((const struct sockaddr_in *)
				      (const void *)at)->sin_port) - PORTS);

	if (at->sa_family == AF_INET && port < N_PORTS)
		tries.ns[port][tries.n[port]++ % TRIES_MAX] = tries.now_ns;
	if (at->sa_family == AF_INET && tries.refuse) {
		errno = EADDRINUSE;
		return -1;
	}
	return (int)syscall(SYS_bind, fd, at, len);
}

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

/* The next read from the socket fails. */
static void break_socket(int socket)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	cr_assert_geq(dup2(fd, socket), 0);
	(void)close(fd);
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
	break_socket(r.input->paths->path[1].fd);
	read_once(&r);
	cr_assert_not(r.input->paths->path[1].open);
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

static void step(struct input_keeper *k, bool second)
{
	struct input_counters c;
	struct batch batch;

	batch_init(&batch, ignore, NULL);
	input_keeper_open(k, tries.now_ns);
	if (k->input != NULL)
		(void)input_keeper_read(k, &batch, tries.now_ns);
	if (second)
		input_keeper_every_second(k, tries.now_ns, &c);
}

static uint64_t try_ms(size_t port, size_t i)
{
	return (tries.ns[port][i] - SECOND_NS) / MS;
}

/* Both paths of the merge fail, one after the other. */
Test(merge_input, retries_each_path_as_often_as_an_input_without_merge)
{
	static struct input_keeper merge, plain;
	struct rig net;

	rig_init(&net);
	tries.now_ns = SECOND_NS;
	input_keeper_init(&plain, NULL, "udp://127.0.0.1:5002");
	input_keeper_init(&merge, NULL,
			  "udp://127.0.0.1:5000#merge=udp://127.0.0.1:5001");
	for (unsigned ms = 0; ms < 10000; ms += STEP_MS) {
		if (ms == 300) {
			tries.refuse = true;
			break_socket(merge.input->paths->path[0].fd);
			break_socket(input_fd(plain.input));
		}
		if (ms == 700)
			break_socket(merge.input->paths->path[1].fd);
		step(&merge, ms % 1000 == 0);
		step(&plain, ms % 1000 == 0);
		if (ms >= 700)
			cr_expect(!input_keeper_is_open(&merge) &&
				  merge.failed, "%u", ms);
		tries.now_ns += STEP_MS * MS;
	}
	cr_expect_eq(merge.opens, 1);
	cr_assert_eq(tries.n[2], 6);
	for (size_t i = 0; i < 6; i++) {
		cr_expect_eq(try_ms(0, i), try_ms(2, i));
		cr_expect_eq(try_ms(1, i),
			     try_ms(2, i) + (i > 0 ? 400 : 0));
	}

	tries.refuse = false;
	tries.now_ns += 2 * SECOND_NS;
	step(&merge, true);
	cr_expect(input_keeper_is_open(&merge));
	input_keeper_done(&merge);
	input_keeper_done(&plain);
	rig_done(&net);
}

/* The watchdog of the merge itself would open each path once more. */
Test(merge_input, a_silent_merge_opens_its_paths_as_often_as_an_input)
{
	static struct input_keeper merge, plain;
	struct rig net;

	rig_init(&net);
	tries.now_ns = SECOND_NS;
	input_keeper_init(&plain, NULL, "udp://127.0.0.1:5002#watchdog=1");
	input_keeper_init(&merge, NULL, "udp://127.0.0.1:5000#watchdog=1&merge="
			  "udp://127.0.0.1:5001");
	for (unsigned s = 0; s < 10; s++) {
		step(&merge, true);
		step(&plain, true);
		tries.now_ns += SECOND_NS;
	}
	cr_expect_eq(merge.opens, 1);
	cr_assert_gt(tries.n[2], 3);
	cr_assert_eq(tries.n[0], tries.n[2]);
	for (size_t i = 0; i < tries.n[2]; i++)
		cr_expect_eq(try_ms(0, i), try_ms(2, i));
	input_keeper_done(&merge);
	input_keeper_done(&plain);
	rig_done(&net);
}

/* They are read by the clock; the program has no opener for their library. */
Test(merge_input, paths_of_a_library_need_its_program)
{
	struct input_spec spec;
	struct errmsg error;
	struct rig net;
	int err = 0;

	rig_init(&net);
	cr_assert_eq(input_spec_parse("srt://127.0.0.1:5000#merge="
				      "srt://127.0.0.1:5001", &spec, NULL, NULL,
				      &error), 0);
	cr_assert_null(input_open(&spec, SECOND_NS, &err, &error));
	cr_assert_lt(err, 0);
	cr_assert_str_eq(error.text, "this program does not support the type "
			 "of the input");
	rig_done(&net);
}
