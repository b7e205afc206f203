/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CPU time that an input of 40 Mbit/s takes from its reads to the end of
 * the descrambler, with a new control word every ten seconds: with the fastest
 * core of this processor and with libdvbcsa.  Beside it the time that libdvbcsa
 * takes for the same payloads in full batches: "stage|library|bare" in ns for a
 * Mbit.  They take turns side by side, and the best second of each counts.
 */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/ca/ca_stage.h"
#include "worker/csa/core.h"
#include "worker/csa/csa.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	SECONDS = 60,
	PER_READ = 70, /* packets in 2.6 ms: a tick of the worker */
	READS = 380,
	PACKETS = PER_READ * READS, /* a second of 40 Mbit/s */
	PACKET_BITS = 188 * 8,
	PERIOD_S = 10,
	VIDEO = 0x101,
};

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	for (size_t i = 0; i < n_runs; i++)
		*(uint64_t *)arg += runs[i].n;
}

static int ask(const struct msg *m, void *arg)
{
	(void)m, (void)arg;
	return 0;
}

static void make_packets(uint8_t (*packets)[TS_PACKET])
{
	for (size_t i = 0; i < PACKETS; i++) {
		uint8_t *p = packets[i];

		p[0] = TS_SYNC_BYTE;
		p[3] = (uint8_t)(0x90 | (i & 15));
		ts_set_pid(p, VIDEO);
		for (size_t k = 4; k < TS_PACKET; k++)
			p[k] = (uint8_t)(i * 31 + k * 7);
	}
}

struct stage {
	struct ca_stage *stage;
	struct descrambler *descrambler;
	uint64_t best_ns, packets;
};

static void stage_init(struct stage *s, const struct csa_core *core)
{
	static const uint8_t word[CSA_CONTROL_WORD] = { 1, 2, 3, 6 };
	static const struct cam_list cams = { .n = 1, .ids = { "c" } };

	*s = (struct stage){ .best_ns = UINT64_MAX };
	s->descrambler = descrambler_new(core, take, &s->packets);
	s->stage = ca_stage_new(&(struct ca_stage_config){
		.cams = &cams, .descrambler = s->descrambler, .send = ask,
		.position = 1 });
	descrambler_assign(s->descrambler, VIDEO, 0);
	descrambler_offer(s->descrambler, 0, DESCRAMBLER_EVEN, word);
}

static void run_stage(struct stage *s, uint8_t (*packets)[TS_PACKET],
		      unsigned second)
{
	uint64_t start = mono_cost_ns();
	uint8_t word[CSA_CONTROL_WORD] = { (uint8_t)(second / PERIOD_S), 1 };

	descrambler_offer(s->descrambler, 0, DESCRAMBLER_ODD, word);
	for (size_t i = 0; i < READS; i++) {
		struct ts_run run = { packets[i * PER_READ], PER_READ };
		uint64_t at_ns = second * SECOND_NS + i * SECOND_NS / READS;

		ca_stage_feed(s->stage, &run, 1, at_ns);
		ca_stage_turn(s->stage, at_ns);
		descrambler_turn(s->descrambler, true, at_ns);
	}
	s->best_ns = MIN(s->best_ns, mono_cost_ns() - start);
}

/* The library alone, with payloads in the caches. */
static uint64_t run_bare(struct csa *csa, uint8_t (*packets)[TS_PACKET],
			 uint8_t (*copy)[TS_PACKET])
{
	uint64_t ns = 0;

	for (size_t at = 0, n; at < PACKETS; at += n) {
		uint64_t start;

		n = MIN((size_t)PACKETS - at, csa_batch(csa));
		memcpy(copy, packets + at, n * TS_PACKET);
		start = mono_cost_ns();
		for (size_t i = 0; i < n; i++)
			(void)csa_add(csa, copy[i] + 4, TS_PACKET - 4);
		csa_descramble(csa);
		ns += mono_cost_ns() - start;
	}
	return ns;
}

static uint64_t per_mbit(uint64_t ns)
{
	return ns * 1000000 / ((uint64_t)PACKETS * PACKET_BITS);
}

int main(void)
{
	static const uint8_t word[CSA_CONTROL_WORD] = { 1, 2, 3, 6 };
	uint8_t (*packets)[TS_PACKET] = xcalloc(PACKETS, TS_PACKET);
	struct stage core, library;
	struct csa *csa = csa_new(NULL);
	uint8_t (*copy)[TS_PACKET] = xcalloc(csa_batch(csa), TS_PACKET);
	uint64_t bare = UINT64_MAX;

	make_packets(packets);
	stage_init(&core, csa_core(0));
	stage_init(&library, NULL);
	csa_set(csa, word);
	for (unsigned i = 0; i < SECONDS; i++) {
		run_stage(&core, packets, i);
		run_stage(&library, packets, i);
		bare = MIN(bare, run_bare(csa, packets, copy));
	}
	printf("%" PRIu64 "|%" PRIu64 "|%" PRIu64 "\n", per_mbit(core.best_ns),
	       per_mbit(library.best_ns), per_mbit(bare));
	return core.packets == 0 || library.packets == 0;
}
