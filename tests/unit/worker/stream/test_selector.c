/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/csa/core_choice.h"
#include "worker/input/input_type.h"
#include "worker/stream/selector_state.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PATIENCE_S = 30, TRIES = 8, LINE = 256 };

/* The clock of the whole test, of the thread that reads the file as well. */
static _Atomic uint64_t clock_ns = SECOND_NS;

uint64_t __wrap_mono_ns(void);
uint64_t __wrap_mono_ns(void)
{
	return atomic_load(&clock_ns);
}

static uint64_t second_later(void)
{
	return atomic_fetch_add(&clock_ns, SECOND_NS) + SECOND_NS;
}

static void ignore_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs, (void)n_runs, (void)arg;
}

/* As a pipeline does. */
static void turn(struct selector *s)
{
	struct input_chain *due[SELECTOR_DUE_MAX];
	struct batch batch;
	size_t n = selector_due(s, clock_ns, due);

	batch_init(&batch, ignore_packets, NULL);
	for (size_t i = 0; i < n; i++)
		chain_read(due[i], &batch, clock_ns);
	selector_turn(s);
}

static void ignore_switch(const struct selector_switch *sw, void *arg)
{
	(void)sw, (void)arg;
}

static void count_off_air(enum log_level level, const char *component,
			  const char *text, void *arg)
{
	unsigned *n = arg;

	(void)level, (void)component;
	*n += strncmp(text, "off air: ", strlen("off air: ")) == 0;
}

/* Until the thread that opens the file has reported that it cannot. */
static void await_refusal(struct selector *s)
{
	time_t end = time(NULL) + PATIENCE_S;

	while (selector_chain(s, 1)->keeper.input != NULL) {
		cr_assert_lt(time(NULL), end, "the file was not missing");
		(void)sched_yield();
		turn(s);
	}
}

static void check_reason(struct selector *s)
{
	static struct msg_stream_status status;

	selector_second(s, second_later(), &status);
	cr_assert_str_eq(status.inputs[0].error,
			 "/nonexistent/clip.ts: No such file or directory");
	cr_assert_str_eq(status.inputs[0].reason, "cannot be opened");
}

static const struct msg_stream_start missing = {
	.n_inputs = 1,
	.inputs = { "file:///nonexistent/clip.ts#loop" },
	.first = 1,
};

static int ask_no_softcam(const struct msg *m, void *arg)
{
	(void)m, (void)arg;
	return 0;
}

static struct selector *make_with(struct stream_memory *memory,
				  struct splice *splice,
				  const struct msg_stream_start *start,
				  const char *filler)
{
	struct stream_spec spec;
	struct csa_choice csa = { 0 };

	stream_spec_init(&spec);
	spec.backup = BACKUP_DISABLE;
	if (filler != NULL) {
		spec.filler = FILLER_FILE;
		(void)snprintf(spec.filler_path, sizeof spec.filler_path, "%s",
			       filler);
	}
	return selector_new(&(struct selector_config){
		.start = start,
		.spec = &spec,
		.memory = memory,
		.now_ns = clock_ns,
		.splice = splice,
		.csa = &csa,
		.remuxed = ignore_packets,
		.on_switch = ignore_switch,
		.ask = ask_no_softcam,
	});
}

static struct selector *make(struct stream_memory *memory,
			     struct splice *splice,
			     const struct msg_stream_start *start)
{
	return make_with(memory, splice, start, NULL);
}

/* An input that cannot be opened is logged once, and while it is retried its
 * error stays in the status. */
Test(selector, the_reason_stays_while_an_input_is_tried_again)
{
	static struct msg_stream_status status;
	unsigned told = 0;
	int err;
	struct stream_memory *memory = stream_memory_open(-1, clock_ns, &err);
	struct splice *splice = splice_new(&(struct splice_config){
		.out = ignore_packets, .continuity = &memory->splice });
	struct selector *s = make(memory, splice, &missing);

	log_open(count_off_air, &told, LOG_LEVEL_INFO);
	turn(s);
	await_refusal(s);
	/* it is not asked in its first seconds */
	for (int i = 0; i < 10; i++)
		selector_second(s, second_later(), &status);
	for (int i = 0; i < TRIES; i++) {
		turn(s);
		check_reason(s);
		await_refusal(s);
		for (int k = 0; k < 10; k++)
			check_reason(s);
	}
	cr_assert_eq(told, 1, "%u lines", told);
	selector_free(&s);
	splice_free(&splice);
	stream_memory_close(&memory);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
}

static void keep_off_air(enum log_level level, const char *component,
			 const char *text, void *arg)
{
	(void)level, (void)component;
	if (strncmp(text, "off air: ", strlen("off air: ")) == 0)
		(void)snprintf(arg, LINE, "%s", text);
}

/* A second without packets, after an input on air failed; its last packets are
 * too recent for a silence. */
Test(selector, the_log_has_the_error_that_ends_the_packets)
{
	static struct msg_stream_status status;
	char line[LINE] = "";
	int err;
	struct stream_memory *memory = stream_memory_open(-1, clock_ns, &err);
	struct splice *splice = splice_new(&(struct splice_config){
		.out = ignore_packets, .continuity = &memory->splice });
	struct selector *s = make(memory, splice, &missing);

	log_open(keep_off_air, line, LOG_LEVEL_INFO);
	turn(s);
	await_refusal(s);
	s->was_onair = s->logged_onair = true;
	s->chains[0].keeper.failed = false;
	s->chains[0].silence.last_ns = clock_ns + SECOND_NS;
	selector_second(s, second_later(), &status);
	cr_assert_not(s->chains[0].silent);
	cr_assert_str_eq(line, "off air: /nonexistent/clip.ts: No such file or "
			       "directory");
	selector_free(&s);
	splice_free(&splice);
	stream_memory_close(&memory);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
}

/* The status of input 2, 100 ms after it was entered for input 1; was: whether
 * the stream was on air before, last_ns: the time of its last packet. */
static struct msg_input_status entered(bool was, uint64_t last_ns)
{
	static const struct msg_stream_start two = {
		.n_inputs = 2,
		.inputs = { "udp://127.0.0.1:9001", "udp://127.0.0.1:9002" },
		.first = 1,
	};
	static struct msg_stream_status status;
	int err;
	struct stream_memory *memory = stream_memory_open(-1, clock_ns, &err);
	struct splice *splice = splice_new(&(struct splice_config){
		.out = ignore_packets, .continuity = &memory->splice });
	struct selector *s = make(memory, splice, &two);
	struct errmsg error;

	cr_assert_eq(selector_choose(s, 2, clock_ns, &error), 2);
	cr_assert(s->chains[1].wanted);
	candidate_handle(s->on_air, CANDIDATE_CUT);
	s->on_air = &s->chains[1].candidate;
	candidate_handle(s->on_air, CANDIDATE_ENTER);
	s->was_onair = was;
	s->chains[1].silence.last_ns = last_ns;
	selector_second(s, clock_ns + 100 * MS, &status);
	selector_free(&s);
	splice_free(&splice);
	stream_memory_close(&memory);
	return status.inputs[1];
}

Test(selector, an_input_that_was_entered_is_on_air_until_it_is_judged)
{
	struct msg_input_status seen = entered(true, clock_ns);

	cr_expect(seen.active && seen.onair);
	cr_expect_null(seen.error);
	/* without packets, or with a stream that was not on air before */
	seen = entered(true, 0);
	cr_expect(seen.active && !seen.onair);
	cr_expect_str_eq(seen.error, "starting");
	seen = entered(false, clock_ns);
	cr_expect(seen.active && !seen.onair);
	cr_expect_str_eq(seen.error, "starting");
}

/* The reason of the active input in the first second after a start with input
 * `first`, which an operator chose or not. */
static const char *reason_after_start(unsigned first, bool by_hand)
{
	const struct msg_stream_start two = {
		.n_inputs = 2,
		.inputs = { "udp://127.0.0.1:9001", "udp://127.0.0.1:9002" },
		.first = first,
		.by_hand = by_hand,
	};
	static struct msg_stream_status status;
	int err;
	struct stream_memory *memory = stream_memory_open(-1, clock_ns, &err);
	struct splice *splice = splice_new(&(struct splice_config){
		.out = ignore_packets, .continuity = &memory->splice });
	struct selector *s = make(memory, splice, &two);

	selector_second(s, clock_ns + 100 * MS, &status);
	selector_free(&s);
	splice_free(&splice);
	stream_memory_close(&memory);
	cr_assert(status.inputs[first - 1].active);
	cr_expect_eq(status.by_hand, by_hand);
	return status.inputs[first - 1].reason;
}

Test(selector, a_choice_by_hand_is_one_after_a_restart_too)
{
	cr_expect_str_eq(reason_after_start(1, false), "start");
	cr_expect_str_eq(reason_after_start(2, false), "start");
	cr_expect_str_eq(reason_after_start(1, true), "manual");
	cr_expect_str_eq(reason_after_start(2, true), "manual");
}

/* It is not an input that the configuration lists. */
Test(selector, the_filler_has_its_own_name_in_the_log)
{
	int err;
	struct stream_memory *memory = stream_memory_open(-1, clock_ns, &err);
	struct splice *splice = splice_new(&(struct splice_config){
		.out = ignore_packets, .continuity = &memory->splice });
	struct selector *s = make_with(memory, splice, &missing,
				       "/nonexistent/filler.ts");

	chain_want(s->fill, true, clock_ns);
	chain_want(&s->chains[0], true, clock_ns);
	cr_expect_str_eq(s->fill->keeper.label, "filler");
	cr_expect_str_eq(s->fill->watch.where, "filler");
	cr_expect_str_eq(s->chains[0].watch.where, "input 1");
	selector_free(&s);
	splice_free(&splice);
	stream_memory_close(&memory);
}

/* Feeds a packet whose time in the delay is over since the last second. */
static void feed_delayed(struct input_chain *c)
{
	static const uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE, 0x1f, 0xff,
						   0x10 };
	struct ts_run run = { packet, 1 };

	ca_stage_feed(c->ca, &run, 1, clock_ns - SECOND_NS - 500 * MS);
}

Test(selector, packets_of_a_standby_that_wait_do_not_wake_between_its_reads)
{
	static const struct msg_stream_start two = {
		.n_inputs = 2,
		.inputs = { "udp://127.0.0.1:9001#cam=c1&shift=500",
			    "udp://127.0.0.1:9002#cam=c1&shift=500" },
		.first = 1,
	};
	uint64_t now_ns = second_later();
	int err;
	struct stream_memory *memory = stream_memory_open(-1, now_ns, &err);
	struct splice *splice = splice_new(&(struct splice_config){
		.out = ignore_packets, .continuity = &memory->splice });
	struct selector *s = make(memory, splice, &two);
	struct input_chain *due[SELECTOR_DUE_MAX];
	struct input open = { 0 };

	cr_assert_gt(selector_due(s, now_ns, due), 0);
	for (size_t i = 0; i < 2; i++) {
		s->chains[i].wanted = true;
		s->chains[i].keeper.input = &open;
	}
	feed_delayed(&s->chains[1]);
	cr_expect_eq(selector_next_ns(s, now_ns), s->standby_ns);
	feed_delayed(&s->chains[0]);
	cr_expect_eq(selector_next_ns(s, now_ns), now_ns - SECOND_NS);
	/* an input that is closed is not read before it is opened */
	s->chains[0].keeper.input = NULL;
	s->chains[0].keeper.retry.at_ns = now_ns + 1;
	cr_expect_eq(selector_next_ns(s, now_ns), now_ns + 1);
	s->chains[1].keeper.input = NULL;
	selector_free(&s);
	splice_free(&splice);
	stream_memory_close(&memory);
}
