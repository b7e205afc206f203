/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which PIDs belong to blocked or filled services alone.  A PID that services
 * share is sent while one of them is sent. */
#include "worker/mux/mux_state.h"

#include <string.h>

/* --- the PIDs --- */

enum { WORDS = TS_PIDS / 64 };

/* Sets the entries of all PIDs in the set to the value. */
static void set_all(const uint64_t set[WORDS], uint16_t value,
		    uint16_t to[TS_PIDS])
{
	for (size_t w = 0; w < WORDS; w++)
		for (uint64_t bits = set[w]; bits != 0; bits &= bits - 1)
			to[64 * w + (size_t)__builtin_ctzll(bits)] = value;
}

/* True if the packets of the service are not sent: it is blocked or filled. */
static bool is_gated(const struct mux_service *s)
{
	return s->blocked || s->fill != NULL;
}

/* Adds the PIDs of the filler that no service has now: the PMT of the service
 * has changed since the filler started. */
static void add_fill_pids(const struct mux *m, const struct mux_service *s,
			  uint64_t own[WORDS])
{
	const uint64_t *pids = mux_fill_pids(s);

	for (size_t w = 0; pids != NULL && w < WORDS; w++)
		for (uint64_t bits = pids[w]; bits != 0; bits &= bits - 1) {
			size_t bit = (size_t)__builtin_ctzll(bits);

			if (m->owner[64 * w + bit] == 0)
				own[w] |= UINT64_C(1) << bit;
		}
}

static void set_gates(struct mux *m, const struct mux_source *in)
{
	uint64_t sent[WORDS] = { 0 };

	for (size_t k = 0; k < in->n_services; k++)
		if (!is_gated(&in->states[k]))
			mux_add_service_pids(in, k, sent);
	set_all(sent, 0, m->gate);
	for (size_t k = 0; k < in->n_services; k++) {
		uint64_t own[WORDS] = { 0 };

		if (!is_gated(&in->states[k]))
			continue;
		mux_add_service_pids(in, k, own);
		add_fill_pids(m, &in->states[k], own);
		for (size_t w = 0; w < WORDS; w++) {
			own[w] &= ~sent[w];
			sent[w] |= own[w];
		}
		set_all(own, (uint16_t)(k + 1), m->gate);
	}
}

void mux_renew_gates(struct mux *m, struct mux_source *in)
{
	in->n_gated = in->n_filled = in->n_blocked = in->n_cut = 0;
	for (size_t k = 0; k < mux_units(in); k++) {
		in->n_filled += in->states[k].fill != NULL;
		in->n_gated += is_gated(&in->states[k]);
		in->n_blocked += in->states[k].blocked;
		in->n_cut += in->states[k].cut;
	}
	in->blocked = in->n_blocked == mux_units(in);
	set_gates(m, in);
}

void mux_renew_owners(struct mux *m)
{
	memset(m->owner, 0, sizeof m->owner);
	memset(m->gate, 0, sizeof m->gate);
	memset(m->fill_pids, 0, sizeof m->fill_pids);
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];

		for (size_t k = in->n_services; k-- > 0;) {
			uint64_t own[WORDS] = { 0 };

			mux_add_service_pids(in, k, own);
			set_all(own, (uint16_t)(k + 1), m->owner);
			if (in->still)
				mux_add_service_pids(in, k, m->fill_pids);
		}
	}
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		mux_renew_gates(m, &m->inputs[i]);
		mux_check_fills(m, &m->inputs[i]);
	}
}

/* The service because of which packets of this PID are not sent; NULL: they are
 * sent.  Packets of a PID that no service has are not sent while all services
 * of the input are blocked. */
static struct mux_service *find_gate(const struct mux *m,
				     const struct mux_source *in, uint16_t pid)
{
	size_t at = m->gate[pid];

	if (at > 0 && at <= in->n_services)
		return &in->states[at - 1];
	return in->blocked && m->owner[pid] == 0 &&
			       !place_has(m->pmt_pids, pid)
		       ? &in->states[0]
		       : NULL;
}

/* --- the packets --- */

size_t mux_count_sent(const struct mux *m, const struct mux_source *in)
{
	size_t n = 0;

	if (in->n_cut == 0 && in->n_gated == in->n_blocked)
		return in->due;
	for (size_t i = 0; i < in->due; i++) {
		uint16_t pid = ts_pid(delay_line_at(&in->line, i));
		const struct mux_service *gate = find_gate(m, in, pid);

		n += gate == NULL || (!gate->cut && gate->fill == NULL);
	}
	return n;
}

void mux_meter_services(const struct mux *m, struct mux_source *in)
{
	if (mux_units(in) == 1) {
		in->states[0].meter += in->due;
		return;
	}
	for (size_t i = 0; i < in->due; i++) {
		uint16_t pid = ts_pid(delay_line_at(&in->line, i));
		struct mux_service *s = mux_owner(m, in, pid);

		if (s != NULL)
			s->meter++;
	}
}

static bool has_av(const struct mux_service *s, uint16_t pid)
{
	size_t i = 0;

	while (i < s->n_av && s->av[i] != pid)
		i++;
	return i < s->n_av;
}

/* True if the PID is sent again from this packet on, because a unit begins with
 * it.  A PID with nothing but PCRs has no units, so any of its packets will
 * do. */
static bool resumes(const struct mux *m, const struct mux_source *in,
		    const struct mux_service *owner, const uint8_t *packet)
{
	if (!ts_has_payload(packet))
		return owner != NULL && !has_av(owner, ts_pid(packet));
	return ts_pusi(packet) &&
	       !(place_has(m->fill_pids, ts_pid(packet)) &&
		 mux_fill_precedes(m, &in->line, packet));
}

bool mux_judge(struct mux *m, struct mux_source *in, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	struct mux_service *owner = mux_owner(m, in, pid), *gate = NULL;
	uint8_t *stopped = &m->stopped[pid];

	if (in->n_gated > 0)
		gate = find_gate(m, in, pid);
	if (gate != NULL && gate->fill != NULL &&
	    mux_fill_ends(m, in, gate, packet))
		gate = NULL;
	if (gate != NULL && (gate->cut || gate->fill != NULL))
		*stopped = mux_stop_of(gate);
	else if (gate != NULL && ts_has_payload(packet) && ts_pusi(packet))
		*stopped = mux_stop_of(gate);
	else if (gate == NULL && *stopped && resumes(m, in, owner, packet))
		*stopped = MUX_SENT;
	/* While a filler sends on the PID, the filler sets its counter. */
	if (*stopped != MUX_SENT && (gate == NULL || gate->fill == NULL))
		mux_counters_forget(&m->counters, pid);
	/* A packet instead of which a filler is sent counts neither as sent nor
	 * as dropped for the rate. */
	if (owner != NULL && *stopped == MUX_SENT) {
		owner->packets++;
	} else if (*stopped == MUX_BLOCKED || *stopped == MUX_LATE) {
		in->dropped++;
		in->late += *stopped == MUX_LATE;
		if (owner != NULL)
			owner->dropped++;
	}
	return *stopped == MUX_SENT;
}
