/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/mux_stage.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "proto/spec/io_spec.h"
#include "worker/mux/delay_line.h"
#include "worker/mux/mux_plan.h"
#include "worker/stream/absent_file.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* The stored positions are used only if the last worker ended at most
	 * this time ago. */
	RESUME_MS = 2000,
	/* The inputs are read this many times within mux_delay, but at least
	 * every READ_MAX_MS. */
	READS = 4,
	READ_MAX_MS = 100,
	/* The workers of services read their sources at multiples of this
	 * interval.  The multiplex reads a fifth of the interval later, so that
	 * their packets do not wait for the next read. */
	READ_LATER_PART = 5,
	/* A worker that has restored tables keeps them for the next worker only
	 * after this time.  So a worker that crashes at them leaves none. */
	KEEP_AFTER_MS = 2000,
};

/* The source of an input may be another multiplex. */
_Static_assert(LINE_JUMP_MS > READ_MAX_MS + READ_MAX_MS / READ_LATER_PART,
	       "a late read is no jump");

unsigned mux_stage_period_ms(unsigned delay_ms)
{
	return MIN(delay_ms / READS, (unsigned)READ_MAX_MS);
}

/* Sets up an input of the multiplex by the options of its address: its block of
 * PIDs, its maps, its priority and rates, and its file for absent services. */
static void set_up_input(struct mux_stage *s, size_t i, const char *address)
{
	struct input_spec *spec = xcalloc(1, sizeof *spec);
	const struct remux_options *o = &spec->remux;
	uint16_t pids[REMUX_MAPS_MAX];

	/* the chain reports a wrong address */
	if (input_spec_parse(address, spec, NULL, NULL, NULL) < 0)
		*spec = (struct input_spec){ .remux.priority =
						     PRIORITY_DEFAULT };
	if (spec->kind == INPUT_STREAM && !io_is_feed(spec->stream))
		s->guides |= UINT64_C(2) << i;
	for (size_t k = 0; k < o->n_maps; k++)
		pids[k] = o->maps[k].pid;
	mux_setup(s->mux, i, &(struct mux_source_config){
		.base = o->pid_base != 0
				? o->pid_base
				: (uint16_t)((i + 1) * PID_BLOCK_DEFAULT),
		.count = o->pid_block != 0 ? o->pid_block : PID_BLOCK_DEFAULT,
		.priority = o->priority,
		.min_kbps = o->rate_min,
		.max_kbps = o->rate_max,
		.absent_ms = o->absent == ABSENT_REMOVE ? o->absent_s * 1000
							: 0,
		.still = o->absent == ABSENT_STILL || o->absent == ABSENT_FILE,
		.file = o->absent == ABSENT_FILE ? o->absent_path : NULL,
		.n_pids = o->n_maps,
		.pids = pids,
		.number = o->set_pnr,
	});
	if (o->absent == ABSENT_FILE)
		s->files[i] = absent_file_new(s->mux, i, o->absent_path);
	free(spec);
}

/* Finds the stored position of the input with this address.  Each stored
 * position is used once, because several inputs may have the same address. */
static void find_start(struct mux_seen *source, const char *address,
		       struct stream_read *reads)
{
	source->address = hash_add(HASH_INIT, address, strlen(address));
	for (size_t k = 0; k < MSG_INPUTS_MAX; k++) {
		if (reads[k].address != source->address)
			continue;
		source->from = reads[k].pos;
		reads[k] = (struct stream_read){ 0 };
		return;
	}
}

void mux_stage_init(struct mux_stage *s, const struct msg_stream_start *start,
		    const struct stream_spec *spec,
		    struct stream_memory *memory, ts_out_fn *out, void *arg)
{
	struct stream_read reads[MSG_INPUTS_MAX] = { 0 };
	uint64_t now_ns = mono_ns();

	*s = (struct mux_stage){ 0 };
	/* The positions in the rings that the last worker stored, unless it
	 * ended more than RESUME_MS ago.  They are removed, because a later
	 * worker may have other inputs. */
	if (memory->splice.at_ns <= now_ns &&
	    now_ns - memory->splice.at_ns <= RESUME_MS * MS)
		memcpy(reads, memory->reads, sizeof reads);
	memset(memory->reads, 0, sizeof memory->reads);
	if (!start->mux || spec->mux_kbps == 0)
		return;
	s->live = xcalloc(1, sizeof *s->live);
	s->live->splice = memory->splice;
	memcpy(s->live->table_cc, memory->table_cc, sizeof memory->table_cc);
	s->mux = mux_new(&(struct mux_config){
		.n_inputs = start->n_inputs,
		.kbps = spec->mux_kbps,
		.delay_ms = spec->mux_delay_ms,
		.tsid = spec->tsid,
		.onid = tables_spec_onid(&spec->tables, 0),
		.nit = spec->tables.nit == ORIGIN_OWN,
		.tables = &spec->tables,
		.edits = { spec->remux.edits, spec->remux.n_edits },
		.keep = spec->pid_mode == PID_MODE_KEEP,
		.versions = &memory->tables,
		.first = { .pat = spec->pat_version,
			   .pmt = spec->pmt_version,
			   .cat = spec->cat_version,
			   .sdt = spec->sdt_version },
		.continuity = &s->live->splice,
		.out = out,
		.arg = arg,
	});
	s->memory = memory;
	s->needs_clock = spec->tables.clock_lost != CLOCK_KEEP;
	s->period_ns = mux_stage_period_ms(spec->mux_delay_ms) * MS;
	s->reads = xcalloc(start->n_inputs + 1, sizeof *s->reads);
	for (size_t i = 0; i < start->n_inputs; i++) {
		set_up_input(s, i, start->inputs[i]);
		find_start(&s->sources[i], start->inputs[i], reads);
	}
}

void mux_stage_done(struct mux_stage *s)
{
	for (size_t i = 0; i < ARRAY_LEN(s->files); i++)
		absent_file_free(&s->files[i]);
	mux_free(&s->mux);
	free(s->reads);
	free(s->live);
	s->reads = NULL;
	s->live = NULL;
}

static size_t get_addresses(const struct mux_stage *s,
			    uint64_t ret[MSG_INPUTS_MAX])
{
	for (size_t i = 0; i < mux_inputs(s->mux); i++)
		ret[i] = s->sources[i].address;
	return mux_inputs(s->mux);
}

void mux_stage_resume(struct mux_stage *s, uint64_t now_ns)
{
	uint64_t addresses[MSG_INPUTS_MAX];

	if (s->mux == NULL)
		return;
	s->resuming = true;
	if (mux_memory_restore(&s->memory->mux, s->mux, addresses,
			       get_addresses(s, addresses),
			       s->memory->splice.at_ns, now_ns))
		s->keep_ns = now_ns + KEEP_AFTER_MS * MS;
	s->resuming = false;
}

void mux_stage_keep(struct mux_stage *s)
{
	uint64_t addresses[MSG_INPUTS_MAX];

	if (s->live->splice.at_ns < s->keep_ns)
		return;
	s->kept = true;
	mux_memory_keep(&s->memory->mux, s->mux, addresses,
			get_addresses(s, addresses));
}

bool mux_stage_reads(struct mux_stage *s, uint64_t now_ns)
{
	uint64_t read;

	if (s->mux == NULL)
		return true;
	read = (now_ns - s->period_ns / READ_LATER_PART) / s->period_ns;
	if (read == s->read)
		return false;
	s->read = read;
	return true;
}

void mux_stage_seek(const struct mux_stage *s, struct input_chain *c)
{
	uint64_t from = s->mux != NULL ? s->sources[c->position - 1].from : 0;

	/* `from' stays set until the input has packets, because the master may
	 * hand over the ring again */
	if (from != 0)
		c->keeper.spec.ring_from = from;
}

/* Stores for each input the position in its ring from which the next worker
 * reads: the start of the oldest read of which no packet has left the queue. */
static void keep_reads(struct mux_stage *s)
{
	for (size_t i = 0; i < mux_inputs(s->mux); i++) {
		struct mux_reads *r = &s->reads[i];
		size_t waiting;
		uint64_t left = mux_queued(s->mux, i, &waiting);

		left -= waiting;
		while (r->n > 0 && r->list[r->first].queued < left) {
			r->first = (r->first + 1) % MUX_READS_MAX;
			r->n--;
		}
		s->memory->reads[i] = (struct stream_read){
			s->sources[i].address,
			r->n > 0 ? r->list[r->first].pos : s->sources[i].pos,
		};
	}
}

void mux_stage_heard(struct mux_stage *s, const struct input_chain *c,
		     uint64_t now_ns)
{
	struct mux_seen *source = &s->sources[c->position - 1];
	struct mux_reads *r;
	struct input_counters counters;
	size_t waiting;

	if (s->mux == NULL)
		return;
	r = &s->reads[c->position - 1];
	input_keeper_counters(&c->keeper, &counters);
	if (source->opens != c->keeper.opens ||
	    source->lost != counters.socket_drops) {
		mux_restart(s->mux, c->position - 1);
		r->n = 0;
		source->pos = source->from;
		source->from = 0;
	}
	source->opens = c->keeper.opens;
	source->lost = counters.socket_drops;
	/* the position at which the packets that the input queues next begin */
	if (source->pos != 0 && r->n < MUX_READS_MAX)
		r->list[(r->first + r->n++) % MUX_READS_MAX] =
			(struct mux_read){
				mux_queued(s->mux, c->position - 1, &waiting),
				source->pos };
	source->pos = c->keeper.input != NULL
			      ? input_position(c->keeper.input) : 0;
	mux_heard(s->mux, c->position - 1, now_ns);
}

/* Analyzes the packets of an input without null packets.  The null packets of
 * mux_stage_places() do not come from the input. */
static void analyze_content(struct analyze *a, struct ts_run run)
{
	size_t from = 0;

	for (size_t i = 0; i <= run.n; i++) {
		if (i < run.n &&
		    ts_pid(run.data + i * TS_PACKET) != TS_PID_NULL)
			continue;
		if (i > from)
			analyze_feed(a, (struct ts_run){
				run.data + from * TS_PACKET, i - from });
		from = i + 1;
	}
}

void mux_stage_feed(struct mux_stage *s, struct input_chain *c,
		    const struct ts_run *runs, size_t n_runs)
{
	if (s->resuming)
		return;
	for (size_t i = 0; c->analyze != NULL && i < n_runs; i++)
		analyze_content(c->analyze, runs[i]);
	mux_feed(s->mux, c->position - 1, runs, n_runs);
}

/* Sends the tables that the remux has queued, also while the input is
 * silent. */
void mux_stage_places(struct mux_stage *s, struct input_chain *c,
		      uint64_t now_ns)
{
	struct ts_run places = mux_places();

	if (s->mux == NULL || c->remux == NULL)
		return;
	remux_feed(c->remux, &places, 1, now_ns);
}

void mux_stage_make_place(struct mux_stage *s)
{
	if (s->mux != NULL)
		mux_make_place(s->mux);
}

void mux_stage_set_clock(struct mux_stage *s, bool synchronised)
{
	s->clock_lost = !synchronised;
}

void mux_stage_turn(struct mux_stage *s, uint64_t now_ns, uint64_t unix_ms)
{
	bool unknown = s->clock_lost && s->needs_clock;

	if (s->mux == NULL)
		return;
	for (size_t i = 0; i < mux_inputs(s->mux); i++)
		if (s->files[i] != NULL)
			absent_file_turn(s->files[i], now_ns);
	mux_turn(s->mux, now_ns, unknown ? 0 : unix_ms);
}

void mux_stage_note(struct mux_stage *s, const struct ts_run *runs,
		    size_t n_runs)
{
	struct stream_memory *m = s->memory;

	for (size_t i = 0; s->mux != NULL && i < n_runs; i++) {
		const uint8_t *p = runs[i].data;

		for (size_t k = 0; k < runs[i].n; k++, p += TS_PACKET) {
			uint16_t pid = ts_pid(p);

			if (pid == TS_PID_NULL)
				continue;
			m->splice.cc[pid] = SPLICE_CC_SEEN | ts_cc(p);
			m->table_cc[pid] = (ts_cc(p) + 1) & 0x0f;
		}
	}
}

void mux_stage_commit(struct mux_stage *s)
{
	if (s->mux == NULL)
		return;
	memcpy(s->memory->splice.clocks, s->live->splice.clocks,
	       sizeof s->memory->splice.clocks);
	s->memory->splice.packets = s->live->splice.packets;
	s->memory->splice.at_ns = s->live->splice.at_ns;
	keep_reads(s);
	/* the first time here, later once a second */
	if (!s->kept)
		mux_stage_keep(s);
}

bool mux_stage_find(const struct mux_stage *s, uint16_t pnr,
		    unsigned *ret_place, uint16_t *ret_number)
{
	for (size_t i = 0; i < mux_inputs(s->mux); i++) {
		struct mux_source_state state;

		mux_source_get(s->mux, i, &state);
		for (size_t k = 0; k < state.n_services; k++) {
			if (state.services[k].new_number != pnr)
				continue;
			*ret_place = (unsigned)i + 1;
			*ret_number = state.services[k].number;
			return true;
		}
	}
	return false;
}

json_t *mux_stage_plan(const struct mux_stage *s, unsigned position,
		       unsigned from, unsigned *ret_next)
{
	*ret_next = 0;
	if (s->mux == NULL || position == 0 || position > mux_inputs(s->mux))
		return json_object();
	return mux_plan(s->mux, position - 1, from, ret_next);
}
