/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/input_chain.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/csa/core_choice.h"
#include "worker/stream/mux_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	INITIAL_MS = 5000, /* a new input is off air only after this time */
	/* Includes a connection, a redirection and a slow server. */
	INITIAL_HTTP_MS = 10000,
};

static const char not_ts[] = "no MPEG-TS packets";

/* Sets the options that the keys of a multiplex give to the remux of each
 * input: the edits of PMTs, the transport_stream_id, and the character set of
 * service names.  The multiplex applies its other keys itself. */
static void use_multiplex(struct remux_options *o,
			  const struct stream_spec *stream)
{
	o->set_tsid = stream->tsid;
	o->textcode = stream->remux.textcode;
	o->n_edits = 0;
	for (size_t i = 0; i < stream->remux.n_edits; i++)
		if (stream->remux.edits[i].table == EDIT_PMT)
			o->edits[o->n_edits++] = stream->remux.edits[i];
}

/* Is the source a feed (master/streams/feeds.h)?  Its name has a slash. */
static bool is_feed(const struct input_chain *l)
{
	return io_is_feed(l->keeper.spec.stream);
}

/* Makes the remux of the input.  A single input without options has none: it is
 * relayed byte for byte.  The tables of several inputs, and of the files of a
 * list, share their version numbers.  A descrambled stream needs tables without
 * CA descriptors, a scrambled stream needs tables with its own. */
static void make_remux(struct input_chain *l, const struct chain_config *cfg)
{
	const struct stream_spec *stream = cfg->stream;
	struct remux_options options = l->keeper.spec.remux;
	bool several = !cfg->alone || l->keeper.spec.list ||
		       cfg->place != NULL;
	/* a multiplex sets its own original_network_id in its tables */
	uint16_t new_onid = cfg->place == NULL ? stream->tables.onid : 0;
	bool asked, given = stream->tables.eit != ORIGIN_PASS;

	for (size_t i = 0; i < stream->tables.n_services; i++)
		given |= service_spec_is_named(&stream->tables.services[i]) ||
			 stream->tables.services[i].eit > 0;
	if (cfg->place != NULL)
		use_multiplex(&options, stream);
	else
		remux_options_overlay(&options, &stream->remux);
	asked = cfg->cas != NULL || l->keeper.spec.mux[0] != '\0' ||
		l->descrambler != NULL || remux_options_given(&options) ||
		given || new_onid != 0 ||
		stream->tables.nit != ORIGIN_PASS;
	if (!several && !asked)
		return;
	l->remux = remux_new(&(struct remux_config){
		.options = &options,
		.descrambled = l->descrambler != NULL,
		.nit = stream->tables.nit,
		.eit = stream->tables.eit,
		.onid = tables_spec_onid(&stream->tables, 0),
		.new_onid = new_onid,
		.services = stream->tables.services,
		.n_services = stream->tables.n_services,
		.cas = cfg->cas,
		.versions = cfg->versions,
		.first = { .pat = stream->pat_version,
			   .pmt = stream->pmt_version,
			   .cat = stream->cat_version,
			   .sdt = stream->sdt_version },
		.si = several && cfg->place == NULL ? cfg->si : NULL,
		.place = cfg->place,
		.source = cfg->position,
		.out = cfg->remuxed,
		.arg = cfg->arg,
	});
	/* the log has no maps of the stream, which may be meant for another
	 * input, and none of a feed, which its worker reports */
	if (is_feed(l))
		l->maps.from = REMUX_MAPS_MAX;
	else if (!cfg->alone && cfg->place == NULL)
		l->maps.from = stream->remux.n_maps;
}

static void make_ca(struct input_chain *l, const struct chain_config *cfg)
{
	const struct input_spec *spec = &l->keeper.spec;

	l->descrambler = descrambler_new(csa_choose(cfg->csa), cfg->descrambled,
					 cfg->arg);
	l->ca = ca_stage_new(&(struct ca_stage_config){
		.cams = &spec->cams,
		.ecm_pid = spec->ecm_pid,
		.pnr = spec->remux.pnr,
		.shift_ms = spec->shift_ms,
		.position = l->position,
		.descrambler = l->descrambler,
		.send = cfg->ask,
		.arg = cfg->ask_arg,
	});
}

void chain_init(struct input_chain *l, const struct chain_config *cfg)
{
	const struct input_spec *spec = &l->keeper.spec;
	char label[INPUT_LABEL_MAX];

	*l = (struct input_chain){ .position = cfg->position,
				   .alone = cfg->alone };
	(void)snprintf(label, sizeof label, "input %u", cfg->position);
	if (cfg->is_filler)
		(void)snprintf(label, sizeof label, "filler");
	input_keeper_init(&l->keeper, label, cfg->address);
	l->fault_alarms = cfg->stream->backup_on;
	l->cc_limit = spec->cc_limit;
	if (l->cc_limit == CC_LIMIT_DEFAULT)
		l->cc_limit = cfg->stream->cc_limit;
	if (!l->keeper.valid)
		return;

	chain_choose(l, cfg->stream);
	if (spec->t2mi)
		l->t2mi = t2mi_new((uint16_t)spec->t2mi_pid, spec->plp,
				   cfg->decapsulated, cfg->arg);
	if (spec->biss.given) {
		l->descrambler = descrambler_new(csa_choose(cfg->csa),
						 cfg->descrambled, cfg->arg);
		descrambler_set(l->descrambler, DESCRAMBLER_EVEN,
				spec->biss.key);
		descrambler_set(l->descrambler, DESCRAMBLER_ODD,
				spec->biss.key);
	} else if (spec->cams.n > 0 && cfg->ask != NULL) {
		make_ca(l, cfg);
	}
	make_remux(l, cfg);
	if (spec->mux[0] != '\0')
		l->mux = mux_input_new(spec, cfg->position);
}

void chain_done(struct input_chain *l)
{
	input_keeper_done(&l->keeper);
	t2mi_free(&l->t2mi);
	ca_stage_free(&l->ca);
	descrambler_free(&l->descrambler);
	remux_free(&l->remux);
	mux_input_free(&l->mux);
	analyze_free(&l->analyze);
	monitor_log_done(&l->watch);
	switch_point_free(&l->candidate.entry);
	free(l->finder);
	l->finder = NULL;
}

struct failover_input_config chain_policy(const struct input_chain *l)
{
	const struct input_spec *spec = &l->keeper.spec;
	uint32_t initial_ms = INITIAL_MS;

	if (spec->kind == INPUT_HTTP) {
		initial_ms = INITIAL_HTTP_MS;
		/* a buffer delays the first packet */
		if (!spec->http.no_sync)
			initial_ms += spec->http.buffer_time_s * 1000;
	}
	return (struct failover_input_config){
		.valid = l->keeper.valid,
		.cold = spec->kind == INPUT_FILE,
		.initial_ms = initial_ms,
	};
}

static struct analyze_config analyze_config(const struct input_chain *l)
{
	return (struct analyze_config){
		.cc_limit = l->cc_limit,
		.bitrate_limit_kbps = l->keeper.spec.bitrate_limit_kbps,
		.no_analyze = l->keeper.spec.no_analyze,
	};
}

static void begin(struct input_chain *l, uint64_t now_ns)
{
	struct analyze_config config = analyze_config(l);

	/* The monitor shares the parser of tables of the remux.  It has a
	 * parser of its own without a remux, and if the remux reads only one
	 * program (pnr).  The analyzer, behind the remux, has its own. */
	if (!config.no_analyze)
		monitor_log_begin(&l->watch,
				  l->remux != NULL ? remux_psi(l->remux) : NULL,
				  l->keeper.label, now_ns);
	if (l->watch.monitor != NULL)
		monitor_watch_program(l->watch.monitor, l->choice.number);
	free(l->finder);
	l->finder = config.no_analyze && !l->alone
			    ? xcalloc(1, sizeof *l->finder)
			    : NULL;
	/* There is no analyzer without a remux, and for a feed, whose worker
	 * reports its source: the monitor counts what the verdict needs.  With
	 * the option no_analyze there is no monitor, but an analyzer. */
	if (l->analyze != NULL)
		analyze_reset(l->analyze);
	else if ((l->remux != NULL && !is_feed(l)) || config.no_analyze)
		l->analyze = analyze_new(&config);
	if (l->t2mi != NULL)
		t2mi_reset(l->t2mi);
	if (l->descrambler != NULL)
		descrambler_reset(l->descrambler);
	if (l->ca != NULL)
		ca_stage_reset(l->ca);
	if (l->remux != NULL)
		remux_reset(l->remux);
	l->candidate.psi = l->analyze != NULL ? analyze_psi(l->analyze)
					      : monitor_psi(l->watch.monitor);
	candidate_forget(&l->candidate);
	/* if the operator set cc_limit, only that limit judges single losses */
	l->silence = (struct silence){
		.tolerant = l->cc_limit != CC_LIMIT_NONE ||
			    l->keeper.spec.cc_limit == CC_LIMIT_NONE,
	};
	l->losses = (struct loss_window){ 0 };
	l->empty_ns = l->hole_ns = l->lossy_ns = l->frozen_ns = 0;
	l->holed = l->loss = l->lossy = false;
	l->gaps = 0;
	l->no_av_ms = ANALYZE_NO_AV_MS;
	l->gap = false;
	l->gap_ns = 0;
	l->verdict = FAILOVER_UNKNOWN;
	l->sound = false;
	l->judged_ns = l->resumed_ns = 0;
	l->silent = true;
	l->fault = NULL;
	l->error.text[0] = '\0';
	l->began_ns = now_ns;
	l->tried = false;
	l->empty_reads = 0;
	l->seen = (struct failover_sight){ 0 };
}

void chain_want(struct input_chain *l, bool wanted, uint64_t now_ns)
{
	if (wanted == l->wanted)
		return;
	l->wanted = wanted;
	l->report = (struct analyze_report){ 0 };
	l->received_kbps = l->junk_kbps = 0;
	l->counted = (struct input_counters){ 0 };
	if (wanted) {
		begin(l, now_ns);
		return;
	}
	input_keeper_close(&l->keeper, now_ns);
	monitor_log_rest(&l->watch);
	if (l->mux != NULL)
		mux_input_close(l->mux);
}

void chain_read(struct input_chain *l, struct batch *batch, uint64_t now_ns)
{
	if (!l->wanted)
		return;
	if (l->keeper.input == NULL)
		input_keeper_open(&l->keeper, now_ns);
	l->tried = true;
	if (l->keeper.input == NULL)
		return;
	if (l->mux != NULL)
		mux_input_read(l->mux, now_ns);
	l->empty_reads++;
	if (input_keeper_read(&l->keeper, batch, now_ns) > 0)
		l->empty_reads = 0;
	if (l->ca != NULL)
		ca_stage_turn(l->ca, now_ns);
	/* before empty_ns is set: these packets arrived before this read */
	if (l->descrambler != NULL)
		descrambler_turn(l->descrambler, l->empty_reads == 0, now_ns);
	if (l->empty_reads > 0)
		l->empty_ns = now_ns;
}

void chain_take_cam(struct input_chain *l, const struct msg *m,
		    uint64_t now_ns)
{
	if (l->ca != NULL && m->type == MSG_STREAM_CAM)
		ca_stage_take_cam(l->ca, &m->stream_cam, now_ns);
	else if (l->ca != NULL)
		ca_stage_take_word(l->ca, &m->stream_word, now_ns);
}

void chain_watch(struct input_chain *l, const struct ts_run *runs,
		 size_t n_runs, uint64_t now_ns)
{
	struct silence_read read = { .empty_ns = l->empty_ns };
	uint64_t loss_ns;
	uint32_t gaps = 0;
	bool hole;

	if (l->finder == NULL)
		gaps = monitor_log_feed(&l->watch, runs, n_runs,
					input_keeper_skips(&l->keeper),
					now_ns);
	if (gaps > 0)
		l->gap_ns = MAX(l->gap_ns, monitor_gap_ns(l->watch.monitor));
	for (size_t i = 0; l->finder != NULL && i < n_runs; i++)
		gaps += loss_finder_feed(l->finder, runs[i], l->losses.loss_ns,
					 now_ns, &l->gap_ns);
	if (l->silent)
		l->resumed_ns = now_ns;
	for (size_t i = 0; !l->alone && i < n_runs; i++)
		read.n += runs[i].n;
	/* a full batch is a part of a read: a gap counts with the last part */
	l->gap |= gaps > 0;
	read.gap = l->gap && n_runs < BATCH_RUNS;
	read.before_ns = l->gap_ns;
	if (read.gap) {
		l->gap = false;
		l->gap_ns = 0;
	}
	hole = silence_feed(&l->silence, &read, now_ns);
	l->loss |= gaps > 0;
	loss_ns = l->losses.loss_ns;
	if (!l->alone && loss_window_feed(&l->losses, &read, now_ns) &&
	    !l->silence.tolerant) {
		l->lossy = true;
		l->lossy_ns = now_ns;
	}
	if (l->finder != NULL && l->losses.loss_ns != loss_ns)
		loss_finder_note(l->finder);
	if (gaps > 0 && ++l->gaps >= CHAIN_GAPS_MOST &&
	    l->candidate.state != CANDIDATE_ON_AIR)
		hole = true;
	if (!hole)
		return;
	l->hole_ns = now_ns;
	l->holed = true;
}

const char *chain_fault(const struct input_chain *l, uint64_t now_ns)
{
	uint64_t recent_ns = FAILOVER_HOLE_MS * MS;

	if (l->seen.level != FAILOVER_GOOD)
		return l->fault;
	if (l->frozen_ns != 0 && now_ns - l->frozen_ns < recent_ns)
		return "frozen clock (PCR)";
	if (l->hole_ns != 0 && now_ns - l->hole_ns < recent_ns)
		return "packets lost during an interruption";
	return l->lossy_ns != 0 && now_ns - l->lossy_ns < recent_ns
		       ? "packets lost repeatedly"
		       : NULL;
}

/* Does the input receive no packets? */
static bool is_silent(const struct input_chain *l, uint64_t now_ns)
{
	return l->silence.last_ns == 0 || now_ns >= silence_ns(&l->silence);
}

bool chain_look(struct input_chain *l, uint64_t now_ns,
		struct failover_sight *ret)
{
	bool has_error = l->tried && l->keeper.error.text[0] != '\0';
	struct failover_sight sight = {
		.level = l->verdict,
		.broken = has_error && l->keeper.failed,
		.ended = l->keeper.ended,
		.hole = l->holed,
		.loss = l->loss,
		.lossy = l->lossy,
	};

	l->silent = sight.broken || is_silent(l, now_ns);
	if (l->silent) {
		sight.level = FAILOVER_DEAD;
		/* a silent input needs another second on air to be good */
		if (l->verdict == FAILOVER_GOOD)
			l->verdict = FAILOVER_POOR;
		if (sight.ended)
			l->fault = "ended";
		else if (has_error)
			l->fault = "cannot be opened";
		else if (l->junk_kbps > 0)
			l->fault = not_ts;
		else if (l->silence.last_ns != 0)
			l->fault = analyze_fault_name(ANALYZE_SILENT);
	}
	sight.fresh = !l->silent && l->sound && sight.level != FAILOVER_GOOD &&
		      l->resumed_ns > l->judged_ns;
	*ret = sight;
	l->holed = l->loss = l->lossy = false;
	if (!sight.hole && !sight.loss && sight.fresh == l->seen.fresh &&
	    sight.level == l->seen.level &&
	    sight.broken == l->seen.broken && sight.ended == l->seen.ended)
		return false;
	l->seen = sight;
	return true;
}

/* True if most descrambled PES packets have no start code.  With the right key
 * only a few have none: these are scrambled sections. */
static bool is_wrong_key(const struct input_chain *l)
{
	return l->descrambled.wrong_starts > l->descrambled.starts / 2;
}

/* Writes the error of the input: the first reason below that applies.
 * missing: what the remux lacks, or the name of an alarm; NULL: neither. */
static void describe(struct input_chain *l, const char *missing)
{
	const struct analyze_report *r = &l->report;
	unsigned pnr = l->keeper.spec.remux.pnr;

	if (l->only_nulls && l->fault != NULL)
		errmsg_set(&l->error, "only null packets arrive");
	else if (missing != NULL && pnr != 0 &&
		 remux_state(l->remux) == REMUX_NO_PROGRAM)
		errmsg_set(&l->error, "the PAT lists no program pnr=%u", pnr);
	else if (missing != NULL)
		errmsg_set(&l->error, "%s", missing);
	else if (l->t2mi != NULL && l->fault != NULL &&
		 t2mi_explain(l->t2mi, &l->unpacked, &l->error))
		return;
	else if (l->ca != NULL && l->fault != NULL && is_wrong_key(l))
		ca_stage_explain_wrong(l->ca, &l->descrambled, &l->error);
	else if (l->ca != NULL && l->fault != NULL && r->packets > 0 &&
		 ca_stage_error(l->ca, &l->error))
		return;
	else if (is_wrong_key(l) && l->fault != NULL)
		errmsg_set(&l->error, "biss: the key is wrong: %u of %u PES "
			   "packets have no start code",
			   l->descrambled.wrong_starts, l->descrambled.starts);
	else if (r->fault == ANALYZE_SILENT && l->junk_kbps > 0)
		errmsg_set(&l->error, "%u kbit/s arrive without MPEG-TS "
			   "packets", l->junk_kbps);
	else if (r->fault == ANALYZE_NO_AV)
		errmsg_set(&l->error, "no packets arrive on the video and "
			   "audio PIDs of the PMT (PID_error)");
	else if (r->fault == ANALYZE_BITRATE)
		errmsg_set(&l->error, "bitrate of %u kbit/s %sis below the "
			   "limit of %u kbit/s", r->payload_kbps,
			   r->bitrate_kbps > r->payload_kbps
				? "without null packets " : "", r->limit_kbps);
	else if (r->fault == ANALYZE_PES)
		errmsg_set(&l->error, "%u PES errors in a second",
			   r->pes_error);
	else if (r->fault == ANALYZE_CC)
		errmsg_set(&l->error, "%u CC errors in a second", r->cc_error);
	else if (r->fault == ANALYZE_DAMAGED)
		errmsg_set(&l->error, "%u packets with "
			   "transport_error_indicator and %u CC errors in a "
			   "second", r->damaged, r->cc_error);
	else
		errmsg_set(&l->error, "%s", l->fault != NULL ? l->fault : "");
}

static void judge(struct input_chain *l, uint64_t now_ns)
{
	static const char *const names[] = {
		[REMUX_NO_PAT] = "no PAT",
		[REMUX_NO_PROGRAM] = "the PAT does not list the program",
		[REMUX_NO_PMT] = "no PMT",
		[REMUX_READY] = NULL,
	};
	alarm_set alarms = l->watch.raised & l->fault_alarms;
	const char *missing = NULL;

	/* packets arrive, but the remux finds no program in them */
	if (l->remux != NULL && !is_silent(l, now_ns))
		missing = names[remux_state(l->remux)];
	if (missing == NULL && l->report.onair && alarms != 0) {
		missing = alarm_name((enum alarm_id)__builtin_ctzll(alarms));
		l->report.onair = false;
	}
	l->fault = missing != NULL ? missing
		   : l->report.fault == ANALYZE_SILENT && l->junk_kbps > 0
			   ? not_ts
			   : analyze_fault_name(l->report.fault);
	describe(l, missing);
	if (l->report.onair)
		l->verdict = FAILOVER_GOOD;
	else if (l->report.packets > 0)
		l->verdict = FAILOVER_POOR;
	else
		l->verdict = FAILOVER_DEAD;
	/* packets of a part of a second can prove that the input is on air, but
	 * not that it is off air */
	if (l->verdict != FAILOVER_GOOD &&
	    (l->silent || l->resumed_ns + SECOND_NS > now_ns))
		return;
	l->sound = l->verdict == FAILOVER_GOOD;
	l->judged_ns = now_ns;
}

/* Counts a second in which the PCR stands still as a hole, like a pause with
 * lost packets, because receivers cannot play the stream.  Then another input
 * follows; the only input of a stream stays on air. */
static void judge_clock(struct input_chain *l, uint64_t now_ns)
{
	const struct monitor *m = l->watch.monitor;

	if (l->alone || m == NULL ||
	    !monitor_is_frozen(m, (uint16_t)l->keeper.spec.remux.pnr))
		return;
	l->frozen_ns = l->hole_ns = now_ns;
	l->holed = true;
}

void chain_second(struct input_chain *l, uint64_t now_ns)
{
	const struct input_counters *c = &l->counted;
	unsigned passed_ms = (unsigned)((now_ns - l->began_ns) / MS);
	struct analyze_config config = analyze_config(l);
	struct analyze_counts counts;
	/* the reason that the log adds to an alarm; NULL: none */
	const char *reason = NULL;
	bool two_senders;

	if (!l->wanted || passed_ms < CHAIN_JUDGE_MS)
		return;
	input_keeper_every_second(&l->keeper, now_ns, &l->counted);
	if (l->mux != NULL)
		mux_input_second(l->mux, now_ns);
	if (l->t2mi != NULL)
		l->unpacked = t2mi_take_counts(l->t2mi);
	if (l->ca != NULL)
		l->descrambled = ca_stage_second(l->ca, now_ns);
	else if (l->descrambler != NULL)
		l->descrambled = descrambler_take_counts(l->descrambler, 0);
	/* counted before the remux; monitor_log_second() resets the counts */
	counts = (struct analyze_counts){ 0 };
	if (l->watch.monitor != NULL)
		monitor_counted(l->watch.monitor, &counts);
	l->only_nulls = counts.packets > 0 &&
			counts.null_packets == counts.packets;
	l->received_kbps = l->remux != NULL
				   ? analyze_kbps(counts.packets, passed_ms)
				   : 0;
	if (l->analyze != NULL) {
		analyze_every_second(l->analyze, passed_ms, &l->report);
	} else {
		analyze_judge(&config, &counts, monitor_psi(l->watch.monitor),
			      passed_ms, &l->report);
	}
	analyze_judge_av(&l->report, passed_ms, &l->no_av_ms);
	two_senders = c->source_changes >= INPUT_TWO_SENDERS;
	if (l->keeper.input != NULL)
		reason = two_senders && c->unprotected == 0
				 ? input_senders(l->keeper.input)
				 : input_unprotected(l->keeper.input);
	monitor_log_second(&l->watch,
			   &(struct monitor_counts){
				   .sync_losses = (uint32_t)c->sync_losses,
				   .bad_sync = (uint32_t)c->bad_sync,
				   .network_lost = (uint32_t)c->lost,
				   .socket_dropped = (uint32_t)c->socket_drops,
				   .senders = two_senders ? 2 : 1,
				   .unprotected = (uint32_t)c->unprotected,
				   .unplayable = (uint32_t)c->unplayable,
			   },
			   is_feed(l) ? ~ALARMS_OF_TRANSPORT : 0, reason,
			   now_ns);
	judge_clock(l, now_ns);
	l->junk_kbps = 0;
	if (l->report.packets == 0 && is_silent(l, now_ns))
		l->junk_kbps = (uint32_t)((c->junk_bytes * 8 + passed_ms - 1) /
					  passed_ms);
	l->began_ns = now_ns;
	l->gaps = 0;
	if (l->remux != NULL) {
		omission_log_second(&l->omissions, l->remux, l->keeper.label,
				    now_ns);
		map_log_second(&l->maps, l->remux, l->keeper.label, now_ns);
	}
	judge(l, now_ns);
}
