/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time that an input of 40 Mbit/s takes from its reads to the end of the
 * descrambler, with a new control word every ten seconds, beside the time that
 * libdvbcsa takes for the same payloads in full batches: "stage|bare" in
 * nanoseconds a Mbit.  They have their turns side by side, and the best second
 * of each counts.
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

static uint64_t run_stage(struct ca_stage *s, struct descrambler *d,
			  uint8_t (*packets)[TS_PACKET], unsigned second)
{
	uint64_t start = mono_cost_ns();
	uint8_t word[CSA_CONTROL_WORD] = { (uint8_t)(second / PERIOD_S), 1 };

	descrambler_offer(d, 0, DESCRAMBLER_ODD, word);
	for (size_t i = 0; i < READS; i++) {
		struct ts_run run = { packets[i * PER_READ], PER_READ };
		uint64_t at_ns = second * SECOND_NS + i * SECOND_NS / READS;

		ca_stage_feed(s, &run, 1, at_ns);
		ca_stage_turn(s, at_ns);
		descrambler_turn(d, true, at_ns);
	}
	return mono_cost_ns() - start;
}

static uint64_t run_bare(struct csa *csa, uint8_t (*packets)[TS_PACKET],
			 uint8_t (*copy)[TS_PACKET])
{
	uint64_t start;

	memcpy(copy, packets, (size_t)PACKETS * TS_PACKET);
	start = mono_cost_ns();
	for (size_t i = 0; i < PACKETS; i++)
		if (csa_add(csa, copy[i] + 4, TS_PACKET - 4) == 0)
			csa_descramble(csa);
	csa_descramble(csa);
	return mono_cost_ns() - start;
}

int main(void)
{
	static const uint8_t word[CSA_CONTROL_WORD] = { 1, 2, 3, 6 };
	static const struct cam_list cams = { .n = 1, .ids = { "c" } };
	uint8_t (*packets)[TS_PACKET] = xcalloc(PACKETS, TS_PACKET);
	uint8_t (*copy)[TS_PACKET] = xcalloc(PACKETS, TS_PACKET);
	uint64_t best = UINT64_MAX, bare = UINT64_MAX, out = 0;
	struct descrambler *d = descrambler_new(csa_core(0), take, &out);
	struct ca_stage *s = ca_stage_new(&(struct ca_stage_config){
		.cams = &cams, .descrambler = d, .send = ask, .position = 1 });
	struct csa *csa = csa_new(NULL);

	make_packets(packets);
	descrambler_assign(d, VIDEO, 0);
	descrambler_offer(d, 0, DESCRAMBLER_EVEN, word);
	csa_set(csa, word);
	for (unsigned i = 0; i < SECONDS; i++) {
		uint64_t ns = run_stage(s, d, packets, i);

		best = ns < best ? ns : best;
		ns = run_bare(csa, packets, copy);
		bare = ns < bare ? ns : bare;
	}
	printf("%" PRIu64 "|%" PRIu64 "\n",
	       best * 1000000 / ((uint64_t)PACKETS * PACKET_BITS),
	       bare * 1000000 / ((uint64_t)PACKETS * PACKET_BITS));
	return out == 0;
}
