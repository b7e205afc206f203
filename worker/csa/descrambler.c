/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/descrambler.h"

#include "common/base/alloc.h"
#include "common/base/units.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* packets that are collected, also clear ones: at least the largest
	 * batch of a core, 512 payloads */
	PACKETS = 512,
	PARITIES = 2,
	/* The PIDs of a group change their parity one after another.  So a
	 * parity that returns after fewer packets is still that of the same
	 * period. */
	PERIOD_PACKETS = 16,
	/* so many units of a period without a start code prefix, and none with
	 * one, show that the control word is wrong */
	WRONG_STARTS = 2,
};

/* PIDs with the same control words. */
struct group {
	struct csa *csa[PARITIES];
	bool has_word[PARITIES];
	uint8_t word[PARITIES][CSA_CONTROL_WORD];
	/* is_new: the word was set since the last period of this parity, and
	 * has not been judged wrong; is_right: a unit of this period began with
	 * a start code prefix */
	bool is_new[PARITIES], is_right[PARITIES];
	unsigned wrong[PARITIES];
	/* has_next, next: word for the next period of this parity */
	bool has_next[PARITIES];
	uint8_t next[PARITIES][CSA_CONTROL_WORD];
	size_t running; /* parity of the last packets; PARITIES: unknown */
	unsigned in_period; /* packets since the parity is `running' */
	uint32_t missed; /* packets without a control word */
	struct descrambler_counts counts;
};

struct descrambler {
	const struct csa_core *core;
	ts_out_fn *out;
	void *arg;
	struct group *groups[DESCRAMBLER_GROUPS]; /* made on demand */
	uint8_t group_of[TS_PIDS];
	/* units of the PID have no start code prefix */
	bool no_prefix[TS_PIDS];
	uint64_t since_ns; /* time of arrival of the oldest packet */
	size_t n; /* number of packets */
	bool scrambled[PACKETS]; /* the packet is in a batch of its group */
	uint8_t packets[PACKETS][TS_PACKET];
};

static size_t place_of(unsigned scrambling)
{
	return scrambling - DESCRAMBLER_EVEN;
}

struct descrambler *descrambler_new(const struct csa_core *core, ts_out_fn *out,
				    void *arg)
{
	struct descrambler *d = xcalloc(1, sizeof *d);

	d->core = core;
	d->out = out;
	d->arg = arg;
	return d;
}

static struct group *group_at(struct descrambler *d, uint8_t i)
{
	struct group *g;

	if (i >= DESCRAMBLER_GROUPS)
		return NULL;
	if (d->groups[i] == NULL) {
		g = xcalloc(1, sizeof *g);
		g->running = PARITIES;
		for (size_t k = 0; k < PARITIES; k++)
			g->csa[k] = csa_new(d->core);
		d->groups[i] = g;
	}
	return d->groups[i];
}

/* The group of a PID; NULL: the PID has none. */
static struct group *group_of(const struct descrambler *d, uint16_t pid)
{
	uint8_t i = d->group_of[pid];

	return i < DESCRAMBLER_GROUPS ? d->groups[i] : NULL;
}

void descrambler_free(struct descrambler **pd)
{
	struct descrambler *d = *pd;

	*pd = NULL;
	if (d == NULL)
		return;
	for (size_t i = 0; i < DESCRAMBLER_GROUPS; i++) {
		if (d->groups[i] == NULL)
			continue;
		for (size_t k = 0; k < PARITIES; k++)
			csa_free(&d->groups[i]->csa[k]);
		explicit_bzero(d->groups[i], sizeof *d->groups[i]);
		free(d->groups[i]);
	}
	free(d);
}

/* Marks a descrambled packet as clear.  If it begins a unit, checks the start
 * code prefix, which shows whether the word was right. */
static void finish(struct descrambler *d, uint8_t *p)
{
	static const uint8_t prefix[3] = { 0, 0, 1 };
	size_t offset = ts_payload_offset(p);
	struct group *g = group_of(d, ts_pid(p));
	size_t place = place_of(ts_scrambling(p));

	p[3] &= 0x3f;
	if (!ts_pusi(p) || d->no_prefix[ts_pid(p)] ||
	    offset + sizeof prefix > TS_PACKET)
		return;
	g->counts.starts++;
	if (memcmp(p + offset, prefix, sizeof prefix) == 0) {
		g->is_right[place] = true;
		return;
	}
	g->counts.wrong_starts++;
	if (++g->wrong[place] >= WRONG_STARTS)
		g->is_new[place] = false;
}

/* Descrambles the collected packets, but sends none: words and groups may
 * change outside of a read, when no packet may be sent. */
static void settle(struct descrambler *d)
{
	if (d->n == 0)
		return;
	for (size_t i = 0; i < DESCRAMBLER_GROUPS; i++)
		for (size_t k = 0; d->groups[i] != NULL && k < PARITIES; k++)
			csa_descramble(d->groups[i]->csa[k]);
	for (size_t i = 0; i < d->n; i++)
		if (d->scrambled[i])
			finish(d, d->packets[i]);
	memset(d->scrambled, 0, d->n * sizeof d->scrambled[0]);
}

static void flush(struct descrambler *d)
{
	struct ts_run run = { d->packets[0], d->n };

	if (d->n == 0)
		return;
	settle(d);
	d->n = 0;
	d->out(&run, 1, d->arg);
}

void descrambler_assign(struct descrambler *d, uint16_t pid, uint8_t group)
{
	settle(d);
	/* only an existing group counts its packets without a control word */
	(void)group_at(d, group);
	d->group_of[pid & (TS_PIDS - 1)] = group;
}

void descrambler_assign_all(struct descrambler *d, uint8_t group)
{
	settle(d);
	memset(d->group_of, group, sizeof d->group_of);
}

void descrambler_judge(struct descrambler *d, uint16_t pid, bool has_prefix)
{
	d->no_prefix[pid & (TS_PIDS - 1)] = !has_prefix;
}

/* Sets the word of a parity for the packets from now on. */
static void set_word(struct descrambler *d, struct group *g, size_t place,
		     const uint8_t control_word[CSA_CONTROL_WORD])
{
	bool known = g->has_word[place] &&
		     memcmp(g->word[place], control_word,
			    CSA_CONTROL_WORD) == 0;

	if (!known) {
		settle(d);
		csa_set(g->csa[place], control_word);
		memcpy(g->word[place], control_word, CSA_CONTROL_WORD);
		g->has_word[place] = g->is_new[place] = true;
		g->is_right[place] = false;
		g->wrong[place] = 0;
	}
	/* control_word may point to next[place], so it is wiped only now */
	g->has_next[place] = false;
	explicit_bzero(g->next[place], CSA_CONTROL_WORD);
}

void descrambler_set(struct descrambler *d, enum descrambler_parity parity,
		     const uint8_t control_word[CSA_CONTROL_WORD])
{
	set_word(d, group_at(d, 0), place_of(parity), control_word);
}

void descrambler_offer(struct descrambler *d, uint8_t group,
		       enum descrambler_parity parity,
		       const uint8_t control_word[CSA_CONTROL_WORD])
{
	struct group *g = group_at(d, group);
	size_t place = place_of(parity);

	if (g == NULL)
		return;
	if (place == g->running && g->has_word[place])
		settle(d); /* checks the start code prefixes of this word's
			    * packets */
	if (place != g->running || !g->has_word[place] ||
	    (!g->is_new[place] && !g->is_right[place])) {
		set_word(d, g, place, control_word);
		return;
	}
	g->has_next[place] = memcmp(control_word, g->word[place],
				    CSA_CONTROL_WORD) != 0;
	if (g->has_next[place])
		memcpy(g->next[place], control_word, CSA_CONTROL_WORD);
	else
		explicit_bzero(g->next[place], CSA_CONTROL_WORD);
}

void descrambler_forget(struct descrambler *d, uint8_t group)
{
	struct group *g = group < DESCRAMBLER_GROUPS ? d->groups[group] : NULL;

	if (g == NULL)
		return;
	settle(d);
	for (size_t i = 0; i < PARITIES; i++) {
		g->has_word[i] = g->has_next[i] = false;
		g->is_new[i] = g->is_right[i] = false;
		g->wrong[i] = 0;
		csa_forget(g->csa[i]);
	}
	explicit_bzero(g->word, sizeof g->word);
	explicit_bzero(g->next, sizeof g->next);
	g->running = PARITIES;
	g->in_period = 0;
}

uint32_t descrambler_take_missed(struct descrambler *d, uint8_t group)
{
	struct group *g = group < DESCRAMBLER_GROUPS ? d->groups[group] : NULL;
	uint32_t missed = g != NULL ? g->missed : 0;

	if (g != NULL)
		g->missed = 0;
	return missed;
}

static void take(struct descrambler *d, const uint8_t *packet)
{
	unsigned scrambling = ts_scrambling(packet);
	size_t place = scrambling >= DESCRAMBLER_EVEN ? place_of(scrambling)
						      : PARITIES;
	struct group *g = place < PARITIES ? group_of(d, ts_pid(packet)) : NULL;
	size_t offset = ts_payload_offset(packet);
	bool known = g != NULL && !ts_tei(packet) && offset < TS_PACKET;
	uint8_t *p;

	if (known && place != g->running) {
		/* If the other parity has lasted for PERIOD_PACKETS, its period
		 * ends: what is known about its word is reset, so that the word
		 * of its next period can replace it at once.  The next word of
		 * this parity is used from now on, if it is known. */
		if (g->in_period >= PERIOD_PACKETS) {
			settle(d);
			g->is_new[g->running] = g->is_right[g->running] = false;
			g->wrong[g->running] = 0;
			if (g->has_next[place])
				set_word(d, g, place, g->next[place]);
		}
		g->running = place;
		g->in_period = 0;
	}
	if (known)
		g->in_period++;
	if (known && !g->has_word[place]) {
		g->missed++;
		known = false;
	}
	p = memcpy(d->packets[d->n], packet, TS_PACKET);
	d->scrambled[d->n++] = known;
	if ((known && csa_add(g->csa[place], p + offset,
			      TS_PACKET - offset) == 0) ||
	    d->n == PACKETS)
		flush(d);
}

void descrambler_feed(struct descrambler *d, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns)
{
	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			take(d, runs[i].data + k * TS_PACKET);
			if (d->n == 1)
				d->since_ns = now_ns;
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
	for (size_t i = 0; i < DESCRAMBLER_GROUPS; i++)
		for (size_t k = 0; d->groups[i] != NULL && k < PARITIES; k++)
			csa_drop(d->groups[i]->csa[k]);
}

struct descrambler_counts descrambler_take_counts(struct descrambler *d,
						  uint8_t group)
{
	struct group *g = group < DESCRAMBLER_GROUPS ? d->groups[group] : NULL;
	struct descrambler_counts counts = { 0 };

	if (g != NULL) {
		counts = g->counts;
		g->counts = (struct descrambler_counts){ 0 };
	}
	return counts;
}
