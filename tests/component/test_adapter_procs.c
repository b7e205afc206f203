/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The master's side of adapters with the real worker behind it. */
#include "common/base/fd.h"
#include "master/streams/adapter_procs_state.h"
#include "master/streams/stream_ring.h"
#include "tests/component/rig.h"
#include "tests/component/service_rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int __real_stream_ring_make(struct stream_ring *, size_t);
int __wrap_stream_ring_make(struct stream_ring *, size_t);

struct bench {
	struct service_rig rig;
	struct adapter_procs *adapters;
	json_t *list;
	unsigned shortages; /* rings that cannot be made */
	pid_t last;         /* a worker that must have ended */
	int ring;           /* the ring at the last on_ring, a copy; -1 */
	unsigned rings;     /* calls of on_ring */
	unsigned statuses;  /* calls of on_status */
	int taken;          /* the adapter of the last on_taken; -1 */
};

static struct bench b;

int __wrap_stream_ring_make(struct stream_ring *r, size_t size)
{
	if (b.shortages > 0) {
		b.shortages--;
		return -EMFILE;
	}
	return __real_stream_ring_make(r, size);
}

static void on_ring(const char *id, void *arg)
{
	int ring = adapter_procs_ring(b.adapters, id);

	(void)arg;
	fd_close(&b.ring);
	if (ring >= 0)
		b.ring = fcntl(ring, F_DUPFD_CLOEXEC, 0);
	b.rings++;
}

static void setup_with(const char *worker)
{
	struct adapter_procs_config config = { .on_ring = on_ring };

	b.ring = b.taken = -1;
	service_rig_init(&b.rig, worker);
	config.service = service_rig_config(&b.rig);
	b.adapters = adapter_procs_new(&config);
	b.list = json_pack("[{s:s, s:b, s:o}]", "id", "d", "enable", 1,
			   "address", json_sprintf("udp://%s:5000",
						   rig_host()));
}

static void setup(void)
{
	setup_with("sluice-worker");
}

static void teardown(void)
{
	service_rig_stop(&b.rig, service_list_at(
				    adapter_procs_list(b.adapters), 0));
	adapter_procs_free(&b.adapters);
	json_decref(b.list);
	fd_close(&b.ring);
	service_rig_done(&b.rig);
}

/* Another process than the last one. */
static bool is_running(void *arg)
{
	struct adapter_info info;

	(void)arg;
	if (!adapter_procs_get(b.adapters, "d", &info) ||
	    strcmp(info.state, "running") != 0 || info.pid == b.last)
		return false;
	b.last = info.pid;
	return true;
}

static void await_worker(const char *what)
{
	rig_run_until(b.rig.loop, is_running, NULL, 15000, what);
}

static bool is_same(int one, int two)
{
	struct stat a, c;

	cr_assert_eq(fstat(one, &a), 0);
	cr_assert_eq(fstat(two, &c), 0);
	return a.st_ino == c.st_ino;
}

/* With a worker that runs; returns a copy of its ring. */
static int setup_running(void)
{
	setup();
	adapter_procs_set(b.adapters, b.list);
	await_worker("the worker");
	return fcntl(b.ring, F_DUPFD_CLOEXEC, 0);
}

Test(adapter_procs, every_worker_has_a_ring_of_its_own, .timeout = 120)
{
	int before = setup_running();

	cr_assert_eq(b.rings, 1u);
	cr_assert_eq(kill(b.last, SIGKILL), 0);
	await_worker("its successor");
	cr_assert_eq(b.rings, 2u, "readers get the new ring once");
	cr_assert(!is_same(before, b.ring));
	fd_close(&before);

	before = fcntl(b.ring, F_DUPFD_CLOEXEC, 0);
	adapter_procs_restart(b.adapters, "d");
	await_worker("the one after the restart");
	cr_assert(!is_same(before, b.ring));
	cr_assert(is_same(b.ring, adapter_procs_ring(b.adapters, "d")));
	fd_close(&before);
	teardown();
}

Test(adapter_procs, a_ring_that_cannot_be_made_is_tried_again, .timeout = 120)
{
	setup();
	b.shortages = 2; /* at the start, and for the first worker */
	adapter_procs_set(b.adapters, b.list);
	await_worker("a worker with a ring");
	cr_assert_eq(rig_count_log("cannot create the ring buffer: "), 1u, "%s",
		     rig_log());
	cr_assert_geq(b.ring, 0);
	teardown();
}

static bool has_error(const char *text)
{
	struct errmsg error;

	return adapter_procs_has_error(b.adapters, "d", &error) &&
	       strstr(error.text, text) != NULL;
}

static bool lacks_packets(void *arg)
{
	(void)arg;
	return has_error("no packets");
}

/* Only before the master ends the worker, because the reason stays the same. */
static bool is_silent(void *arg)
{
	struct adapter_info info;

	(void)arg;
	return has_error("no status for ") &&
	       adapter_procs_get(b.adapters, "d", &info) &&
	       strcmp(info.state, "running") == 0;
}

/* The last error of a worker that hangs is out of date. */
Test(adapter_procs, a_silent_worker_is_the_reason, .timeout = 120)
{
	int before = setup_running();

	rig_run_until(b.rig.loop, lacks_packets, NULL, 15000,
		      "the error of the source");
	cr_assert_eq(kill(b.last, SIGSTOP), 0);
	rig_run_until(b.rig.loop, is_silent, NULL, 15000,
		      "an error of the running worker");
	cr_assert_eq(kill(b.last, SIGKILL), 0);
	await_worker("its successor");
	fd_close(&before);
	teardown();
}

static void damage_ring(void)
{
	char path[64], garbage[64];
	int fd;

	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", b.ring);
	memset(garbage, 0xff, sizeof garbage);
	fd = open(path, O_RDWR | O_CLOEXEC);
	cr_assert_geq(fd, 0);
	cr_assert_eq(pwrite(fd, garbage, sizeof garbage, 0),
		     (ssize_t)sizeof garbage);
	(void)close(fd);
}

/* Not even a change of the configuration gives it another ring. */
Test(adapter_procs, a_worker_that_damages_its_ring_is_replaced, .timeout = 120)
{
	int before = setup_running();

	damage_ring();
	adapter_procs_set(b.adapters, b.list);
	await_worker("its successor");
	cr_assert_eq(rig_count_log("it damaged its ring buffer"), 1u, "%s",
		     rig_log());
	cr_assert(!is_same(before, b.ring));
	fd_close(&before);
	teardown();
}

static void on_status(const char *id, const struct msg_adapter_status *status,
		      void *arg)
{
	(void)id, (void)status, (void)arg;
	b.statuses++;
}

static void on_taken(int adapter, bool taken, void *arg)
{
	(void)taken, (void)arg;
	b.taken = adapter;
}

static bool has_status(void *arg)
{
	(void)arg;
	return b.statuses > 0;
}

/* Takes adapter, and waits for a status of a worker that has a tuner. */
static void expect_taken(json_t *adapter, int expected)
{
	setup_with("tests/component/fake_worker");
	json_decref(b.list);
	b.list = json_pack("[o]", adapter);
	b.statuses = 0;
	adapter_procs_watch(b.adapters, on_status, on_taken, NULL);
	adapter_procs_set(b.adapters, b.list);
	rig_run_until(b.rig.loop, has_status, NULL, 15000, "a status");
	cr_assert_eq(b.taken, expected);
	teardown();
}

Test(adapter_procs, only_an_adapter_with_a_tuner_takes_one, .timeout = 120)
{
	expect_taken(json_pack("{s:s, s:b, s:s, s:i, s:i}", "id", "d",
			       "enable", 1, "type", "T", "adapter", 5,
			       "frequency", 474), 5);
	expect_taken(json_pack("{s:s, s:b, s:o}", "id", "d", "enable", 1,
			       "address", json_sprintf("udp://%s:5000",
						       rig_host())), -1);
}

static bool has_six_successors(void *arg)
{
	const char *at = rig_log();
	unsigned n = 0;

	(void)arg;
	while ((at = strstr(at, "replaced: its sandbox")) != NULL) {
		at++;
		n++;
	}
	return n >= 6;
}

/* A stream that asks for so many is restarted for a failure. */
Test(adapter_procs, many_successors_in_a_row_are_no_failures, .timeout = 120)
{
	struct adapter_info info;

	setup_with("tests/component/fake_worker");
	(void)json_object_set_new(json_array_get(b.list, 0), "id",
				  json_string("renews"));
	adapter_procs_set(b.adapters, b.list);
	rig_run_until(b.rig.loop, has_six_successors, NULL, 60000,
		      "six successors");
	cr_assert(adapter_procs_get(b.adapters, "renews", &info));
	cr_assert_eq(info.restarts, 0, "%s", rig_log());
	teardown();
}

Test(adapter_procs, an_adapter_that_waits_for_workers_to_stop_is_named,
     .timeout = 120)
{
	int ring = setup_running();
	json_t *other = json_deep_copy(b.list);

	b.adapters->list.max = 1;
	(void)json_object_set_new(json_array_get(other, 0), "id",
				  json_string("e"));
	adapter_procs_set(b.adapters, other);
	cr_expect_eq(rig_count_log("adapter e does not run: workers of removed "
				   "adapters are still stopping (1)"), 1u, "%s",
		     rig_log());
	json_decref(other);
	fd_close(&ring);
	teardown();
}
