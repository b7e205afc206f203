/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/ts/batch.h"
#include "worker/input/input_keeper.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { PATIENCE_S = 30 };

static void ignore(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs, (void)n_runs, (void)arg;
}

/* Reads until the input fails. */
static void await_failure(struct input_keeper *s, uint64_t now_ns)
{
	uint64_t end = mono_ns() + PATIENCE_S * SECOND_NS;
	struct batch batch;

	batch_init(&batch, ignore, NULL);
	while (input_keeper_read(s, &batch, now_ns) >= 0) {
		cr_assert_lt(mono_ns(), end, "the input did not fail");
		(void)sched_yield();
		now_ns += MS;
	}
}

Test(input_keeper, is_not_open_while_it_is_tried_again)
{
	static struct input_keeper s;
	uint64_t now_ns = mono_ns();

	input_keeper_init(&s, "input 1", "file:///nonexistent/clip.ts#loop");
	input_keeper_open(&s, now_ns);
	await_failure(&s, now_ns);
	cr_assert_null(s.input);
	cr_assert_not(input_keeper_is_open(&s));

	now_ns = input_keeper_next_ns(&s);
	input_keeper_open(&s, now_ns);
	cr_assert_not_null(s.input);
	cr_assert_not(input_keeper_is_open(&s));
	cr_assert_str_eq(s.error.text,
			 "/nonexistent/clip.ts: No such file or directory");
	input_keeper_done(&s);
}

Test(input_keeper, retries_a_socket_soon_and_other_inputs_in_growing_intervals)
{
	static const struct {
		const char *address;
		unsigned pause_s; /* after many tries */
	} cases[] = {
		{ "udp://nope0@239.1.1.1", 2 },
		{ "rtp://nope0@239.1.1.1", 2 },
		/* this program has no library for it */
		{ "srt://nope0@:9000", 2 },
		{ "srt://:9000", 10 },
		{ "srt://nope0@h:9000", 10 },
		{ "stream://a", 10 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		static struct input_keeper s;
		uint64_t now_ns = mono_ns();

		input_keeper_init(&s, "input 1", cases[i].address);
		s.linked = true;
		for (unsigned tries = 0; tries < 8; tries++) {
			input_keeper_open(&s, now_ns);
			cr_assert_null(s.input, "%s", cases[i].address);
			if (tries < 7)
				now_ns = input_keeper_next_ns(&s);
		}
		cr_expect_eq(input_keeper_next_ns(&s) - now_ns,
			     cases[i].pause_s * SECOND_NS, "%s",
			     cases[i].address);
		input_keeper_done(&s);
	}
}

Test(input_keeper, reports_the_last_part_of_a_second_of_a_closed_input)
{
	static struct input_keeper s;
	uint8_t packet[TS_PACKET] = { 0x47, 0x1f, 0xff, 0x10 };
	char path[] = "/tmp/keeper-XXXXXX", address[64];
	uint64_t now_ns = mono_ns();
	struct input_counters c;
	int fd = mkstemp(path);

	for (unsigned i = 0; i < 16; i++) {
		packet[0] = i == 8 ? 0 : TS_SYNC_BYTE;
		cr_assert_eq(write(fd, packet, TS_PACKET), TS_PACKET);
	}
	(void)close(fd);
	(void)snprintf(address, sizeof address, "file://%s", path);
	input_keeper_init(&s, NULL, address);
	input_keeper_open(&s, now_ns);
	await_failure(&s, now_ns);
	(void)unlink(path);
	cr_assert(s.ended);
	input_keeper_counters(&s, &c);
	cr_expect_eq(c.bad_sync, 1);
	input_keeper_every_second(&s, now_ns, &c);
	cr_expect_eq(c.bad_sync, 1);
	input_keeper_every_second(&s, now_ns, &c);
	cr_expect_eq(c.bad_sync, 0);
	input_keeper_done(&s);
}
