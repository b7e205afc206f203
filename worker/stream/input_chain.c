/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/input_chain.h"

#include "common/base/units.h"
#include "worker/stream/mux_input.h"

#include <stdio.h>
#include <string.h>

enum {
	INITIAL_MS = 5000,
	/* A connection, a redirection, and a server that begins to send. */
	INITIAL_HTTP_MS = 10000,
};

/* A single input without options is a relay, byte for byte.  Several inputs,
 * and the files of a list, have tables with one count of versions. */
static void make_remux(struct input_chain *l, const struct chain_config *cfg)
{
	const struct stream_spec *stream = cfg->stream;
	struct remux_options options = l->keeper.spec.remux;
	bool several = !cfg->alone || l->keeper.spec.list;
	bool asked;

	remux_options_overlay(&options, &stream->remux);
	asked = l->keeper.spec.mux[0] != '\0' || remux_options_given(&options);
	if (!several && !asked)
		return;
	l->remux = remux_new(&(struct remux_config){
		.options = &options,
		.versions = cfg->versions,
		.first = { .pat = stream->pat_version,
			   .pmt = stream->pmt_version,
			   .cat = stream->cat_version,
			   .sdt = stream->sdt_version },
		.si = several ? cfg->si : NULL,
		.source = cfg->position,
		.out = cfg->remuxed,
		.arg = cfg->arg,
	});
}

void chain_init(struct input_chain *l, const struct chain_config *cfg)
{
	char label[INPUT_LABEL_MAX];

	*l = (struct input_chain){ .position = cfg->position };
	(void)snprintf(label, sizeof label, "input %u", cfg->position);
	input_keeper_init(&l->keeper, label, cfg->address);
	l->fault_alarms = cfg->stream->backup_on;
	l->cc_limit = l->keeper.spec.cc_limit;
	if (l->cc_limit == CC_LIMIT_DEFAULT)
		l->cc_limit = cfg->stream->cc_limit;
	if (l->keeper.valid)
		make_remux(l, cfg);
	if (l->keeper.valid && l->keeper.spec.mux[0] != '\0')
		l->mux = mux_input_new(&l->keeper.spec, cfg->position);
}

void chain_done(struct input_chain *l)
{
	input_keeper_done(&l->keeper);
	remux_free(&l->remux);
	mux_input_free(&l->mux);
	analyze_free(&l->analyze);
	monitor_log_done(&l->watch);
	switch_point_free(&l->candidate.entry);
}

/* How long it may take until it is on air. */
static uint32_t initial_ms(const struct input_spec *spec)
{
	if (spec->kind != INPUT_HTTP)
		return INITIAL_MS;
	/* a buffer delays the first packet */
	return INITIAL_HTTP_MS +
	       (spec->http.no_sync ? 0 : spec->http.buffer_time_s * 1000);
}

struct failover_input_config chain_policy(const struct input_chain *l)
{
	return (struct failover_input_config){
		.valid = l->keeper.valid,
		.cold = l->keeper.spec.kind == INPUT_FILE,
		.initial_ms = initial_ms(&l->keeper.spec),
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

/* Without a remux the monitor counts what the verdict needs. */
static void begin_analyze(struct input_chain *l)
{
	struct analyze_config config = analyze_config(l);

	if (l->analyze != NULL)
		analyze_reset(l->analyze);
	else if (l->remux != NULL || l->watch.monitor == NULL)
		l->analyze = analyze_new(&config);
}

static void begin(struct input_chain *l, uint64_t now_ns)
{
	const struct input_spec *spec = &l->keeper.spec;

	if (l->watch.monitor != NULL)
		monitor_log_reset(&l->watch, now_ns);
	else if (!spec->no_analyze)
		monitor_log_begin(&l->watch, NULL, l->position, now_ns);
	begin_analyze(l);
	if (l->remux != NULL)
		remux_reset(l->remux);
	candidate_forget(&l->candidate);
	l->silence = (struct silence){ 0 };
	l->verdict = FAILOVER_UNKNOWN;
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
	l->counted = (struct input_counters){ 0 };
	if (wanted)
		begin(l, now_ns);
	else
		input_keeper_close(&l->keeper, now_ns);
	if (!wanted)
		monitor_log_rest(&l->watch);
	if (!wanted && l->mux != NULL)
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
}

const json_t *chain_stats(struct input_chain *l)
{
	struct link_stats more = { 0 };

	if (l->mux != NULL)
		mux_input_stats(l->mux, &more);
	return input_keeper_stats(&l->keeper, &more);
}

void chain_warm(const struct input_chain *l, struct warm *w)
{
	const struct input_keeper *s = &l->keeper;

	warm_add(w, l, offsetof(struct input_chain, error));
	warm_add(w, &l->seen, sizeof l->seen);
	warm_add(w, s, offsetof(struct input_keeper, error) + 1);
	if (s->input != NULL)
		input_warm(s->input, w);
	if (l->watch.monitor != NULL)
		monitor_warm(l->watch.monitor, w);
}

bool chain_is_busy(const struct input_chain *l)
{
	const struct input *in = l->keeper.input;

	return in != NULL &&
	       (l->empty_reads < CHAIN_EMPTY_READS || input_fd(in) < 0);
}

static bool is_broken(const struct input_chain *l)
{
	return l->tried && l->keeper.input == NULL &&
	       l->keeper.error.text[0] != '\0';
}

/* After a silence it has to be on air for another second. */
static void note_silence(struct input_chain *l,
			 const struct failover_sight *sight)
{
	if (l->verdict == FAILOVER_GOOD)
		l->verdict = FAILOVER_POOR;
	if (sight->ended)
		l->fault = "ended";
	else if (l->tried && l->keeper.error.text[0] != '\0')
		l->fault = "cannot be opened";
	else if (l->silence.last_ns != 0)
		l->fault = analyze_fault_name(ANALYZE_SILENT);
}

bool chain_look(struct input_chain *l, uint64_t now_ns,
		struct failover_sight *ret)
{
	struct failover_sight sight = {
		.level = l->verdict,
		.broken = is_broken(l),
		.ended = l->keeper.ended,
	};
	bool silent =
		l->silence.last_ns == 0 || now_ns >= silence_ns(&l->silence);

	l->silent = sight.broken || silent;
	if (l->silent) {
		note_silence(l, &sight);
		sight.level = FAILOVER_DEAD;
	}
	*ret = sight;
	if (sight.level == l->seen.level && sight.broken == l->seen.broken &&
	    sight.ended == l->seen.ended)
		return false;
	l->seen = sight;
	return true;
}

uint64_t chain_next_ns(const struct input_chain *l, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX, silent = silence_ns(&l->silence);

	if (!l->wanted)
		return next;
	next = input_keeper_next_ns(&l->keeper);
	return silent > now_ns ? MIN(next, silent) : next;
}

/* Packets arrive, and the remux finds nothing to send in them. */
static const char *find_missing(const struct input_chain *l, uint64_t now_ns)
{
	static const char *const names[] = {
		[REMUX_NO_PAT] = "no PAT",
		[REMUX_NO_PROGRAM] = "the program is not there",
		[REMUX_NO_PMT] = "no PMT",
		[REMUX_READY] = NULL,
	};

	if (l->remux == NULL || l->silence.last_ns == 0 ||
	    now_ns >= silence_ns(&l->silence))
		return NULL;
	return names[remux_state(l->remux)];
}

static void describe_report(struct input_chain *l)
{
	const struct analyze_report *r = &l->report;

	switch (r->fault) {
	case ANALYZE_BITRATE:
		errmsg_set(&l->error, "%u kbit/s are less than %u",
			   r->payload_kbps, r->limit_kbps);
		break;
	case ANALYZE_PES:
		errmsg_set(&l->error, "%u PES errors in a second",
			   r->pes_error);
		break;
	case ANALYZE_CC:
		errmsg_set(&l->error, "%u CC errors in a second", r->cc_error);
		break;
	default:
		errmsg_set(&l->error, "%s", l->fault != NULL ? l->fault : "");
		break;
	}
}

/* An error of the input says more than one of what the remux leaves of it. */
static void describe(struct input_chain *l, const char *missing)
{
	unsigned pnr = l->keeper.spec.remux.pnr;

	if (missing == NULL)
		describe_report(l);
	else if (pnr != 0 && remux_state(l->remux) == REMUX_NO_PROGRAM)
		errmsg_set(&l->error, "the program pnr=%u is not there", pnr);
	else
		errmsg_set(&l->error, "%s", missing);
}

/* An alarm that is to count as a fault; NULL: there is none. */
static const char *find_alarm(const struct input_chain *l)
{
	uint32_t bits = l->watch.raised & l->fault_alarms;
	int i = 0;

	while (i < ALARM_COUNT && !(bits >> i & 1))
		i++;
	return i < ALARM_COUNT ? alarm_name((enum alarm_id)i) : NULL;
}

static void judge(struct input_chain *l, uint64_t now_ns)
{
	const char *missing = find_missing(l, now_ns);

	if (missing == NULL && l->report.onair) {
		missing = find_alarm(l);
		l->report.onair = missing == NULL;
	}

	l->fault = missing != NULL ? missing
				   : analyze_fault_name(l->report.fault);
	describe(l, missing);
	if (l->report.onair)
		l->verdict = FAILOVER_GOOD;
	else if (l->report.packets > 0)
		l->verdict = FAILOVER_POOR;
	else
		l->verdict = FAILOVER_DEAD;
}

static void report(struct input_chain *l, unsigned passed_ms)
{
	struct analyze_config config = analyze_config(l);
	struct analyze_counts counts;

	if (l->analyze != NULL) {
		analyze_every_second(l->analyze, passed_ms, &l->report);
		return;
	}
	monitor_counted(l->watch.monitor, &counts);
	analyze_judge(&config, &counts, monitor_psi(l->watch.monitor),
		      passed_ms, &l->report);
}

static bool has_two_senders(const struct input_chain *l)
{
	return l->counted.source_changes >= INPUT_TWO_SENDERS;
}

/* The reason of the alarm that the log gives a reason for. */
static const char *alarm_reason(const struct input_chain *l)
{
	if (l->keeper.input == NULL)
		return NULL;
	if (has_two_senders(l) && l->counted.unprotected == 0)
		return input_senders(l->keeper.input);
	return input_unprotected(l->keeper.input);
}

void chain_second(struct input_chain *l, uint64_t now_ns)
{
	uint64_t passed_ms = (now_ns - l->began_ns) / MS;

	if (!l->wanted || passed_ms < CHAIN_JUDGE_MS)
		return;
	input_keeper_every_second(&l->keeper, now_ns, &l->counted);
	if (l->mux != NULL)
		mux_input_second(l->mux, now_ns);
	report(l, (unsigned)passed_ms);
	monitor_log_second(
		&l->watch,
		&(struct monitor_counts){
			.sync_losses = (uint32_t)l->counted.sync_losses,
			.bad_sync = (uint32_t)l->counted.bad_sync,
			.network_lost = (uint32_t)l->counted.lost,
			.socket_dropped = (uint32_t)l->counted.socket_drops,
			.senders = has_two_senders(l) ? 2 : 1,
			.unprotected = (uint32_t)l->counted.unprotected,
			.unplayable = (uint32_t)l->counted.unplayable,
		},
		0, alarm_reason(l), now_ns);
	l->began_ns = now_ns;
	judge(l, now_ns);
}
