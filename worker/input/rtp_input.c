/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transport packets by RTP: one flow, or two of SMPTE 2022-7 that bring the
 * same, each with or without SMPTE 2022-1.
 *
 * Of two paths one may be broken; it is opened again beside the other.
 */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/units.h"
#include "worker/rtp/fec_repair.h"
#include "worker/input/input_type.h"
#include "worker/input/rtp_leg.h"
#include "worker/input/path_silence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum {
	/* Half of them may wait.  At 500 Mbit/s what comes in 10 ms ... */
	PLACES = 1024,
	/* ... what FEC needs at any rate ... */
	PLACES_FEC = 4096,
	/* ... what comes in half a second at 170 Mbit/s. */
	PLACES_MERGE = 16384,
	/* While nothing is missing no sum is of use, and their sockets are
	 * looked at only so often.  As each stands for four datagrams at the
	 * least, they hold no more meanwhile than that of the media does from
	 * one tick to the next. */
	FEC_LOOK_MS = 40,
};

struct rtp_input {
	struct input base;
	size_t n_legs;
	struct rtp_leg legs[RTP_PATHS];
	struct rtp_window *window;
	struct fec_repair *fec; /* NULL: not wanted */
	uint64_t fec_ns;        /* when it is looked at next */
	struct ts_sync sync;
	uint64_t invalid;    /* datagrams that are no RTP of ours */
	uint64_t bare_ns;    /* when the last without RTP came; 0: never */
	uint64_t unprotected; /* seconds without what was asked for */
	uint64_t too_long;   /* datagrams, as of the last second */
	unsigned silent_s[RTP_PATHS]; /* while the other brings something */
	uint64_t stray[RTP_PATHS]; /* datagrams, as of the last second */
	struct errmsg senders; /* two on one path, in the last second; "" */
	struct errmsg trouble; /* as of the last second; "" */
	bool bare;             /* it is that of a path, or of its FEC */
	/* only inside a read */
	struct batch *batch;
	uint64_t now_ns;
	unsigned path;
};

static void take_payload(const uint8_t *payload, size_t len, void *arg)
{
	struct rtp_input *in = arg;

	batch_sync(in->batch, &in->sync, payload, len);
}

static void settle(void *arg)
{
	struct rtp_input *in = arg;

	batch_flush(in->batch);
}

static bool is_bare_live(const struct rtp_input *in)
{
	return in->bare_ns != 0 &&
	       in->now_ns - in->bare_ns < RTP_LIVE_MS * MS;
}

/* A bare stream may come on a port where RTP was told.  Who is there stays:
 * neither is interrupted by a datagram of the other. */
static void take_media(struct rtp_input *in, const uint8_t *data, size_t len)
{
	struct rtp_datagram d;

	if (data[0] == TS_SYNC_BYTE && in->n_legs == 1 &&
	    !rtp_window_is_live(in->window, in->now_ns)) {
		in->bare_ns = in->now_ns;
		take_payload(data, len, in);
	} else if (rtp_parse(data, len, &d) == 0 && rtp_is_media(&d) &&
		   !is_bare_live(in)) {
		rtp_window_feed(in->window, &d, in->path, in->now_ns);
	} else {
		in->invalid += !rtp_is_rtcp(data, len);
	}
}

static void on_media(const struct received *got, void *arg)
{
	struct rtp_input *in = arg;

	for (size_t at = 0; at < got->len; at += got->segment)
		take_media(in, got->data + at,
			   MIN(got->segment, got->len - at));
}

static void on_fec(const struct received *got, void *arg)
{
	struct rtp_input *in = arg;

	for (size_t at = 0; at < got->len; at += got->segment) {
		size_t len = MIN(got->segment, got->len - at);

		if (!rtp_is_rtcp(got->data + at, len))
			fec_repair_feed(in->fec, got->data + at, len,
					in->now_ns);
	}
}

/* All paths are closed, and why is that of the first. */
static int fail(const struct rtp_input *in, int err, struct errmsg *why)
{
	for (size_t i = 0; i < in->n_legs; i++)
		if (in->legs[i].open)
			return 0;
	*why = in->legs[0].why;
	return err;
}

static void read_fec(struct rtp_input *in)
{
	const struct udp_reader fec = { .on_received = on_fec,
					.on_read = settle, .arg = in };

	if (in->now_ns >= in->fec_ns || rtp_window_waits(in->window)) {
		in->fec_ns = in->now_ns + FEC_LOOK_MS * MS;
		for (size_t i = 0; i < in->n_legs; i++)
			rtp_leg_read_fec(&in->legs[i], &fec, in->now_ns);
	}
	fec_repair_turn(in->fec, in->now_ns);
}

static int rtp_read(struct input *base, struct batch *batch, uint64_t now_ns,
		    struct errmsg *why)
{
	struct rtp_input *in = container_of(base, struct rtp_input, base);
	const struct udp_reader media = { .on_received = on_media,
					  .on_read = settle, .arg = in };
	int reads = 0, err = 0;

	in->batch = batch;
	in->now_ns = now_ns;
	for (size_t i = 0; i < in->n_legs; i++) {
		in->path = (unsigned)i;
		int r = rtp_leg_read(&in->legs[i], &media, now_ns);

		if (r < 0)
			err = r;
		else
			reads += r;
	}
	if (in->fec != NULL)
		read_fec(in);
	batch_flush(batch);
	rtp_window_turn(in->window, now_ns);
	batch_flush(batch);
	if (err < 0 && fail(in, err, why) < 0)
		return err;
	/* what is kept back goes on at a tick, not with a datagram */
	return reads > 0 ? reads : rtp_window_waits(in->window);
}

static int fd_of(const struct rtp_leg *l)
{
	return l->open ? l->media.fd : -1;
}

/* One epoll descriptor stands for the sockets of both paths. */
static void watch(struct rtp_input *in, struct rtp_leg *l)
{
	struct epoll_event e = { .events = EPOLLIN };

	if (in->n_legs == 1)
		in->base.fd = fd_of(l);
	else if (l->open)
		(void)epoll_ctl(in->base.fd, EPOLL_CTL_ADD, l->media.fd, &e);
}

/* What is wrong with it though it plays. */
static void find_trouble(struct rtp_input *in)
{
	struct rtp_window_counts c;

	rtp_window_counts(in->window, &c);
	in->trouble.text[0] = '\0';
	in->bare = false;
	if (c.too_long > in->too_long)
		errmsg_set(&in->trouble, "datagrams of more than %u bytes are "
			   "not put in order", (unsigned)RTP_LONGEST);
	in->too_long = c.too_long;
	for (size_t i = in->n_legs; i-- > 0;) {
		const char *why = rtp_leg_trouble(&in->legs[i]);
		bool strays = c.path[i].stray > in->stray[i];
		bool other = in->n_legs > 1 && c.live[!i];

		in->stray[i] = c.path[i].stray;
		in->silent_s[i] = silence_second(in->silent_s[i], c.live[i],
						 other);
		if (why == NULL && silence_matters(in->silent_s[i], other))
			why = strays ? "brings another stream"
				     : "brings nothing";
		if (why == NULL)
			continue;
		in->bare = in->n_legs > 1 || in->fec != NULL;
		if (in->n_legs > 1)
			errmsg_set(&in->trouble, "path %zu: %s", i + 1, why);
		else
			errmsg_set(&in->trouble, "%s", why);
	}
	in->unprotected += in->bare;
}

static void name_senders(struct rtp_input *in)
{
	in->senders.text[0] = '\0';
	for (size_t i = in->n_legs; i-- > 0;) {
		const struct rtp_leg *l = &in->legs[i];

		if (l->open && l->media.senders.text[0] != '\0')
			input_add_senders(&in->senders,
					  in->n_legs > 1 ? i + 1 : 0,
					  l->media.senders.text);
	}
}

static int rtp_second(struct input *base, uint64_t now_ns, struct errmsg *why)
{
	struct rtp_input *in = container_of(base, struct rtp_input, base);
	int err = 0;

	rtp_window_second(in->window, now_ns);
	if (in->fec != NULL)
		fec_repair_second(in->fec, now_ns);
	for (size_t i = 0; i < in->n_legs; i++) {
		int was = fd_of(&in->legs[i]);
		int r = rtp_leg_second(&in->legs[i], now_ns);

		if (r < 0)
			err = r;
		else if (was != fd_of(&in->legs[i]))
			watch(in, &in->legs[i]);
	}
	find_trouble(in);
	name_senders(in);
	return err < 0 ? fail(in, err, why) : 0;
}

static const char *rtp_trouble(const struct input *base)
{
	const struct rtp_input *in =
		container_of(base, const struct rtp_input, base);

	return in->trouble.text[0] != '\0' ? in->trouble.text : NULL;
}

static const char *rtp_bare(const struct input *base)
{
	const struct rtp_input *in =
		container_of(base, const struct rtp_input, base);

	return in->bare ? in->trouble.text : NULL;
}

static const char *rtp_senders(const struct input *base)
{
	return container_of(base, const struct rtp_input, base)->senders.text;
}

static void rtp_counters(const struct input *base, struct input_counters *ret)
{
	const struct rtp_input *in =
		container_of(base, const struct rtp_input, base);
	struct rtp_window_counts counts;

	rtp_window_counts(in->window, &counts);
	*ret = (struct input_counters){
		.lost = counts.lost,
		.recovered = counts.repaired + counts.merged,
		.sync_losses = in->sync.sync_losses,
		.bad_sync = in->sync.bad_sync,
		.unprotected = in->unprotected,
	};
	for (size_t i = 0; i < in->n_legs; i++) {
		ret->socket_drops += rtp_leg_drops(&in->legs[i]);
		ret->source_changes += in->legs[i].media.source_changes;
	}
}

static void tell_fec(const struct rtp_input *in, uint64_t repaired,
		     uint64_t lost, struct link_stats *ret)
{
	struct fec_repair_counts f;

	fec_repair_counts(in->fec, &f);
	link_stats_set(ret, LINK_FEC_RECEIVED, f.received);
	link_stats_set(ret, LINK_FEC_REPAIRED, repaired);
	link_stats_set(ret, LINK_FEC_UNREPAIRED, lost);
	ret->value[LINK_INVALID] += f.invalid;
}

static void tell_paths(const struct rtp_window_counts *c,
		       struct link_stats *ret)
{
	link_stats_set(ret, LINK_PATHS, (uint64_t)c->live[0] + c->live[1]);
	link_stats_set(ret, LINK_SKEW_US, (uint64_t)labs(c->skew_us));
	link_stats_set(ret, LINK_PATH1_RECEIVED, c->path[0].received);
	link_stats_set(ret, LINK_PATH2_RECEIVED, c->path[1].received);
	link_stats_set(ret, LINK_PATH1_LOST, c->path[0].lost);
	link_stats_set(ret, LINK_PATH2_LOST, c->path[1].lost);
}

static void rtp_stats(const struct input *base, struct link_stats *ret)
{
	const struct rtp_input *in =
		container_of(base, const struct rtp_input, base);
	struct rtp_window_counts c;
	uint64_t recovered;

	rtp_window_counts(in->window, &c);
	recovered = c.repaired + c.merged;
	link_stats_set(ret, LINK_RECEIVED,
		       c.path[0].received + c.path[1].received);
	link_stats_set(ret, LINK_LOST, c.lost + recovered);
	link_stats_set(ret, LINK_RECOVERED, recovered);
	link_stats_set(ret, LINK_DROPPED, c.late);
	link_stats_set(ret, LINK_REORDERED, c.reordered);
	link_stats_set(ret, LINK_DUPLICATES, c.duplicates);
	link_stats_set(ret, LINK_INVALID, in->invalid +
		       c.path[0].stray + c.path[1].stray);
	if (in->fec != NULL)
		tell_fec(in, c.repaired, c.lost, ret);
	if (in->n_legs > 1)
		tell_paths(&c, ret);
	udp_flow_stats(&in->legs[0].media, ret);
}

static void rtp_free(struct input *base)
{
	struct rtp_input *in = container_of(base, struct rtp_input, base);

	for (size_t i = 0; i < in->n_legs; i++)
		rtp_leg_close(&in->legs[i]);
	if (in->n_legs > 1)
		fd_close(&in->base.fd);
	fec_repair_free(&in->fec);
	rtp_window_free(&in->window);
	free(in);
}

static const struct input_ops rtp_ops = {
	.free = rtp_free,
	.read = rtp_read,
	.second = rtp_second,
	.counters = rtp_counters,
	.stats = rtp_stats,
	.trouble = rtp_trouble,
	.bare = rtp_bare,
	.senders = rtp_senders,
};

/* The second path, from its address; the master has judged it. */
static int add_leg(struct rtp_input *in, const struct input_spec *spec,
		   struct errmsg *why)
{
	struct input_spec *second = xcalloc(1, sizeof *second);
	int r = input_spec_parse(spec->merge, second, NULL, NULL, why);

	if (r == 0) {
		second->rtp.fec |= spec->rtp.fec;
		rtp_leg_init(&in->legs[in->n_legs++], second);
	}
	free(second);
	return r;
}

static int open_legs(struct rtp_input *in, uint64_t now_ns,
		     struct errmsg *why)
{
	int err = 0;

	if (in->n_legs > 1) {
		in->base.fd = epoll_create1(EPOLL_CLOEXEC);
		if (in->base.fd < 0)
			return errmsg_fail(why, -errno, "epoll: %s",
					   strerror(errno));
	}
	for (size_t i = 0; i < in->n_legs; i++) {
		int r = rtp_leg_open(&in->legs[i], now_ns);

		if (r < 0)
			err = r;
		watch(in, &in->legs[i]);
	}
	return err < 0 ? fail(in, err, why) : 0;
}

static void make_window(struct rtp_input *in, const struct input_spec *spec)
{
	uint16_t places = in->n_legs > 1 ? PLACES_MERGE
			  : spec->rtp.fec ? PLACES_FEC : PLACES;

	in->window = rtp_window_new(&(struct rtp_window_config){
		.places = places,
		.paths = (unsigned)in->n_legs,
		.reorder_ms = spec->rtp.reorder_ms,
		.skew_ms = spec->rtp.skew_ms,
		.delay_ms = spec->rtp.delay_ms,
		.out = take_payload,
		.settle = settle,
		.arg = in,
	});
	if (spec->rtp.fec)
		in->fec = fec_repair_new(in->window);
}

struct input *rtp_input_open(const struct input_spec *spec, uint64_t now_ns,
			     int *ret_err, struct errmsg *why)
{
	struct rtp_input *in = xcalloc(1, sizeof *in);
	int r = 0;

	in->base = (struct input){ .ops = &rtp_ops, .spec = spec, .fd = -1,
				   .flow = &in->legs[0].media };
	ts_sync_init(&in->sync, TS_SYNC_DATAGRAM);
	rtp_leg_init(&in->legs[in->n_legs++], spec);
	if (spec->merge[0] != '\0')
		r = add_leg(in, spec, why);
	make_window(in, spec);
	if (r == 0)
		r = open_legs(in, now_ns, why);
	if (r < 0) {
		*ret_err = r;
		rtp_free(&in->base);
		return NULL;
	}
	return &in->base;
}
