/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merges two inputs with the same stream into one.  It compares the packets, so
 * the inputs may be of any type.
 *
 * If one path fails, the other path continues, and the failed path is opened
 * again.
 */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/input/input_keeper.h"
#include "worker/input/input_type.h"
#include "worker/input/redundant_paths.h"
#include "worker/input/udp_flow.h"
#include "worker/merge/ts_merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge_path {
	struct merge_input *owner;
	struct input_keeper keeper;
	unsigned opens; /* keeper.opens at the last follow_keeper() */
	struct batch batch;
};

struct merge_input {
	struct input base;
	struct redundant_paths paths;
	struct merge_path path[TS_MERGE_PATHS];
	struct ts_merge *merge;
	uint64_t now_ns; /* time at which this read began */
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct merge_path *p = arg;
	struct merge_input *m = p->owner;

	ts_merge_feed(m->merge, runs, n_runs, (unsigned)(p - m->path),
		      m->now_ns);
}

/* Notes in m->paths whether the keeper has the path open, and its descriptor.
 * Call it after each call that may have opened or closed the path. */
static void follow_keeper(struct merge_input *m, size_t i)
{
	struct merge_path *p = &m->path[i];
	const struct input_keeper *k = &p->keeper;

	if (k->input == NULL)
		redundant_path_failed(&m->paths, i, k->ended ? -ENODATA : -EIO,
				      &k->error);
	else if (k->opens != p->opens)
		redundant_path_opened(&m->paths, i, input_fd(k->input));
	else
		redundant_path_set_fd(&m->paths, i, input_fd(k->input));
	p->opens = k->opens;
}

static void open_path(struct merge_input *m, size_t i, uint64_t now_ns)
{
	input_keeper_open(&m->path[i].keeper, now_ns);
	follow_keeper(m, i);
}

static int merge_read(struct input *base, struct batch *batch, uint64_t now_ns,
		      struct errmsg *error)
{
	struct merge_input *m = container_of(base, struct merge_input, base);
	int reads = 0;

	m->now_ns = now_ns;
	for (size_t i = 0; i < TS_MERGE_PATHS; i++) {
		struct merge_path *p = &m->path[i];
		int r;

		if (p->keeper.input == NULL)
			open_path(m, i, now_ns);
		if (p->keeper.input == NULL)
			continue;
		r = input_keeper_read(&p->keeper, &p->batch, now_ns);
		if (r < 0)
			follow_keeper(m, i);
		else
			reads += r;
	}
	ts_merge_turn(m->merge, batch, now_ns);
	if (m->paths.n_open == 0)
		return redundant_paths_check(&m->paths, error);
	return reads > 0 ? reads : ts_merge_waits(m->merge);
}

/* Reports that one path is not used, because the paths carry different
 * streams. */
static void report_refused(struct merge_input *m,
			   const struct ts_merge_counts *c)
{
	char pid[24];

	(void)snprintf(pid, sizeof pid, ", for example on PID %u", c->pid);
	errmsg_set(&m->paths.error,
		   "path %u is not used, because it carries another stream: %u "
		   "of %u packets differ%s",
		   c->lead == 0 ? 2U : 1U, c->differ, c->of,
		   c->pid < TS_PIDS    ? pid
		   : c->pid == TS_PIDS ? ", for example those with a PCR"
				       : "");
	m->paths.unprotected = true;
	m->paths.unprotected_s++;
}

static int merge_every_second(struct input *base, uint64_t now_ns,
			      struct errmsg *error)
{
	struct merge_input *m = container_of(base, struct merge_input, base);
	struct path_state states[TS_MERGE_PATHS] = { 0 };
	struct ts_merge_counts c;

	ts_merge_every_second(m->merge, now_ns);
	ts_merge_counts(m->merge, &c);
	for (size_t i = 0; i < TS_MERGE_PATHS; i++) {
		struct input_keeper *k = &m->path[i].keeper;
		struct input_counters second;

		input_keeper_every_second(k, now_ns, &second);
		open_path(m, i, now_ns);
		states[i].delivers = c.live[i];
		if (k->input == NULL)
			continue;
		states[i].error = k->error.text[0] != '\0'
					  ? k->error.text
					  : input_error(k->input);
		states[i].senders = input_senders(k->input);
	}
	redundant_paths_every_second(&m->paths, states);
	if (c.refused && redundant_paths_error(&m->paths) == NULL)
		report_refused(m, &c);
	return redundant_paths_check(&m->paths, error);
}

static void merge_counters(const struct input *base, struct input_counters *ret)
{
	const struct merge_input *m =
		container_of(base, const struct merge_input, base);
	struct ts_merge_counts c;

	ts_merge_counts(m->merge, &c);
	*ret = (struct input_counters){ .recovered = c.merged,
					.unprotected = m->paths.unprotected_s };
	for (size_t i = 0; i < TS_MERGE_PATHS; i++) {
		struct input_counters one;

		input_keeper_counters(&m->path[i].keeper, &one);
		ret->socket_drops += one.socket_drops;
		ret->sync_losses += one.sync_losses;
		ret->bad_sync += one.bad_sync;
		ret->junk_bytes += one.junk_bytes;
		ret->source_changes += one.source_changes;
	}
}

static void merge_stats(const struct input *base, struct link_stats *ret)
{
	const struct merge_input *m =
		container_of(base, const struct merge_input, base);
	const struct input *first;
	struct ts_merge_counts c;

	ts_merge_counts(m->merge, &c);
	link_stats_set(ret, LINK_PATHS, (uint64_t)c.live[0] + c.live[1]);
	link_stats_set(ret, LINK_SKEW_US, (uint64_t)labs(c.skew_us));
	link_stats_set(ret, LINK_RECOVERED, c.merged);
	link_stats_set(ret, LINK_DROPPED, c.dropped);
	link_stats_set(ret, LINK_PATH1_RECEIVED, c.received[0]);
	link_stats_set(ret, LINK_PATH2_RECEIVED, c.received[1]);
	link_stats_set(ret, LINK_PATH1_LOST, c.lost[0]);
	link_stats_set(ret, LINK_PATH2_LOST, c.lost[1]);
	first = m->path[0].keeper.input;
	if (first != NULL && first->flow != NULL)
		udp_flow_stats(first->flow, ret);
}

static void merge_warm(const struct input *base, struct prefetch *w)
{
	const struct merge_input *m =
		container_of(base, const struct merge_input, base);

	for (size_t i = 0; i < TS_MERGE_PATHS; i++)
		if (m->path[i].keeper.input != NULL)
			input_warm(m->path[i].keeper.input, w);
	ts_merge_warm(m->merge, w);
}

static bool merge_can_be_silent(const struct input *base)
{
	const struct merge_input *m =
		container_of(base, const struct merge_input, base);

	for (size_t i = 0; i < TS_MERGE_PATHS; i++)
		if (m->path[i].keeper.input != NULL &&
		    input_can_be_silent(m->path[i].keeper.input))
			return true;
	return false;
}

static void merge_free(struct input *base)
{
	struct merge_input *m = container_of(base, struct merge_input, base);

	for (size_t i = 0; i < TS_MERGE_PATHS; i++)
		input_keeper_done(&m->path[i].keeper);
	ts_merge_free(&m->merge);
	redundant_paths_done(&m->paths);
	free(m);
}

static const struct input_ops merge_ops = {
	.free = merge_free,
	.read = merge_read,
	.every_second = merge_every_second,
	.counters = merge_counters,
	.stats = merge_stats,
	.warm = merge_warm,
	.can_be_silent = merge_can_be_silent,
	.reopens = true,
};

struct input *merge_input_open(const struct input_spec *spec, uint64_t now_ns,
			       int *ret_err, struct errmsg *error)
{
	struct merge_input *m = xcalloc(1, sizeof *m);
	int r;

	m->base = (struct input){ .ops = &merge_ops, .spec = spec, .fd = -1,
				  .paths = &m->paths };
	m->merge = ts_merge_new(spec->merge_delay_ms);
	redundant_paths_init(&m->paths, TS_MERGE_PATHS);
	/* the outer keeper logs for both paths */
	input_keeper_init_spec(&m->path[0].keeper, NULL, spec);
	m->path[0].keeper.spec.merge[0] = '\0';
	m->path[0].keeper.spec.ring = -1;
	input_keeper_init(&m->path[1].keeper, NULL, spec->merge);
	/* Types without a socket may have no descriptor: then this input has
	 * none either, and is read at every tick. */
	r = spec->kind == INPUT_UDP ? redundant_paths_make_fd(&m->paths, error)
				    : 0;
	for (size_t i = 0; r == 0 && i < TS_MERGE_PATHS; i++) {
		struct merge_path *p = &m->path[i];

		p->owner = m;
		batch_init(&p->batch, on_packets, p);
		open_path(m, i, now_ns);
	}
	if (r == 0)
		r = redundant_paths_check(&m->paths, error);
	m->base.fd = m->paths.fd;
	if (r < 0) {
		*ret_err = r;
		merge_free(&m->base);
		return NULL;
	}
	return &m->base;
}
