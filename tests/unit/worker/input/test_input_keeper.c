/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/mono.h"
#include "worker/ts/batch.h"
#include "worker/input/input_keeper.h"

#include <criterion/criterion.h>
#include <sched.h>

enum { PATIENCE_S = 30 };

static void ignore(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs, (void)n_runs, (void)arg;
}

/* Until the thread that opens the file has said that it cannot. */
static void await_refusal(struct input_keeper *s, uint64_t now_ns)
{
	uint64_t end = mono_ns() + PATIENCE_S * UINT64_C(1000000000);
	struct batch batch;

	batch_init(&batch, ignore, NULL);
	while (input_keeper_read(s, &batch, now_ns) >= 0) {
		cr_assert_lt(mono_ns(), end, "nobody missed the file");
		(void)sched_yield();
	}
}

Test(input_keeper, is_not_open_while_it_is_tried_again)
{
	static struct input_keeper s;
	uint64_t now_ns = mono_ns();

	input_keeper_init(&s, "input 1", "file:///nonexistent/clip.ts#loop");
	input_keeper_open(&s, now_ns);
	await_refusal(&s, now_ns);
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

/* An interface may be there at any time: it is not waited for long. */
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
			     cases[i].pause_s * UINT64_C(1000000000), "%s",
			     cases[i].address);
		input_keeper_done(&s);
	}
}
