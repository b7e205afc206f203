/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/path.h"

#include "common/alloc.h"
#include "common/log.h"
#include "common/mono.h"
#include "worker/stream/path_state.h"

#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define SECOND_NS (1000 * MS)

enum {
	/* The burst that the outputs may send; less costs more wake-ups. */
	TICK_MS = PACER_BURST_MS,
	/* While more than that waits for the outputs. */
	TICK_BEHIND_MS = TICK_MS / 2,
	TICK_MIN_MS = 1,
	/* Ticks without a packet before we wait for the socket instead. */
	EMPTY_TICKS = 10,
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct path *p = arg;

	for (size_t i = 0; i < n_runs; i++) {
		analyze_feed(p->analyze, runs[i]);
		p->packets += runs[i].n;
	}
	if (p->ring != NULL)
		ring_out_feed(p->ring, runs, n_runs, p->now_ns);
	if (p->n_outputs > 0)
		sender_feed(&p->sender, runs, n_runs, p->now_ns);
	p->fed = true;
}

static void read_source(struct path *p)
{
	struct source *s = p->active;

	if (s->input == NULL)
		source_open(s, p->now_ns);
	if (s->input == NULL)
		return;
	p->empty_ticks++;
	if (source_read(s, &p->batch, p->now_ns) > 0)
		p->empty_ticks = 0;
}

/* Is there a socket that will tell us, so that we need not look? */
static bool can_wait(const struct path *p)
{
	return p->empty_ticks >= EMPTY_TICKS && input_fd(p->active->input) >= 0;
}

/* Does the input want to be read at every tick? */
static bool is_flowing(const struct path *p)
{
	return p->active != NULL && p->active->input != NULL && !can_wait(p);
}

/* When there is something to do though no packet comes. */
static uint64_t next_turn(const struct path *p)
{
	uint64_t next = MIN(sender_next_ns(&p->sender), p->second_ns);

	if (p->active != NULL)
		next = MIN(next, source_retry_ns(p->active));
	return MAX(next, p->now_ns + TICK_MIN_MS * MS);
}

static void watch_fd(struct path *p, bool wait)
{
	if (wait == ev_is_active(&p->readable))
		return;
	if (wait) {
		ev_io_set(&p->readable, input_fd(p->active->input), EV_READ);
		ev_io_start(p->loop, &p->readable);
	} else {
		ev_io_stop(p->loop, &p->readable);
	}
}

static void schedule(struct path *p)
{
	bool flows = is_flowing(p);

	watch_fd(p, !flows && p->active != NULL && p->active->input != NULL);
	if (!flows)
		ticker_at(&p->ticker, next_turn(p));
	else if (sender_is_behind(&p->sender))
		ticker_every(&p->ticker, TICK_BEHIND_MS * MS, p->now_ns);
	else
		ticker_every(&p->ticker, TICK_MS * MS, p->now_ns);
}

static void turn(struct path *p)
{
	p->now_ns = mono_ns();
	p->fed = false;
	if (p->active != NULL)
		read_source(p);
	if (!p->fed && p->n_outputs > 0)
		sender_feed(&p->sender, NULL, 0, p->now_ns);
	if (p->ring != NULL)
		ring_out_publish(p->ring);
	if (p->now_ns >= p->second_ns)
		path_second(p);
	schedule(p);
}

static void on_tick(void *arg)
{
	turn(arg);
}

static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)loop, (void)revents;
	turn(container_of(w, struct path, readable));
}

/* The first input that has a meaning; the others only stand in the status. */
static void choose_source(struct path *p)
{
	for (size_t i = 0; i < p->n_sources; i++) {
		if (p->sources[i].valid) {
			p->active = &p->sources[i];
			return;
		}
	}
}

static void make_sources(struct path *p, const struct msg_stream_start *start)
{
	p->n_sources = start->n_inputs;
	p->sources = xcalloc(p->n_sources, sizeof *p->sources);
	for (size_t i = 0; i < p->n_sources; i++)
		source_init(&p->sources[i], (unsigned)i + 1, start->inputs[i]);
	choose_source(p);
}

static void make_sinks(struct path *p, const struct msg_stream_start *start)
{
	p->n_sinks = start->n_outputs;
	p->sinks = xcalloc(p->n_sinks, sizeof *p->sinks);
	for (size_t i = 0; i < p->n_sinks; i++) {
		sink_init(&p->sinks[i], (unsigned)i + 1, start->outputs[i]);
		sink_open(&p->sinks[i], p->now_ns);
		p->n_outputs += p->sinks[i].valid &&
				p->sinks[i].spec.kind != OUTPUT_HTTP;
	}
	p->outputs = xcalloc(p->n_sinks, sizeof *p->outputs);
	sender_init(&p->sender, p->outputs, p->n_sinks);
	path_collect_outputs(p);
}

static void make_analyze(struct path *p)
{
	struct analyze_config config = { 0 };

	if (p->active != NULL) {
		config.cc_limit = p->active->spec.cc_limit;
		config.bitrate_limit_kbps =
			p->active->spec.bitrate_limit_kbps;
		config.no_analyze = p->active->spec.no_analyze;
	}
	p->analyze = analyze_new(&config);
}

static void make_ring(struct path *p, int fd)
{
	int err;

	p->ring = ring_out_new(fd, analyze_psi(p->analyze), &err);
	if (p->ring != NULL)
		return;
	errmsg_set(&p->ring_error, "ring: %s", strerror(-err));
	log_error("stream", "%s", p->ring_error.text);
}

struct path *path_new(const struct path_config *config)
{
	struct path *p = xcalloc(1, sizeof *p);

	p->loop = config->loop;
	p->on_status = config->on_status;
	p->arg = config->arg;
	p->now_ns = p->began_ns = mono_ns();
	p->second_ns = p->now_ns + SECOND_NS;
	batch_init(&p->batch, on_packets, p);
	make_sources(p, config->start);
	make_sinks(p, config->start);
	make_analyze(p);
	if (config->ring >= 0)
		make_ring(p, config->ring);
	ticker_init(&p->ticker, p->loop, config->id, on_tick, p);
	ev_init(&p->readable, on_readable);
	turn(p);
	return p;
}

void path_free(struct path **ptr)
{
	struct path *p = *ptr;

	*ptr = NULL;
	if (p == NULL)
		return;
	ticker_done(&p->ticker);
	ev_io_stop(p->loop, &p->readable);
	for (size_t i = 0; i < p->n_sources; i++)
		source_done(&p->sources[i]);
	for (size_t i = 0; i < p->n_sinks; i++)
		sink_done(&p->sinks[i]);
	sender_done(&p->sender);
	ring_out_free(&p->ring);
	analyze_free(&p->analyze);
	free(p->sources);
	free(p->sinks);
	free(p->outputs);
	free(p);
}
