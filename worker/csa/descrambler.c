/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/descrambler.h"

#include "common/base/alloc.h"
#include "common/base/units.h"

#include <stdlib.h>
#include <string.h>

/* Several times the batch, because the clear packets are in it too. */
enum { PACKETS = 512, PARITIES = 2 };

struct descrambler {
	ts_out_fn *out;
	void *arg;
	struct csa *csa[PARITIES];
	bool has_word[PARITIES];
	struct descrambler_counts counts;
	uint64_t since_ns; /* arrival of the oldest packet */
	size_t n; /* packets */
	bool scrambled[PACKETS]; /* the packet is in a batch */
	uint8_t packets[PACKETS][TS_PACKET];
};

static size_t place_of(unsigned scrambling)
{
	return scrambling - DESCRAMBLER_EVEN;
}

struct descrambler *descrambler_new(ts_out_fn *out, void *arg)
{
	struct descrambler *d = xcalloc(1, sizeof *d);

	d->out = out;
	d->arg = arg;
	for (size_t i = 0; i < PARITIES; i++)
		d->csa[i] = csa_new();
	return d;
}

void descrambler_free(struct descrambler **pd)
{
	struct descrambler *d = *pd;

	*pd = NULL;
	if (d == NULL)
		return;
	for (size_t i = 0; i < PARITIES; i++)
		csa_free(&d->csa[i]);
	free(d);
}

/* A descrambled packet: it is marked as clear, and its begin is judged. */
static void finish(struct descrambler *d, uint8_t *p)
{
	static const uint8_t prefix[3] = { 0, 0, 1 };
	size_t offset = ts_payload_offset(p);

	p[3] &= 0x3f;
	if (!ts_pusi(p) || offset + sizeof prefix > TS_PACKET)
		return;
	d->counts.starts++;
	d->counts.wrong_starts += memcmp(p + offset, prefix, sizeof prefix) !=
				  0;
}

static void flush(struct descrambler *d)
{
	struct ts_run run = { d->packets[0], d->n };

	if (d->n == 0)
		return;
	for (size_t i = 0; i < PARITIES; i++)
		csa_descramble(d->csa[i]);
	for (size_t i = 0; i < d->n; i++)
		if (d->scrambled[i])
			finish(d, d->packets[i]);
	d->n = 0;
	d->out(&run, 1, d->arg);
}

void descrambler_set(struct descrambler *d, enum descrambler_parity parity,
		     const uint8_t control_word[CSA_CONTROL_WORD])
{
	size_t place = place_of(parity);

	flush(d);
	csa_set(d->csa[place], control_word);
	d->has_word[place] = true;
}

static void take(struct descrambler *d, const uint8_t *packet)
{
	unsigned scrambling = ts_scrambling(packet);
	size_t place = scrambling >= DESCRAMBLER_EVEN ? place_of(scrambling)
						      : PARITIES;
	uint8_t *p = memcpy(d->packets[d->n], packet, TS_PACKET);
	size_t offset = ts_payload_offset(p);
	bool known = place < PARITIES && d->has_word[place] && !ts_tei(p) &&
		     offset < TS_PACKET;

	d->scrambled[d->n++] = known;
	if ((known && csa_add(d->csa[place], p + offset,
			      TS_PACKET - offset) == 0) ||
	    d->n == PACKETS)
		flush(d);
}

void descrambler_feed(struct descrambler *d, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns)
{
	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			if (d->n == 0)
				d->since_ns = now_ns;
			take(d, runs[i].data + k * TS_PACKET);
		}
	}
}

void descrambler_turn(struct descrambler *d, bool more, uint64_t now_ns)
{
	if (!more || now_ns - d->since_ns >= DESCRAMBLER_HOLD_MS * MS)
		flush(d);
}

void descrambler_reset(struct descrambler *d)
{
	d->n = 0;
	for (size_t i = 0; i < PARITIES; i++)
		csa_drop(d->csa[i]);
}

struct descrambler_counts descrambler_take_counts(struct descrambler *d)
{
	struct descrambler_counts counts = d->counts;

	d->counts = (struct descrambler_counts){ 0 };
	return counts;
}
