/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/mux.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/filler/filler.h"
#include "worker/mux/mux_state.h"
#include "worker/output/pacer.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Sending starts when the programs of all inputs are known, or after
	 * this time. */
	SETTLE_MS = 2000,
	/* Sending does not wait for inputs without packets longer than this,
	 * after the first packets of any input. */
	SETTLE_SILENT_MS = 300,
	CAT_MS = 400,
	SDT_MS = 1000,
	TABLE_PACKETS = 256, /* room of the queue of a table */
	PLACES = 4, /* null packets in a call for the tables of a remux */
	/* If a PAT replaces programs, the old ones stay for at most this time,
	 * until the PMTs of the new ones arrive.  It is longer than ROUND_MS of
	 * remux_plan.c, for which a remux usually waits for these PMTs. */
	AWAIT_MS = 600,
	/* Most packets in the line of an input: mux_delay and LINE_MORE_MS at
	 * the rate of the multiplex, from LINE_PACKETS_MIN to _MAX. */
	LINE_MORE_MS = 1000,
	LINE_PACKETS_MIN = 8192,
	LINE_PACKETS_MAX = 512 * 1024,
	/* The `usual' rate of a service decreases by this part in a second. */
	USUAL_FADES = 8,
};

/* --- the tables of the inputs --- */

static void init_collector(struct mux_collector *c)
{
	section_init(&c->assembler, c->buffer, sizeof c->buffer);
}

static void collect(struct mux *m, struct mux_source *in,
		    struct mux_collector *c, const uint8_t *packet)
{
	size_t len;

	section_push(&c->assembler, packet);
	while (section_pull(&c->assembler, &len) != NULL)
		mux_take_section(m, in, ts_pid(packet), c->buffer, len);
}

void mux_take_table(struct mux *m, struct mux_source *in, const uint8_t *packet)
{
	switch (ts_pid(packet)) {
	case SI_PID_CAT:
		collect(m, in, &in->cat, packet);
		break;
	case SI_PID_SDT:
		collect(m, in, &in->sdt, packet);
		break;
	case SI_PID_EIT:
		collect(m, in, &in->eit, packet);
		break;
	}
}

/* --- the plan --- */

/* Updates which PIDs and numbers the remux of an input may not use: those that
 * the configuration gives to other inputs, and with `keep' those that a
 * preceding input uses.  True: the result has changed. */
static bool renew_place(struct mux *m, size_t input)
{
	struct mux_source *in = &m->inputs[input];
	uint64_t pids[TS_PIDS / 64] = { 0 };
	uint64_t numbers[PLACE_NUMBERS / 64] = { 0 };

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *other = &m->inputs[i];

		if (i == input)
			continue;
		for (size_t k = 0; k < ARRAY_LEN(pids); k++)
			pids[k] |= other->pids[k];
		if (other->number != 0)
			place_take(numbers, other->number);
		if (!m->cfg.keep || i > input || other->remux == NULL)
			continue;
		remux_add_pids(other->remux, pids);
		for (size_t k = 0; k < other->n_found; k++)
			place_take(numbers, other->services[k].new_number);
	}
	if (memcmp(pids, in->place.pids, sizeof pids) == 0 &&
	    memcmp(numbers, in->place.numbers, sizeof numbers) == 0)
		return false;
	memcpy(in->place.pids, pids, sizeof pids);
	memcpy(in->place.numbers, numbers, sizeof numbers);
	return true;
}

/* Limits the programs of each input, so that an input with many programs does
 * not take the room of others. */
static void share_services(struct mux *m)
{
	size_t most = MUX_SERVICES_MAX + 1, sum;

	do {
		most--;
		sum = 0;
		for (size_t i = 0; i < m->cfg.n_inputs; i++)
			sum += MIN(m->inputs[i].n_found, most);
	} while (sum > MUX_SERVICES_MAX);
	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		m->inputs[i].n_services = MIN(m->inputs[i].n_found, most);
}

/* True if the remux has no longer all programs that were found before. */
static bool lacks_programs(const struct mux_source *in)
{
	struct remux_service list[MUX_SERVICES_MAX];
	size_t n = remux_services(in->remux, list, MUX_SERVICES_MAX);

	for (size_t k = 0; k < in->n_found; k++) {
		size_t i = 0;

		while (i < n &&
		       list[i].new_number != in->services[k].new_number)
			i++;
		if (i == n)
			return true;
	}
	return false;
}

/* True if the PAT has a program without a PMT that was not in the PAT when the
 * programs were last read. */
static bool has_unsent(const struct mux_source *in)
{
	struct remux_service list[MUX_SERVICES_MAX];
	size_t n = remux_unsent(in->remux, list, MUX_SERVICES_MAX);

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < in->n_unsent && in->unsent[k] != list[i].number)
			k++;
		if (k == in->n_unsent)
			return true;
	}
	return false;
}

void mux_follow_tables(struct mux *m)
{
	bool changed = false, restores;

	if (!m->fed)
		return;
	m->fed = false;
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		if (in->remux == NULL)
			continue;
		if (m->cfg.keep && changed && renew_place(m, i))
			remux_replan(in->remux);
		if (remux_builds(in->remux) == in->builds)
			continue;
		/* While the PMTs of programs that replace others of the input
		 * are missing, the old programs are kept for AWAIT_MS. */
		if (lacks_programs(in) && has_unsent(in)) {
			if (in->await_ns == 0)
				in->await_ns = m->now_ns;
			if (m->now_ns - in->await_ns < AWAIT_MS * MS) {
				m->fed = true; /* the next mux_turn() checks
						* again */
				continue;
			}
		}
		restores = in->kept != NULL;
		mux_read_services(m, in);
		if (restores)
			mux_take_made(m, in);
		changed = true;
	}
	if (!changed)
		return;
	share_services(m);
	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		mux_renew_gone(m, &m->inputs[i]);
	mux_build(m);
	mux_renew_owners(m);
}

/* --- the interface --- */

/* Stores the output clocks and the current time for the next worker. */
static void keep_times(struct mux *m)
{
	struct splice_continuity *c = m->cfg.continuity;
	struct cbr_time times[SPLICE_CLOCKS];
	size_t n = cbr_times(m->cbr, times, SPLICE_CLOCKS);

	for (size_t i = 0; i < SPLICE_CLOCKS; i++)
		c->clocks[i] = i < n ? (struct splice_clock){
						.used = 1,
						.pid = times[i].pid,
						.pcr = times[i].pcr,
						.at_ns = times[i].at_ns }
				     : (struct splice_clock){ 0 };
	c->packets++;
	c->at_ns = m->now_ns;
}

static struct delay_line make_line(const struct mux_config *cfg)
{
	uint64_t most = packets_of(cfg->kbps) *
			(cfg->delay_ms + LINE_MORE_MS) / 1000;

	return (struct delay_line){
		.delay_ns = cfg->delay_ms * MS,
		.max = (size_t)MIN(MAX(most, (uint64_t)LINE_PACKETS_MIN),
				   (uint64_t)LINE_PACKETS_MAX),
	};
}

struct mux *mux_new(const struct mux_config *cfg)
{
	static const uint16_t pids[MUX_LANES] = {
		[LANE_CAT] = SI_PID_CAT, [LANE_SDT] = SI_PID_SDT,
		[LANE_EIT] = SI_PID_EIT,
	};
	const struct splice_clock *clocks = cfg->continuity->clocks;
	struct mux *m = xcalloc(1, sizeof *m);

	m->cfg = *cfg;
	if (cfg->tables != NULL)
		m->tables = *cfg->tables;
	for (size_t i = 0; i < cfg->edits.n; i++)
		m->edits[i] = cfg->edits.list[i];
	m->cfg.edits.list = m->edits;
	m->fed = true;
	m->pmt_ns = UINT64_MAX;
	m->packet_ns = PACKET_NS_KBPS / cfg->kbps;
	m->last_source = MUX_TABLES_SOURCE;
	m->inputs = xcalloc(cfg->n_inputs + 1, sizeof *m->inputs);
	memcpy(m->counters.sent, cfg->continuity->cc,
	       sizeof m->counters.sent);
	m->cbr = cbr_new_mux(cfg->kbps, PACER_BURST_MS, CBR_CLOCKS_MAX);
	m->psi = psi_new();
	m->eit = eit_share_new(cfg->n_inputs);
	/* the output clocks continue those of the previous worker */
	for (size_t i = 0; i < SPLICE_CLOCKS; i++)
		if (clocks[i].used)
			cbr_resume(m->cbr, &(struct cbr_time){
				clocks[i].pid, clocks[i].pcr,
				clocks[i].at_ns });
	m->cat.interval_ms = CAT_MS;
	m->sdt.interval_ms = SDT_MS;
	for (size_t i = 0; i < MUX_LANES; i++) {
		m->lanes[i].pid = pids[i];
		m->lanes[i].fifo.max = TABLE_PACKETS;
	}
	for (size_t i = 0; i < cfg->n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		in->line = make_line(cfg);
		in->line.source = ++m->last_source;
		in->silent = true;
		in->states = xcalloc(1, sizeof *in->states);
		init_collector(&in->cat);
		init_collector(&in->sdt);
		init_collector(&in->eit);
		init_collector(&in->pmt);
	}
	return m;
}

void mux_free(struct mux **ptr)
{
	struct mux *m = *ptr;

	*ptr = NULL;
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		delay_line_done(&m->inputs[i].line);
		mux_free_file(&m->inputs[i]);
		free(m->inputs[i].file_path);
		mux_free_services(&m->inputs[i]);
		free(m->inputs[i].kept);
	}
	for (size_t i = 0; i < MUX_LANES; i++)
		lane_done(&m->lanes[i]);
	cbr_free(&m->cbr);
	eit_share_free(&m->eit);
	filler_free(&m->filler);
	psi_free(&m->psi);
	free(m->pmts);
	free(m->inputs);
	free(m);
}

void mux_setup(struct mux *m, size_t input,
	       const struct mux_source_config *cfg)
{
	struct mux_source *in = &m->inputs[input];

	in->place.base = cfg->base;
	in->place.count = cfg->count;
	in->place.keep = m->cfg.keep;
	in->priority = cfg->priority;
	in->min = packets_of(cfg->min_kbps);
	in->max = packets_of(cfg->max_kbps);
	in->min_kbps = cfg->min_kbps;
	in->max_kbps = cfg->max_kbps;
	in->absent_ms = cfg->absent_ms;
	in->still = cfg->still;
	if (cfg->still && cfg->file != NULL)
		in->file_path = xstrdup(cfg->file);
	if (in->still && m->filler == NULL) {
		m->filler = filler_new(m->psi);
		filler_limit(m->filler, m->fill_pids);
	}
	in->number = cfg->number;
	for (size_t i = 0; i < cfg->n_pids; i++)
		place_take(in->pids, cfg->pids[i] & (TS_PIDS - 1));
	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		(void)renew_place(m, i);
}

const struct remux_place *mux_place(const struct mux *m, size_t input)
{
	return &m->inputs[input].place;
}

void mux_set_remux(struct mux *m, size_t input, struct remux *remux)
{
	m->inputs[input].remux = remux;
}

void mux_begin_source(struct mux *m, struct mux_source *in)
{
	/* Packets in the line keep the number of their source.  If no packet
	 * has the current number, it stays in use. */
	if (in->line.pushed != in->source_at)
		in->line.source = ++m->last_source;
	in->source_at = in->line.pushed;
}

void mux_push(struct mux *m, struct mux_source *in, const uint8_t *packet)
{
	if (!delay_line_push(&in->line, packet,
			     MAX(m->now_ns, in->heard_ns))) {
		in->dropped++;
		in->late += cbr_late_ms(m->cbr, in->heard_ns) >= CBR_BEHIND_MS;
		mux_begin_source(m, in);
	}
}

void mux_feed(struct mux *m, size_t input, const struct ts_run *runs,
	      size_t n_runs)
{
	struct mux_source *in = &m->inputs[input];
	/* with `keep' no packets are sent until the plan is settled */
	bool takes = (m->settled || !m->cfg.keep) && mux_hears(m, in);

	m->fed = true;
	for (size_t i = 0; i < n_runs; i++) {
		const uint8_t *packet = runs[i].data;

		for (size_t k = 0; k < runs[i].n; k++, packet += TS_PACKET) {
			uint16_t pid = ts_pid(packet);

			if (pid == TS_PID_NULL)
				continue;
			if (pid < SI_PIDS_END) {
				mux_take_table(m, in, packet);
			} else if (takes) {
				struct mux_service *s = in->n_gated > 0
					? mux_owner(m, in, pid) : NULL;

				if (ts_has_payload(packet))
					m->fed_ns[pid] = in->heard_ns;
				if (s != NULL && s->fill != NULL)
					mux_watch_fill(in, s, packet);
				if (in->gone == NULL ||
				    mux_takes_absent(m, in, packet))
					mux_push(m, in, packet);
			}
		}
	}
}

void mux_heard(struct mux *m, size_t input, uint64_t now_ns)
{
	m->inputs[input].heard_ns = now_ns;
	if (m->heard_ns == 0)
		m->heard_ns = now_ns;
}

uint64_t mux_queued(const struct mux *m, size_t input, size_t *ret_waiting)
{
	const struct delay_line *l = &m->inputs[input].line;

	*ret_waiting = l->n;
	return l->pushed;
}

void mux_restart(struct mux *m, size_t input)
{
	mux_begin_source(m, &m->inputs[input]);
}

static void on_sent(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct mux *m = arg;

	for (size_t i = 0; i < n_runs; i++) {
		const uint8_t *packet = runs[i].data;

		for (size_t k = 0; k < runs[i].n; k++, packet += TS_PACKET)
			if (psi_class(m->psi, ts_pid(packet)) == PID_PSI)
				m->tables_changed |= psi_feed(m->psi, packet);
	}
	m->cfg.out(runs, n_runs, m->cfg.arg);
}

/* True if sending can start: each input that has packets has programs, or
 * SETTLE_MS are over.  In the first SETTLE_SILENT_MS, and with `keep', which
 * needs the PIDs of preceding inputs, each input must have programs. */
static bool has_settled(const struct mux *m)
{
	bool all = m->cfg.keep || m->heard_ns == 0 ||
		   m->now_ns - m->heard_ns < SETTLE_SILENT_MS * MS;
	bool any = false;

	if (m->now_ns - m->begin_ns >= SETTLE_MS * MS)
		return true;
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];

		any |= in->n_services > 0;
		if (in->remux != NULL && in->n_services == 0 &&
		    (all || !in->silent))
			return false;
	}
	return any;
}

static const uint8_t null_packets[PLACES][TS_PACKET] = {
	{ TS_SYNC_BYTE, 0x1f, 0xff, 0x10 },
	{ TS_SYNC_BYTE, 0x1f, 0xff, 0x10 },
	{ TS_SYNC_BYTE, 0x1f, 0xff, 0x10 },
	{ TS_SYNC_BYTE, 0x1f, 0xff, 0x10 },
};

void mux_turn(struct mux *m, uint64_t now_ns, uint64_t unix_ms)
{
	m->now_ns = now_ns;
	if (m->begin_ns == 0)
		m->begin_ns = m->calm_ns = m->second_ns = now_ns;
	mux_follow_tables(m);
	mux_follow_sections(m);
	if (mux_look_for_silence(m)) {
		mux_build_sdt(m);
		m->sdt.due_ns = 0;
	}
	if (mux_follow_fills(m)) {
		mux_build_sdt(m);
		m->sdt.due_ns = 0;
	}
	if (mux_follow_absent(m)) {
		mux_build(m);
		m->sdt.due_ns = 0;
	}
	if (!m->settled && has_settled(m)) {
		m->settled = true;
		mux_drop_late(m);
		mux_begin_pmts(m);
	}
	mux_count_due(m);
	if (!m->settled) {
		mux_drop_due(m);
		return;
	}
	mux_schedule(m, unix_ms);
	/* no place if a TDT goes first: mux_make_place() is called again */
	if (m->makes_place)
		(void)cbr_put(m->cbr, null_packets[0]);
	m->makes_place = false;
	mux_limit(m);
	mux_place_due(m);
	m->turn_ns = now_ns;
	cbr_run(m->cbr, now_ns, on_sent, m);
	keep_times(m);
}

struct ts_run mux_places(void)
{
	return (struct ts_run){ null_packets[0], PLACES };
}

void mux_make_place(struct mux *m)
{
	m->makes_place = true;
}

size_t mux_inputs(const struct mux *m)
{
	return m->cfg.n_inputs;
}

const struct psi *mux_psi(const struct mux *m)
{
	return m->psi;
}

/* Ends a second, which lasted ns nanoseconds, in the counters of a service. */
static void end_second(const struct mux *m, struct mux_service *s, uint64_t ns)
{
	uint64_t sum = s->packets + s->dropped, fades = s->usual / USUAL_FADES;

	/* If a video PID has had no packets for a second, the rate is not the
	 * usual one. */
	for (size_t i = 0; i < s->n_av; i++)
		if (psi_class(m->psi, s->av[i]) == PID_VIDEO &&
		    m->now_ns - MIN(m->now_ns, m->fed_ns[s->av[i]]) >=
			    SECOND_NS)
			fades = 0;
	s->rate = (sum - s->before) * SECOND_NS / ns;
	s->before = sum;
	if (!s->silent)
		s->usual = MAX(s->rate, s->usual - fades);
	s->excess = s->dropped - s->dropped_before;
	s->dropped_before = s->dropped;
}

void mux_every_second(struct mux *m)
{
	/* If the last call was late, this second is shorter. */
	uint64_t ns = MAX(m->now_ns - m->second_ns, SECOND_NS / 2);

	m->second_ns = m->now_ns;
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];
		uint64_t sum = in->packets + in->dropped;

		delay_line_trim(&in->line);
		in->rate = (sum - in->before) * SECOND_NS / ns;
		in->before = sum;
		for (size_t k = 0; k < mux_units(in); k++)
			end_second(m, &in->states[k], ns);
	}
	memcpy(m->sent_before, m->sent, sizeof m->sent);
	memset(m->sent, 0, sizeof m->sent);
	cbr_every_second(m->cbr);
}

void mux_cbr_counters(const struct mux *m, struct cbr_counters *ret)
{
	cbr_counters(m->cbr, ret);
}
