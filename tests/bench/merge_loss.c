/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The faults of the merge by content when both paths lose packets: a row
 * for each kind of network, distance of the paths and loss, its numbers the
 * sums of all seeds.
 */
#include "common/base/util.h"
#include "tests/bench/args.h"
#include "tests/unit/worker/merge/merge_count.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DATAGRAMS_PER_S = 1000 / SIM_DATAGRAM_MS };

/* Beside the loss; of both paths alike but for the cuts. */
struct kind {
	const char *name;
	unsigned twice; /* of a thousand packets are sent so */
	struct sim_network net;
	uint32_t cut_first_ms[TS_MERGE_PATHS];
	uint32_t detour_ms[TS_MERGE_PATHS];
};

#define CUTS .cut_every_ms = 3000, .cut_ms = 700
#define IN_TURNS .cut_first_ms = { 1100, 2600 }

static const struct kind kinds[] = {
	{ .name = "loss" },
	{ .name = "twice", .twice = 20 },
	{ .name = "cuts", .net = { CUTS }, IN_TURNS },
	{ .name = "cuts,twice", .twice = 20, .net = { CUTS }, IN_TURNS },
	{ .name = "detour", .net = { CUTS }, IN_TURNS,
	  .detour_ms = { 0, 120 } },
	{ .name = "detour,twice", .twice = 20, .net = { CUTS }, IN_TURNS,
	  .detour_ms = { 0, 120 } },
	{ .name = "detours", .twice = 20, .net = { CUTS }, IN_TURNS,
	  .detour_ms = { 60, 150 } },
	{ .name = "doubled", .twice = 20, .net = { .doubled = 20 } },
	{ .name = "overtaken", .twice = 20, .net = { .overtaken = 5 } },
	{ .name = "stalled", .twice = 20, .net = { .stalled = 4 } },
};

static const uint32_t skews_ms[] = { 0, 3, 300 };
static const unsigned losses[] = { 0, 1, 5, 20, 50 }; /* thousandths */

struct options {
	unsigned seeds, seconds;
	const char *only;
};

static void carry(struct sim *s, const struct kind *k, uint32_t skew_ms,
		  unsigned lost)
{
	for (unsigned path = 0; path < TS_MERGE_PATHS; path++) {
		struct sim_network net = k->net;

		net.lost = lost;
		net.burst = 1;
		net.cut_first_ms = k->cut_first_ms[path];
		net.detour_ms = k->detour_ms[path];
		sim_carry(s, path, &net, path > 0 ? skew_ms : 0);
	}
}

static void run(struct sim *s, const struct kind *k, uint32_t skew_ms,
		unsigned lost, unsigned seeds)
{
	struct merge_faults f = { 0 };

	for (unsigned seed = 1; seed <= seeds; seed++) {
		sim_begin(s, seed);
		sim_make(s, k->twice);
		carry(s, k, skew_ms, lost);
		sim_play(s);
		merge_count(s, &f);
	}
	printf("%-13s %4u %3u.%u %7zu %7zu %7zu %7zu %7zu %7zu %7zu %7zu "
	       "%7zu\n", k->name, skew_ms, lost / 10, lost % 10, f.missing,
	       f.doubled, f.disordered, f.crossed, f.alike_missing,
	       f.alike_doubled, f.null_missing, f.null_doubled,
	       f.null_misplaced);
	(void)fflush(stdout);
}

static void run_all(const struct options *o)
{
	struct sim *s = sim_new((size_t)o->seconds * DATAGRAMS_PER_S);

	printf("%-13s %4s %5s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n", "kind",
	       "skew", "loss", "missing", "doubled", "order", "crossed",
	       "alike-", "alike+", "null-", "null+", "null<>");
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		if (o->only != NULL && strcmp(o->only, kinds[k].name) != 0)
			continue;
		for (size_t w = 0; w < ARRAY_LEN(skews_ms); w++)
			for (size_t l = 0; l < ARRAY_LEN(losses); l++)
				run(s, &kinds[k], skews_ms[w], losses[l],
				    o->seeds);
	}
	sim_free(&s);
}

int main(int argc, char **argv)
{
	struct options o = { .seeds = 20, .seconds = 10 };
	const struct arg args[] = {
		{ "--seeds", ARG_NUMBER, &o.seeds, 1, 1000 },
		{ "--seconds", ARG_NUMBER, &o.seconds, 4, 600 },
		{ "--only", ARG_TEXT, &o.only, 0, 0 },
	};

	args_parse(argc, argv, args, ARRAY_LEN(args),
		   "merge_loss [--seeds N] [--seconds N] [--only KIND]");
	run_all(&o);
	return 0;
}
