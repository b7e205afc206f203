/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time that each core of worker/csa takes for a full batch of payloads of
 * 184 bytes: a row for each, with the rate in Mbit/s of packets.  The cores
 * have their turns side by side, and the shortest call of each counts.
 */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "worker/csa/core.h"
#include "worker/csa/csa.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CORES = 8, TURNS = 2000, PAYLOAD = 184, PACKET_BITS = 188 * 8 };

struct candidate {
	const char *name;
	struct csa *csa;
	uint64_t scramble_ns, descramble_ns; /* of the shortest call */
};

static void fill(struct csa *c, uint8_t (*payloads)[PAYLOAD])
{
	for (size_t i = 0; i < csa_batch(c); i++)
		(void)csa_add(c, payloads[i], PAYLOAD);
}

static void keep_shortest(uint64_t *shortest, uint64_t ns)
{
	if (*shortest == 0 || ns < *shortest)
		*shortest = ns;
}

static void turn(struct candidate *c, uint8_t (*payloads)[PAYLOAD])
{
	uint64_t start;

	fill(c->csa, payloads);
	start = mono_ns();
	csa_scramble(c->csa);
	keep_shortest(&c->scramble_ns, mono_ns() - start);
	fill(c->csa, payloads);
	start = mono_ns();
	csa_descramble(c->csa);
	keep_shortest(&c->descramble_ns, mono_ns() - start);
}

static uint64_t mbit(const struct candidate *c, uint64_t ns)
{
	return csa_batch(c->csa) * PACKET_BITS * 1000 / ns;
}

int main(void)
{
	static const uint8_t word[CSA_CONTROL_WORD] = { 1, 2, 3, 6,
							4, 5, 6, 15 };
	struct candidate all[CORES] = { { .name = "libdvbcsa",
					  .csa = csa_new(NULL) } };
	const struct csa_core *core;
	uint8_t (*payloads)[PAYLOAD];
	size_t n = 1, most = csa_batch(all[0].csa);

	for (; n < CORES && (core = csa_core(n - 1)) != NULL; n++) {
		all[n].name = core->name;
		all[n].csa = csa_new(core);
		if (core->lanes > most)
			most = core->lanes;
	}
	payloads = xcalloc(most, sizeof *payloads);
	for (size_t i = 0; i < n; i++)
		csa_set(all[i].csa, word);
	for (size_t k = 0; k < TURNS; k++)
		for (size_t i = 0; i < n; i++)
			turn(&all[i], payloads);
	for (size_t i = 0; i < n; i++)
		printf("%s|%zu|%" PRIu64 "|%" PRIu64 "\n", all[i].name,
		       csa_batch(all[i].csa), mbit(&all[i], all[i].scramble_ns),
		       mbit(&all[i], all[i].descramble_ns));
	return 0;
}
