/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two inputs that bring the same stream, as one: what they are does not matter,
 * the packets are compared.
 *
 * One of them may be broken; it is opened again beside the other.
 */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/units.h"
#include "worker/input/input_type.h"
#include "worker/input/path_silence.h"
#include "worker/merge/ts_merge.h"
#include "worker/input/udp_flow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

struct leg {
	struct merge_input *owner;
	struct input_spec spec;
	struct input *input; /* NULL while it is not open */
	struct batch batch;
	struct errmsg why; /* it is not open */
	struct input_counters closed; /* of what was closed */
	uint64_t heard_ns; /* something came, or it was opened */
};

struct merge_input {
	struct input base;
	struct leg legs[TS_MERGE_PATHS];
	struct ts_merge *merge;
	uint64_t now_ns; /* of this read */
	uint64_t unprotected; /* seconds with one path */
	unsigned silent_s[TS_MERGE_PATHS]; /* while the other brings some */
	struct errmsg senders; /* two on one path, in the last second; "" */
	struct errmsg trouble; /* as of the last second; "" */
};

static void on_packets(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct leg *l = arg;
	struct merge_input *m = l->owner;

	ts_merge_feed(m->merge, runs, n_runs, (unsigned)(l - m->legs),
		      m->now_ns);
}

static void add(struct input_counters *to, const struct input_counters *c)
{
	to->socket_drops += c->socket_drops;
	to->sync_losses += c->sync_losses;
	to->bad_sync += c->bad_sync;
	to->source_changes += c->source_changes;
}

static void close_leg(struct leg *l)
{
	struct input_counters last;

	if (l->input == NULL)
		return;
	input_counters(l->input, &last);
	add(&l->closed, &last);
	input_free(&l->input);
}

static void wait_for(struct merge_input *m, struct leg *l)
{
	struct epoll_event e = { .events = EPOLLIN };

	if (m->base.fd >= 0 && input_fd(l->input) >= 0)
		(void)epoll_ctl(m->base.fd, EPOLL_CTL_ADD, input_fd(l->input),
				&e);
}

static int open_leg(struct merge_input *m, struct leg *l, uint64_t now_ns)
{
	int err = 0;

	l->input = input_open(&l->spec, now_ns, &err, &l->why);
	if (l->input == NULL)
		return err;
	l->heard_ns = now_ns;
	wait_for(m, l);
	return 0;
}

/* Nothing is open: what hinders the first; else 0. */
static int fail(const struct merge_input *m, int err, struct errmsg *why)
{
	for (size_t i = 0; i < TS_MERGE_PATHS; i++)
		if (m->legs[i].input != NULL)
			return 0;
	*why = m->legs[0].why;
	return err;
}

static int read_leg(struct merge_input *m, struct leg *l)
{
	int r;

	if (l->input == NULL)
		return 0;
	r = input_read(l->input, &l->batch, m->now_ns, &l->why);
	if (r < 0)
		close_leg(l);
	else if (r > 0)
		l->heard_ns = m->now_ns;
	return r;
}

static int merge_read(struct input *base, struct batch *batch, uint64_t now_ns,
		      struct errmsg *why)
{
	struct merge_input *m = container_of(base, struct merge_input, base);
	int reads = 0, err = 0;

	m->now_ns = now_ns;
	for (size_t i = 0; i < TS_MERGE_PATHS; i++) {
		int r = read_leg(m, &m->legs[i]);

		if (r < 0)
			err = r;
		else
			reads += r;
	}
	ts_merge_turn(m->merge, batch, now_ns);
	if (err < 0 && fail(m, err, why) < 0)
		return err;
	return reads > 0 ? reads : ts_merge_waits(m->merge);
}

/* What brings nothing for the time of its option watchdog is closed. */
static void watch(struct leg *l, uint64_t now_ns)
{
	if (l->input == NULL || l->spec.watchdog_s == 0)
		return;
	if (input_is_cut_off(l->input))
		l->heard_ns = now_ns;
	if (now_ns - l->heard_ns < l->spec.watchdog_s * SECOND_NS)
		return;
	errmsg_set(&l->why, "nothing came for %u s", l->spec.watchdog_s);
	close_leg(l);
}

/* Opens what is closed, and anew what brings nothing. */
static int mend_leg(struct merge_input *m, struct leg *l, uint64_t now_ns)
{
	int r;

	watch(l, now_ns);
	if (l->input == NULL)
		return open_leg(m, l, now_ns);

	int fd = input_fd(l->input);

	r = input_second(l->input, now_ns, &l->why);
	if (r < 0)
		close_leg(l);
	else if (input_fd(l->input) != fd)
		wait_for(m, l);
	return r;
}

/* They are not the same: what tells it. */
static void tell_refused(struct merge_input *m,
			 const struct ts_merge_counts *c)
{
	char pid[24];

	(void)snprintf(pid, sizeof pid, ", as on PID %u", c->pid);
	errmsg_set(&m->trouble,
		   "path %u is not used, not the same stream: "
		   "%u of %u packets differ%s",
		   c->lead == 0 ? 2U : 1U, c->differ, c->of,
		   c->pid < TS_PIDS    ? pid
		   : c->pid == TS_PIDS ? ", as those with a PCR"
				       : "");
}

/* Why this path is of no use; NULL: it is. */
static const char *find_fault(struct merge_input *m, size_t i,
			      const struct ts_merge_counts *c)
{
	const struct leg *l = &m->legs[i];
	const char *why = l->input != NULL ? input_trouble(l->input)
					   : l->why.text;

	m->silent_s[i] = silence_second(m->silent_s[i], c->live[i],
					c->live[!i]);
	if (why == NULL && silence_matters(m->silent_s[i], c->live[!i]))
		why = "brings nothing";
	return why;
}

static void find_trouble(struct merge_input *m)
{
	struct ts_merge_counts c;

	ts_merge_counts(m->merge, &c);
	m->trouble.text[0] = '\0';
	if (c.refused)
		tell_refused(m, &c);
	for (size_t i = TS_MERGE_PATHS; i-- > 0;) {
		const char *why = find_fault(m, i, &c);

		if (why != NULL)
			errmsg_set(&m->trouble, "path %zu: %s", i + 1, why);
	}
	m->unprotected += m->trouble.text[0] != '\0';
}

static void name_senders(struct merge_input *m)
{
	m->senders.text[0] = '\0';
	for (size_t i = TS_MERGE_PATHS; i-- > 0;) {
		const struct input *in = m->legs[i].input;
		const char *who = in != NULL ? input_senders(in) : NULL;

		if (who != NULL)
			input_add_senders(&m->senders, i + 1, who);
	}
}

static int merge_second(struct input *base, uint64_t now_ns, struct errmsg *why)
{
	struct merge_input *m = container_of(base, struct merge_input, base);
	int err = 0;

	ts_merge_second(m->merge, now_ns);
	for (size_t i = 0; i < TS_MERGE_PATHS; i++) {
		int r = mend_leg(m, &m->legs[i], now_ns);

		if (r < 0)
			err = r;
	}
	find_trouble(m);
	name_senders(m);
	return err < 0 ? fail(m, err, why) : 0;
}

static void merge_counters(const struct input *base, struct input_counters *ret)
{
	const struct merge_input *m =
		container_of(base, const struct merge_input, base);
	struct ts_merge_counts c;

	ts_merge_counts(m->merge, &c);
	*ret = (struct input_counters){ .recovered = c.merged,
					.unprotected = m->unprotected };
	for (size_t i = 0; i < TS_MERGE_PATHS; i++) {
		struct input_counters now = { 0 };

		if (m->legs[i].input != NULL)
			input_counters(m->legs[i].input, &now);
		add(ret, &now);
		add(ret, &m->legs[i].closed);
	}
}

static void merge_stats(const struct input *base, struct link_stats *ret)
{
	const struct merge_input *m =
		container_of(base, const struct merge_input, base);
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
	if (m->legs[0].input != NULL && m->legs[0].input->flow != NULL)
		udp_flow_stats(m->legs[0].input->flow, ret);
}

static void merge_warm(const struct input *base, struct warm *w)
{
	const struct merge_input *m =
		container_of(base, const struct merge_input, base);

	for (size_t i = 0; i < TS_MERGE_PATHS; i++)
		if (m->legs[i].input != NULL)
			input_warm(m->legs[i].input, w);
	ts_merge_warm(m->merge, w);
}

static const char *merge_trouble(const struct input *base)
{
	const struct merge_input *m =
		container_of(base, const struct merge_input, base);

	return m->trouble.text[0] != '\0' ? m->trouble.text : NULL;
}

static const char *merge_senders(const struct input *base)
{
	return container_of(base, const struct merge_input, base)->senders.text;
}

static bool merge_can_be_silent(const struct input *base)
{
	const struct merge_input *m =
		container_of(base, const struct merge_input, base);

	for (size_t i = 0; i < TS_MERGE_PATHS; i++)
		if (m->legs[i].input != NULL &&
		    input_can_be_silent(m->legs[i].input))
			return true;
	return false;
}

static void merge_free(struct input *base)
{
	struct merge_input *m = container_of(base, struct merge_input, base);

	for (size_t i = 0; i < TS_MERGE_PATHS; i++)
		input_free(&m->legs[i].input);
	ts_merge_free(&m->merge);
	if (m->base.fd >= 0)
		fd_close(&m->base.fd);
	free(m);
}

static const struct input_ops merge_ops = {
	.free = merge_free,
	.read = merge_read,
	.second = merge_second,
	.counters = merge_counters,
	.stats = merge_stats,
	.warm = merge_warm,
	.trouble = merge_trouble,
	.bare = merge_trouble,
	.senders = merge_senders,
	.can_be_silent = merge_can_be_silent,
};

/* What they wait for; an input that runs by the clock has to be read at every
 * tick, and so has what is made of it. */
static int make_fd(struct merge_input *m, struct errmsg *why)
{
	if (m->base.spec->kind != INPUT_UDP)
		return 0;
	m->base.fd = epoll_create1(EPOLL_CLOEXEC);
	if (m->base.fd < 0)
		return errmsg_fail(why, -errno, "epoll: %s", strerror(errno));
	return 0;
}

static int prepare(struct merge_input *m, struct errmsg *why)
{
	m->legs[0].spec = *m->base.spec;
	m->legs[0].spec.merge[0] = '\0';
	for (size_t i = 0; i < TS_MERGE_PATHS; i++) {
		m->legs[i].owner = m;
		batch_init(&m->legs[i].batch, on_packets, &m->legs[i]);
	}
	/* the master has judged it */
	return input_spec_parse(m->base.spec->merge, &m->legs[1].spec, NULL,
				NULL, why);
}

struct input *merge_input_open(const struct input_spec *spec, uint64_t now_ns,
			       int *ret_err, struct errmsg *why)
{
	struct merge_input *m = xcalloc(1, sizeof *m);
	int r, err = 0;

	m->base = (struct input){ .ops = &merge_ops, .spec = spec, .fd = -1 };
	m->merge = ts_merge_new(spec->merge_delay_ms);
	r = prepare(m, why);
	if (r == 0)
		r = make_fd(m, why);
	for (size_t i = 0; r == 0 && i < TS_MERGE_PATHS; i++) {
		int failed = open_leg(m, &m->legs[i], now_ns);

		err = failed < 0 ? failed : err;
	}
	if (r == 0 && err < 0)
		r = fail(m, err, why);
	if (r < 0) {
		*ret_err = r;
		merge_free(&m->base);
		return NULL;
	}
	return &m->base;
}
