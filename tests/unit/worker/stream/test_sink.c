/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/shared.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "proto/ipc/contract.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/output/admission.h"
#include "worker/output/output_type.h"
#include "worker/stream/sink.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* An interface may be there at any time: it is not waited for long. */
Test(sink, tries_a_socket_again_soon_and_all_else_less_and_less)
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
		{ "np://127.0.0.1:1/x", 10 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		static struct rtp_state place;
		static struct sink s;
		uint64_t now_ns = mono_ns();

		sink_init(&s, 1, cases[i].address, "test", &place);
		for (unsigned tries = 0; tries < 8; tries++) {
			sink_open(&s, now_ns);
			cr_assert_null(s.output, "%s", cases[i].address);
			if (tries < 7)
				now_ns = s.retry.at_ns;
		}
		cr_expect_eq(s.retry.at_ns - now_ns,
			     cases[i].pause_s * UINT64_C(1000000000), "%s",
			     cases[i].address);
		sink_done(&s);
	}
}

Test(sink, follows_interfaces_and_routes_where_it_is_bound_to_them)
{
	static const struct {
		const char *address;
		bool follows, routes;
	} cases[] = {
		{ "udp://lo@239.1.1.1", true, false },
		{ "udp://239.1.1.1", true, true },
		{ "rtp://lo@239.1.1.1#path2=239.1.1.2", true, true },
		{ "srt://lo@:9000", true, false },
		{ "srt://:9000", false, false },
		{ "srt://lo@h:9000", false, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		static struct rtp_state place;
		static struct sink s;

		sink_init(&s, 1, cases[i].address, "test", &place);
		cr_expect_eq(sink_follows(&s), cases[i].follows, "%s",
			     cases[i].address);
		cr_expect_eq(sink_follows_routes(&s), cases[i].routes, "%s",
			     cases[i].address);
		sink_done(&s);
	}
}

/* --- an output that calls a peer --- */

static struct {
	struct output base;
	const char *error;
} caller;

static int no_error(struct output *out, struct errmsg *error)
{
	(void)out, (void)error;
	return 0;
}

static const char *caller_error(const struct output *out)
{
	(void)out;
	return caller.error;
}

static void no_free(struct output *out)
{
	(void)out;
}

/* Stands for the opener that this program has no library for. */
struct output *rist_output_open(const struct output_spec *spec, int *ret_err,
				struct errmsg *error)
{
	static const struct output_ops ops = {
		.free = no_free,
		.every_second = no_error,
		.error = caller_error,
	};

	(void)ret_err, (void)error;
	caller.base = (struct output){ .ops = &ops, .spec = spec };
	return &caller.base;
}

static void count_lines(enum log_level level, const char *component,
			const char *text, void *arg)
{
	(void)level, (void)component;
	*(unsigned *)arg += strstr(text, "3 packets dropped: the network did "
				   "not accept them") != NULL;
}

Test(sink, logs_dropped_packets_only_after_the_peer_has_answered)
{
	static struct asker asker = { .authorize = true };
	static struct rtp_state place;
	static struct sink s;
	uint64_t now_ns = mono_ns();
	unsigned lines = 0;

	log_open(count_lines, &lines, LOG_LEVEL_WARNING);
	sink_init(&s, 1, "rist://127.0.0.1:9000", "test", &place);
	s.asker = &asker;
	caller.error = "no peer connected";
	sink_open(&s, now_ns);
	cr_assert_eq(s.output, &caller.base);
	/* the peer answers in the second after the dropped packets */
	caller.base.counters.dropped += 3;
	caller.error = NULL;
	sink_second(&s, 0, now_ns += SECOND_NS);
	cr_expect_eq(lines, 0);
	caller.error = "no peer connected";
	sink_second(&s, 0, now_ns += SECOND_NS);
	caller.base.counters.dropped += 3;
	caller.error = NULL;
	sink_second(&s, 0, now_ns += SECOND_NS);
	cr_expect_eq(lines, 0);
	caller.base.counters.dropped += 3;
	sink_second(&s, 0, now_ns += SECOND_NS);
	cr_expect_eq(lines, 1);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
	sink_done(&s);
}

struct lines {
	unsigned n;
	char last[512];
};

static void take_line(enum log_level level, const char *component,
		      const char *text, void *arg)
{
	struct lines *lines = arg;

	(void)level, (void)component;
	lines->n++;
	(void)snprintf(lines->last, sizeof lines->last, "%s", text);
}

Test(sink, queues_that_cannot_be_mapped_are_one_line_of_the_log)
{
	static const char *const addresses[] = {
		"udp://127.0.0.1:9", "udp://127.0.0.1:9#cbr=4000",
		"udp://127.0.0.1:9#burst=5", "udp://127.0.0.1:9#no_sync",
	};
	enum { N = ARRAY_LEN(addresses) };
	static struct rtp_state places[N];
	static struct sink sinks[N];
	struct lines lines = { 0 };
	/* it has no room for queues, and a whole one */
	int small = shared_create("test", STREAM_MEMORY_STATE);
	int whole = shared_create("test", STREAM_MEMORY_SIZE);
	const int fds[] = { small, -1, whole };

	log_open(take_line, &lines, LOG_LEVEL_WARNING);
	for (size_t k = 0; k < ARRAY_LEN(fds); k++) {
		for (unsigned i = 0; i < N; i++) {
			sink_init(&sinks[i], i + 1, addresses[i], "test",
				  &places[i]);
			places[i].queue = (uint16_t)(i + 1);
		}
		sinks_keep(sinks, N, fds[k], mono_ns());
		/* without memory the master has logged why */
		cr_expect_eq(lines.n, 1u, "%u", lines.n);
		for (unsigned i = 0; i < N; i++) {
			cr_expect_eq(sinks[i].queue != NULL, k == 2 && i > 0);
			sink_done(&sinks[i]);
		}
	}
	log_open(NULL, NULL, LOG_LEVEL_INFO);
	cr_expect_str_eq(lines.last, "output 2: cannot map the memory of its "
			 "queue: Bad file descriptor (3 of 4 outputs): if this "
			 "worker ends, packets that wait in these outputs are "
			 "lost");
	fd_close(&small);
	fd_close(&whole);
}

/* The packets that wait with burst=: half a second of the source at once. */
Test(sink, the_packets_that_wait_are_sent)
{
	static struct rtp_state place;
	static struct asker asker;
	static struct sink s;
	struct build *ts = build_new();
	uint64_t begin_ns = mono_ns(), fed = 0;
	struct ts_run run;

	sink_init(&s, 1, "udp://127.0.0.1:9#burst=5", "test", &place);
	s.asker = &asker;
	sink_open(&s, begin_ns);
	cr_assert_not_null(s.output);
	cr_assert_not_null(s.sender);
	for (uint64_t ms = 0; ms < 3500; ms += 10) {
		ts->n = 0;
		(void)build_pcr(ts, 0x101, 27000000 + ms * 27000);
		for (unsigned i = 1; i < 14; i++)
			(void)build_payload(ts, 0x101, 0x55);
		run = (struct ts_run){ ts->data, ts->n };
		fed += run.n;
		sink_feed(&s, &run, 1, begin_ns + MIN(ms, 3000u) * MS);
	}
	cr_assert_lt(s.sender->sent, fed);
	sink_flush(&s, begin_ns + 3000 * MS);
	cr_expect_eq(s.sender->sent, fed);
	cr_expect_eq(s.sender->dropped, 0u);
	sink_done(&s);
	build_free(ts);
}
