/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each stage of the data path takes of the CPU, without the system calls
 * at its ends.
 *
 * A turn is a tick's worth of packets.  Before each of them the near caches
 * are filled with something else, as they are when fifty other workers had
 * their turn; with --warm everything is still there.
 */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "tests/bench/args.h"
#include "tests/bench/tsmaker.h"
#include "worker/output/sender.h"
#include "worker/remux/version_stage.h"
#include "worker/splice/splice.h"
#include "worker/stream/input_chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_MS = 10,
	PER_DATAGRAM = 7,
	WARM_TICKS = 200, /* tables are known, rates settled */
	SEGMENT = PER_DATAGRAM * TSMAKER_PACKET,
	LINE = 64,
	OTHERS_SIZE = 4 << 20, /* more than the second cache holds */
};

#define NS_PER_MS UINT64_C(1000000)

/* The last stage of a packet, and its variant. */
struct chain {
	const char *name;
	const char *options; /* of the input; NULL: it ends before the chain */
	bool versions, splice, cut, send;
};

#define REMUX "#map.pmt=512&map.video=513"
static const struct chain chains[] = {
	{ .name = "sync" },
	{ .name = "count", .options = "#no_analyze" },
	{ .name = "analysis", .options = "" },
	{ .name = "splice", .options = "", .splice = true },
	{ .name = "relay", .options = "", .splice = true, .send = true },
	{ .name = "cut", .options = "", .splice = true,
	  .cut = true, .send = true },
	{ .name = "remux", .options = REMUX, .splice = true, .send = true },
	{ .name = "versions", .options = REMUX, .versions = true,
	  .splice = true, .send = true },
};

struct options {
	uint64_t rate_bps;
	unsigned ticks;
	const char *only;
	bool warm;
	volatile uint8_t *others; /* OTHERS_SIZE bytes */
};

struct stream {
	const struct chain *chain;
	struct tsmaker maker;
	uint8_t *received;
	size_t len;
	struct batch batch;
	struct ts_sync sync;
	struct input_chain input;
	struct table_versions versions;
	struct splice_continuity state;
	struct version_counts counts;
	struct version_stage *stage; /* NULL: the chain has none */
	struct splice *splice;
	struct sender sender;
	uint64_t now_ns;
	uint64_t packets; /* that came to the end of the chain */
};

static void on_end(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct stream *s = arg;

	for (size_t i = 0; i < n_runs; i++)
		s->packets += runs[i].n;
	if (s->chain->send)
		sender_feed(&s->sender, runs, n_runs, s->now_ns);
}

static void on_counted(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct stream *s = arg;

	if (s->chain->splice)
		splice_feed(s->splice, runs, n_runs, s->now_ns);
	else
		on_end(runs, n_runs, s);
}

static void on_made(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct stream *s = arg;

	for (size_t i = 0; s->input.analyze != NULL && i < n_runs; i++)
		analyze_feed(s->input.analyze, runs[i]);
	if (s->stage != NULL)
		version_stage_feed(s->stage, runs, n_runs);
	else
		on_counted(runs, n_runs, s);
}

static void on_batch(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct stream *s = arg;

	struct input_chain *c = &s->input;

	if (s->chain->options == NULL) {
		on_end(runs, n_runs, s);
		return;
	}
	chain_watch(c, runs, n_runs, s->now_ns);
	if (c->remux != NULL)
		remux_feed(c->remux, runs, n_runs, s->now_ns);
	else
		on_made(runs, n_runs, s);
}

static void stream_init(struct stream *s, const struct chain *chain,
			const struct options *o)
{
	struct stream_spec spec;
	struct errmsg why;
	json_t *none = json_object();
	char address[128];

	*s = (struct stream){ .chain = chain, .now_ns = TICK_MS * NS_PER_MS };
	if (stream_spec_parse(none, &spec, &why) < 0)
		abort();
	json_decref(none);
	tsmaker_init(&s->maker, o->rate_bps);
	s->received = xcalloc(o->rate_bps * TICK_MS / 8000 / SEGMENT + 2,
			      SEGMENT);
	batch_init(&s->batch, on_batch, s);
	ts_sync_init(&s->sync, TS_SYNC_DATAGRAM);
	(void)snprintf(address, sizeof address, "udp://127.0.0.1:1%s",
		       chain->options != NULL ? chain->options : "");
	chain_init(&s->input, &(struct chain_config){
				      .position = 1,
				      .address = address,
				      .stream = &spec,
				      .alone = true,
				      .versions = &s->versions,
				      .remuxed = on_made,
				      .arg = s,
			      });
	chain_want(&s->input, true, s->now_ns);
	if (chain->versions)
		s->stage = version_stage_new(&s->counts, on_counted, s);
	s->splice = splice_new(&(struct splice_config){
		.out = on_end, .arg = s, .continuity = &s->state });
	sender_init(&s->sender, NULL, 0, NULL);
}

static void stream_done(struct stream *s)
{
	chain_done(&s->input);
	version_stage_free(&s->stage);
	splice_free(&s->splice);
	sender_done(&s->sender);
	free(s->received);
}

/* The input of the next tick; not part of the measurement. */
static void receive(struct stream *s)
{
	uint64_t until_ns = s->now_ns; /* the stream began a tick ago */

	s->now_ns += TICK_MS * NS_PER_MS;
	for (s->len = 0; s->maker.time_ns < until_ns; s->len += SEGMENT)
		for (size_t i = 0; i < PER_DATAGRAM; i++)
			tsmaker_next(&s->maker, s->now_ns,
				     s->received + s->len +
					     i * TSMAKER_PACKET);
}

static void turn(struct stream *s)
{
	for (size_t at = 0; at < s->len; at += SEGMENT)
		batch_sync(&s->batch, &s->sync, s->received + at, SEGMENT);
	batch_flush(&s->batch);
}

/* Load of other processes between two turns: it evicts our data from the caches
 * and from the tables of addresses. */
static void evict(const struct options *o)
{
	for (size_t i = 0; !o->warm && i < OTHERS_SIZE; i += LINE)
		o->others[i]++;
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of all turns: other processes affect only some of them. */
static uint64_t measure_turns(struct stream *s, const struct options *o)
{
	uint64_t *took = xcalloc(o->ticks, sizeof *took);
	uint64_t middle;

	for (size_t i = 0; i < o->ticks; i++) {
		evict(o);
		receive(s);
		(void)mono_ns();
		took[i] = mono_ns();
		turn(s);
		took[i] = mono_ns() - took[i];
	}
	qsort(took, o->ticks, sizeof *took, by_size);
	middle = took[o->ticks / 2];
	free(took);
	return middle;
}

static void measure(const struct chain *chain, const struct options *o)
{
	double mbit = (double)o->rate_bps * TICK_MS / 1e9;
	struct stream *s = xcalloc(1, sizeof *s);
	uint64_t ns;

	stream_init(s, chain, o);
	for (size_t i = 0; i < WARM_TICKS; i++) {
		receive(s);
		turn(s);
		if (chain->cut && i == WARM_TICKS / 2)
			splice_cut(s->splice, NULL, false, s->now_ns);
	}
	ns = measure_turns(s, o);
	printf("{\"chain\":\"%s\",\"us_per_mbit\":%.2f,"
	       "\"ns_per_turn\":%llu,\"packets\":%llu}\n", chain->name,
	       (double)ns / 1000 / mbit, (unsigned long long)ns,
	       (unsigned long long)s->packets);
	stream_done(s);
	free(s);
}

static const char usage[] =
	"usage: stage_cost [--rate MBIT] [--ticks N] [--only CHAIN] "
	"[--warm]\n";

static struct options parse_options(int argc, char **argv)
{
	struct options o = { .rate_bps = 8000000, .ticks = 500 };
	const struct arg args[] = {
		{ "--rate", ARG_RATE, &o.rate_bps, 0, 0 },
		{ "--ticks", ARG_NUMBER, &o.ticks, 1, 100000 },
		{ "--only", ARG_TEXT, &o.only, 0, 0 },
		{ "--warm", ARG_FLAG, &o.warm, 0, 0 },
	};

	args_parse(argc, argv, args, ARRAY_LEN(args), usage);
	return o;
}

int main(int argc, char **argv)
{
	struct options o = parse_options(argc, argv);
	uint8_t *others = xcalloc(1, OTHERS_SIZE);

	o.others = others;
	for (size_t i = 0; i < ARRAY_LEN(chains); i++)
		if (o.only == NULL || strcmp(o.only, chains[i].name) == 0)
			measure(&chains[i], &o);
	free(others);
	return 0;
}
