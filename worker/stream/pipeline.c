/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/pipeline.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/stream/pipeline_state.h"

#include <stdlib.h>
#include <string.h>

enum { TICK_MIN_MS = 1, RING_TICK_MS = 20 };

static void on_switch(const struct selector_switch *sw, void *arg)
{
	struct pipeline *p = arg;

	if (p->on_switch != NULL)
		p->on_switch(sw, p->arg);
}

/*
 * --- the packets, from the inputs to the outputs ---
 *
 *	keeper ─▶ received ─▶ t2mi ─▶ decapsulated ─▶ descrambler ─▶
 *	                                                  ▲
 *	                               control words of softcams
 *	descrambled ─▶ remux ─▶ remuxed ─▶
 *	      ▲
 *	packets of mux=
 *	selector ─▶ versions ─▶ counted ─▶ splice ─▶ spliced ─▶
 *	                           ▲                   ▲
 *	                     still picture    mux, instead, of all inputs
 *	own tables ─▶ tabled ─▶ cas ─▶ sent ─▶ ring, sender, sinks
 *
 * The keeper of each open input reads it into the batch (input_chain.h).  The
 * selector drops the packets of an input that is not on air.  The outputs are
 * the ring, from which the deliver worker serves viewers; the sender, which
 * sends one paced copy to all plain outputs; and sinks with their own pace.
 *
 * Each function is handed the runs of the stage before it, feeds the stages
 * that watch them, and ends with the stage that changes them.  That stage hands
 * its runs to the next function, as soon as its buffer is full.
 *
 * The stages of one point share one parser of PAT and PMT: that of the remux
 * (or without a remux the monitor), of the analyzer, and of the splice.  With
 * pnr the remux reads a single PMT, and the monitor has a parser of its own.
 */
static ts_out_fn received, decapsulated, descrambled, remuxed, filled, spliced;
static ts_out_fn tabled, sent;
static void spliced_from(struct pipeline *, struct candidate *,
			 const struct ts_run *runs, size_t n_runs);

static void read_inputs(struct pipeline *p)
{
	struct input_chain *due[SELECTOR_DUE_MAX];
	size_t n = selector_due(p->selector, p->now_ns, due);

	/* the still picture runs first: if this turn is late and enters an
	 * input, the PCRs continue up to the entry */
	if (p->filler != NULL && selector_still(p->selector) != NULL)
		filler_run(p->filler, p->now_ns, filled, p);
	if (!mux_stage_reads(&p->mux, p->now_ns))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		p->reading = due[i];
		mux_stage_seek(&p->mux, due[i]);
		chain_read(due[i], &p->batch, p->now_ns); /* ─▶ received */
		mux_stage_places(&p->mux, due[i], p->now_ns); /* ─▶ remuxed */
	}
	if (p->tables != NULL && own_tables_lack_places(p->tables))
		mux_stage_make_place(&p->mux);
	mux_stage_turn(&p->mux, p->now_ns, wall_ms()); /* ─▶ spliced */
	splice_turn(p->splice, p->now_ns);
}

/* Takes received packets of an input, in whole runs. */
static void received(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct pipeline *p = arg;
	struct input_chain *c = p->reading;

	if (c->t2mi != NULL)
		t2mi_feed(c->t2mi, runs, n_runs);
	else
		decapsulated(runs, n_runs, p);
}

/* Takes packets of an input, unpacked if it carries T2-MI. */
static void decapsulated(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct pipeline *p = arg;
	struct input_chain *c = p->reading;

	if (c->ca != NULL)
		ca_stage_feed(c->ca, runs, n_runs, p->now_ns);
	else if (c->descrambler != NULL)
		descrambler_feed(c->descrambler, runs, n_runs, p->now_ns);
	else
		descrambled(runs, n_runs, p);
}

/* Takes packets after the descrambler of their input. */
static void descrambled(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct pipeline *p = arg;
	struct input_chain *c = p->reading;

	chain_watch(c, runs, n_runs, p->now_ns);
	tap_packets(&p->tap, c->position, runs, n_runs);
	mux_stage_heard(&p->mux, c, p->now_ns);
	if (c->mux != NULL)
		mux_input_join(c->mux, c->remux, runs, n_runs, p->now_ns);
	if (c->remux != NULL)
		remux_feed_chosen(c->remux, runs, n_runs,
				  input_keeper_skips(&c->keeper), p->now_ns);
	else
		remuxed(runs, n_runs, p);
}

/* Takes packets after the remux of their input. */
static void remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct pipeline *p = arg;
	struct input_chain *c = p->reading;

	if (p->mux.mux != NULL) {
		mux_stage_feed(&p->mux, c, runs, n_runs);
		return;
	}
	for (size_t i = 0; c->analyze != NULL && i < n_runs; i++)
		analyze_feed(c->analyze, runs[i]);
	spliced_from(p, &c->candidate, runs, n_runs);
}

/* Takes packets of the still picture. */
static void filled(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct pipeline *p = arg;

	spliced_from(p, selector_still(p->selector), runs, n_runs);
}

/* Takes packets of the candidate on air; its tables have the right versions. */
static void counted(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct pipeline *p = arg;

	if (!p->held)
		splice_feed(p->splice, runs, n_runs, p->now_ns);
	for (size_t i = 0; p->held && i < n_runs; i++)
		splice_feed_held(p->splice, runs[i], p->now_ns);
}

/* Gives tables their versions in the output, which those of the still picture
 * have already.  held: the packets arrived earlier. */
static void count_versions(struct pipeline *p, const struct candidate *c,
			   const struct ts_run *runs, size_t n_runs, bool held)
{
	p->held = held;
	if (p->versions == NULL || c == selector_still(p->selector))
		counted(runs, n_runs, p);
	else
		version_stage_feed(p->versions, runs, n_runs);
}

/* Sets the version of a table that is sent in front of an entered candidate. */
static void lead(uint16_t pid, uint8_t *section, size_t len, void *arg)
{
	struct pipeline *p = arg;

	if (p->versions != NULL && !selector_enters_still(p->selector))
		version_stage_apply(p->versions, pid, section, len);
}

/* Sends packets of a candidate if it is on air or ends (SELECTOR_ENDING). */
static void spliced_from(struct pipeline *p, struct candidate *c,
			 const struct ts_run *runs, size_t n_runs)
{
	struct selector_part part;

	part.runs = runs;
	part.n_runs = n_runs;
	switch (selector_route(p->selector, c, &part)) {
	case SELECTOR_ON_AIR:
		count_versions(p, c, part.runs, part.held, true);
		count_versions(p, c, part.runs + part.held,
			       part.n_runs - part.held, false);
		break;
	case SELECTOR_ENDING:
		splice_drain(p->splice, part.runs, part.n_runs, p->now_ns);
		break;
	case SELECTOR_NOT_SENT:
		break;
	}
}

/* Takes packets of the stream with the tables of its inputs. */
static void spliced(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct pipeline *p = arg;

	if (p->filler != NULL && selector_still(p->selector) == NULL)
		filler_feed(p->filler, runs, n_runs);
	if (p->tables != NULL)
		own_tables_feed(p->tables, runs, n_runs, p->now_ns);
	else
		tabled(runs, n_runs, p);
}

/* Takes packets of the stream, in the clear. */
static void tabled(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct pipeline *p = arg;

	monitor_log_feed(&p->watch, runs, n_runs, NULL, p->now_ns);
	cue_watch_feed(p->cue_watch, runs, n_runs, p->now_ns);
	if (p->cas != NULL)
		cas_stage_feed(p->cas, runs, n_runs, p->now_ns);
	else
		sent(runs, n_runs, p);
}

/* Takes packets that are sent. */
static void sent(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct pipeline *p = arg;

	for (size_t i = 0; i < n_runs; i++)
		p->packets += runs[i].n;
	mux_stage_note(&p->mux, runs, n_runs);
	if (p->ring != NULL)
		ring_out_feed(p->ring, runs, n_runs, p->now_ns);
	/* first the outputs that only queue: if the worker ends while it sends,
	 * all their packets are queued */
	for (size_t i = 0; i < p->n_sinks && p->n_with_pace > 0; i++)
		if (p->sinks[i].cbr != NULL)
			sink_feed(&p->sinks[i], runs, n_runs, p->now_ns);
	if (p->n_paced > 0)
		sender_feed(&p->sender, runs, n_runs, p->now_ns);
	for (size_t i = 0; i < p->n_sinks && p->n_with_pace > 0; i++)
		if (p->sinks[i].sender != NULL)
			sink_feed(&p->sinks[i], runs, n_runs, p->now_ns);
	p->fed = true;
}

/* Sends the packets that are due by the clock of the outputs. */
static void run_outputs(struct pipeline *p)
{
	if (!p->fed && p->n_paced > 0)
		sender_feed(&p->sender, NULL, 0, p->now_ns);
	for (size_t i = 0; i < p->n_sinks && p->n_with_pace > 0; i++)
		if (sink_has_pace(&p->sinks[i]))
			sink_run(&p->sinks[i], p->now_ns);
	if (p->ring == NULL)
		return;
	/* the source is silent, and its last packets are due */
	if (!p->fed && ring_out_next_ns(p->ring) <= p->now_ns)
		ring_out_feed(p->ring, NULL, 0, p->now_ns);
	ring_out_publish(p->ring);
}

/* --- the turn --- */

/* The time of the next turn, if no packet arrives before. */
static uint64_t next_turn(const struct pipeline *p)
{
	uint64_t next = MIN(sender_next_ns(&p->sender), p->second_ns);

	next = MIN(next, selector_next_ns(p->selector, p->now_ns));
	next = MIN(next, splice_next_ns(p->splice));
	next = MIN(next, netif_news_next_ns(&p->news));
	if (p->ring != NULL)
		next = MIN(next, ring_out_next_ns(p->ring));
	for (size_t i = 0; i < p->n_sinks && p->n_with_pace > 0; i++)
		if (sink_has_pace(&p->sinks[i]))
			next = MIN(next, sink_next_ns(&p->sinks[i]));
	return MAX(next, p->now_ns + TICK_MIN_MS * MS);
}

static void schedule(struct pipeline *p)
{
	unsigned tick = p->tick_ms;
	bool busy = selector_is_busy(p->selector);
	bool behind = sender_is_behind(&p->sender);
	int fd = busy ? -1 : selector_fd(p->selector);

	if (ev_is_active(&p->readable) && p->readable.fd != fd)
		ev_io_stop(p->loop, &p->readable);
	if (fd >= 0 && !ev_is_active(&p->readable)) {
		ev_io_set(&p->readable, fd, EV_READ);
		ev_io_start(p->loop, &p->readable);
	}
	ticker_watch(&p->ticker, netif_news_fd(&p->news));
	if (!busy) {
		ticker_at(&p->ticker, next_turn(p));
		return;
	}
	/* does an output have more packets queued than a burst? */
	for (size_t i = 0; !behind && i < p->n_sinks && p->n_with_pace > 0; i++)
		behind = sink_has_pace(&p->sinks[i]) &&
			 sink_is_behind(&p->sinks[i]);
	if (p->roomy_ms > tick && selector_is_roomy(p->selector))
		tick = p->roomy_ms;
	ticker_every(&p->ticker, MAX(tick >> behind, 1U) * MS, p->now_ns);
}

static void turn(void *arg)
{
	struct pipeline *p = arg;

	prefetch_all(&p->warm);
	p->now_ns = mono_ns();
	p->fed = false;
	if (netif_news_take(&p->news, p->now_ns))
		pipeline_follow(p);
	read_inputs(p);
	selector_turn(p->selector);
	run_outputs(p);
	mux_stage_commit(&p->mux);
	if (p->now_ns >= p->second_ns)
		pipeline_second(p);
	schedule(p);
}

int pipeline_choose(struct pipeline *p, unsigned position, struct errmsg *error)
{
	int r = selector_choose(p->selector, position, mono_ns(), error);

	schedule(p);
	return r;
}

static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)loop, (void)revents;
	turn(container_of(w, struct pipeline, readable));
}

static void note_waiting(struct ts_run waiting, uint64_t now_ns, void *arg)
{
	struct pipeline *p = arg;

	if (p->n_paced > 0)
		stream_memory_set_waiting(p->memory, waiting, now_ns);
}

static void make_sinks(struct pipeline *p, const struct msg_stream_start *start,
		       int memory)
{
	const char *name = json_string_value(
		json_object_get(start->options, "service_name"));
	uint64_t addresses[MSG_OUTPUTS_MAX];
	bool follows = false, routes = false;

	if (name == NULL || name[0] == '\0')
		name = start->name;
	if (start->hls > 0)
		p->hls = (struct ring_out_hls){
			.duration_ms = HLS_DURATION_S * 1000,
			.quantity = start->hls,
		};
	p->n_sinks = start->n_outputs;
	p->tick_ms = PACER_BURST_MS;
	p->sinks = xcalloc(p->n_sinks, sizeof *p->sinks);
	for (size_t i = 0; i < p->n_sinks; i++)
		addresses[i] = sink_address(start->outputs[i]);
	stream_memory_arrange(p->memory, memory, addresses, p->n_sinks);
	for (size_t i = 0; i < p->n_sinks; i++) {
		struct sink *s = &p->sinks[i];

		sink_init(s, (unsigned)i + 1, start->outputs[i], name,
			  &p->memory->outputs[i]);
		s->asker = &p->asker;
		p->n_paced += s->valid && !sink_has_pace(s) &&
			      s->spec.kind != OUTPUT_HTTP;
		p->n_with_pace += sink_has_pace(s);
		pipeline_add_hls(p, s);
		p->tick_ms = MIN(p->tick_ms, sink_burst_ms(s));
		follows |= sink_follows(s);
		routes |= sink_follows_routes(s);
	}
	sinks_keep(p->sinks, p->n_sinks, memory, p->now_ns);
	/* before the outputs are opened, so that no change is missed */
	if (follows)
		netif_news_init(&p->news, p->loop, routes);
	for (size_t i = 0; i < p->n_sinks; i++)
		sink_open(&p->sinks[i], p->now_ns);
	p->outputs = xcalloc(p->n_sinks, sizeof *p->outputs);
	sender_init(&p->sender, p->outputs, p->n_sinks, &(struct sender_note){
		.fn = note_waiting,
		.arg = p,
	});
	pipeline_collect_outputs(p);
}

/* Sends the packets that the last worker left; outputs scramble already.
 * Removes them first: packets at which a worker crashes are not sent again. */
static void take_over_queue(struct pipeline *p)
{
	struct ts_run waiting;
	uint32_t late_ms;

	waiting = stream_memory_waiting(p->memory, p->now_ns, &late_ms);
	stream_memory_set_waiting(p->memory, (struct ts_run){ 0 }, p->now_ns);
	if (p->n_paced > 0)
		sender_take_over(&p->sender, waiting, late_ms, p->now_ns);
	for (size_t i = 0; i < p->n_sinks; i++)
		sink_resume(&p->sinks[i], p->now_ns);
}

static void make_selector(struct pipeline *p,
			  const struct pipeline_config *config)
{
	struct stream_spec spec;
	struct errmsg error;

	if (stream_spec_parse(config->start->options, &spec, &error) < 0)
		log_error("stream", "%s", error.text);
	mux_stage_init(&p->mux, config->start, &spec, p->memory, spliced, p);
	/* the multiplex delays a feed by more than this */
	if (config->start->feed)
		p->roomy_ms = mux_stage_period_ms(spec.mux_delay_ms);
	/* deliver, which reads the ring, waits longer than this */
	else if (p->n_paced + p->n_with_pace == 0 && p->mux.mux == NULL)
		p->roomy_ms = RING_TICK_MS;
	p->splice = splice_new(&(struct splice_config){
		.out = spliced,
		.lead = lead,
		.arg = p,
		/* a multiplex continues its counters itself */
		.continuity = p->mux.mux == NULL ? &p->memory->splice : NULL,
	});
	p->cas = cas_stage_new(&(struct cas_stage_config){
		.loop = p->loop,
		.start = config->start,
		.components = spec.cas_components,
		.csa = &p->csa,
		.memory = &p->memory->crypto,
		.pids = &p->memory->components,
		.out = sent,
		.arg = p,
		.now_ns = p->now_ns,
	});
	pipeline_make_tables(p, config->start, &spec, tabled);
	p->cue_watch = cue_watch_new(pipeline_psi(p), config->send,
				     config->arg);
	if (p->cas != NULL)
		cas_stage_set_psi(p->cas, pipeline_psi(p));
	if (spec.filler == FILLER_STILL && p->mux.mux == NULL)
		p->filler = filler_new(pipeline_psi(p));
	batch_init(&p->batch, received, p);
	p->selector = selector_new(&(struct selector_config){
		.start = config->start,
		.spec = &spec,
		.memory = p->memory,
		.cas = cas_stage_list(p->cas),
		.csa = &p->csa,
		.now_ns = p->now_ns,
		.splice = p->splice,
		.filler = p->filler,
		.mux = p->mux.mux,
		.decapsulated = decapsulated,
		.descrambled = descrambled,
		.remuxed = remuxed,
		.on_switch = on_switch,
		.arg = p,
		.ask = config->send,
		.ask_arg = config->arg,
	});
	mux_stage_resume(&p->mux, p->now_ns);
	if (selector_has_tables(p->selector))
		p->versions = version_stage_new(&p->memory->versions, counted,
						p);
}

void pipeline_use_ring(struct pipeline *p, int fd)
{
	int err;

	if (p->ring != NULL)
		ring_out_goes_on(p->ring);
	ring_out_free(&p->ring);
	p->ring_error.text[0] = '\0';
	p->ring = ring_out_new(fd, pipeline_psi(p), &err);
	if (p->ring != NULL) {
		ring_out_set_hls(p->ring, &p->hls);
		return;
	}
	errmsg_set(&p->ring_error, "ring buffer: %s", strerror(-err));
	log_error("stream", "%s", p->ring_error.text);
}

void pipeline_link(struct pipeline *p, const char *stream, int fd)
{
	selector_link(p->selector, stream, fd);
	turn(p);
}

void pipeline_take_cam(struct pipeline *p, const struct msg *m)
{
	selector_take_cam(p->selector, m, mono_ns());
}

void pipeline_link_cas(struct pipeline *p, unsigned place, int fd)
{
	cas_stage_link(p->cas, place, fd);
}

void pipeline_rename(struct pipeline *p, const char *from, const char *to)
{
	selector_rename(p->selector, from, to);
}

struct pipeline *pipeline_new(const struct pipeline_config *config)
{
	struct pipeline *p = xcalloc(1, sizeof *p);
	int err;

	p->loop = config->loop;
	p->on_status = config->on_status;
	p->on_switch = config->on_switch;
	p->on_receivers = config->on_receivers;
	p->arg = config->arg;
	p->asker = (struct asker){
		.authorize = true,
		.send = config->send,
		.arg = config->arg,
	};
	p->now_ns = mono_ns();
	p->second_ns = p->now_ns + SECOND_NS;
	p->memory = stream_memory_open(config->memory, p->now_ns, &err);
	if (err < 0)
		log_error("stream", "cannot map the memory for the next "
			  "worker: %s: counters and clocks will restart",
			  strerror(-err));
	make_sinks(p, config->start, config->memory);
	make_selector(p, config);
	/* a multiplex has a constant rate: no pacing */
	p->sender.immediate = p->mux.mux != NULL;
	for (size_t i = 0; i < p->n_sinks; i++)
		sink_set_psi(&p->sinks[i], pipeline_psi(p), &p->csa,
			     &p->memory->components);
	take_over_queue(p);
	if (!pipeline_is_relay(p))
		monitor_log_begin(&p->watch, pipeline_psi(p), "output",
				  p->now_ns);
	if (config->ring >= 0)
		pipeline_use_ring(p, config->ring);
	ticker_init(&p->ticker, &(struct ticker_config){
					.loop = p->loop,
					/* CAS messages must not wait */
					.wake = p->cas == NULL ? config->wake
							       : NULL,
					.on_tick = turn,
					.arg = p,
				});
	ev_init(&p->readable, on_readable);
	turn(p);
	return p;
}

void pipeline_free(struct pipeline **ptr)
{
	struct pipeline *p = *ptr;

	*ptr = NULL;
	if (p == NULL)
		return;
	ticker_done(&p->ticker);
	netif_news_done(&p->news);
	ev_io_stop(p->loop, &p->readable);
	pipeline_empty(p);
	selector_free(&p->selector);
	mux_stage_done(&p->mux);
	filler_free(&p->filler);
	splice_free(&p->splice);
	version_stage_free(&p->versions);
	cas_stage_free(&p->cas);
	own_tables_free(&p->tables);
	stream_memory_close(&p->memory);
	/* all outputs stop at the same time: a disk that hangs does not delay
	 * the others */
	for (size_t i = 0; i < p->n_sinks; i++)
		(void)sink_stop(&p->sinks[i]);
	for (size_t i = 0; i < p->n_sinks; i++)
		if (!sink_stop(&p->sinks[i]))
			sink_done(&p->sinks[i]);
	for (size_t i = 0; i < p->n_sinks; i++)
		sink_done(&p->sinks[i]);
	sender_done(&p->sender);
	ring_out_free(&p->ring);
	monitor_log_done(&p->watch);
	cue_watch_free(&p->cue_watch);
	tap_done(&p->tap);
	free(p->sinks);
	free(p->outputs);
	free(p);
}
