/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of any content through the descrambler: none is lost, added or moved,
 * and what is before the payload changes in its scrambling bits alone.
 *
 * The first byte chooses the control words and the packets between two turns.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pieces.h"
#include "worker/csa/core.h"
#include "worker/csa/descrambler.h"

struct flow {
	const uint8_t *next; /* the packet that is expected */
	size_t n;
};

static void expect(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct flow *f = arg;

	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			must(f->n-- > 0);
			must(memcmp(p, f->next, 3) == 0);
			must((p[3] & 0x3f) == (f->next[3] & 0x3f));
			must(memcmp(p + 4, f->next + 4,
				    ts_payload_offset(p) - 4) == 0);
			f->next += TS_PACKET;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t word[CSA_CONTROL_WORD] = { 1, 2, 3, 6,
							5, 6, 7, 18 };
	struct flow flow;
	struct descrambler *d;
	size_t turn;

	if (size == 0)
		return 0;
	flow = (struct flow){ data + 1, (size - 1) / TS_PACKET };
	turn = (size_t)(data[0] >> 2) + 1;
	d = descrambler_new(csa_core(0), expect, &flow);
	if (data[0] & 1)
		descrambler_set(d, DESCRAMBLER_EVEN, word);
	if (data[0] & 2)
		descrambler_set(d, DESCRAMBLER_ODD, word);
	for (size_t i = 0; i < (size - 1) / TS_PACKET; i++) {
		struct ts_run run = { data + 1 + i * TS_PACKET, 1 };

		descrambler_feed(d, &run, 1, 0);
		descrambler_turn(d, i % turn != 0, 0);
	}
	descrambler_turn(d, false, 0);
	must(flow.n == 0);
	descrambler_free(&d);
	return 0;
}
