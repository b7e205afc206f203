/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outputs to the network: udp, and rtp with error correction (SMPTE 2022-1)
 * and a second path (2022-7) where they are wanted. */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "worker/rtp/fec_make.h"
#include "worker/output/output_type.h"
#include "worker/output/udp_wire.h"
#include "worker/socket/retry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PATHS = 2 };

/* One way to the receiver. */
struct leg {
	struct udp_wire media;
	struct udp_wire fec[FEC_KINDS]; /* open when it is wanted */
	struct retry retry, fec_retry;
	struct errmsg why; /* it is not open */
	struct errmsg fec_why; /* nor that; "" when all of it is */
};

struct udp_output {
	struct output base;
	size_t n_legs;
	struct leg legs[PATHS];
	struct rtp_sender rtp;
	struct rtp_state *state;   /* where it is kept; or NULL */
	struct fec_make *fec; /* NULL: not wanted */
	struct errmsg trouble; /* as of the last second; "" */
};

/* --- legs --- */

static void close_leg(struct leg *l)
{
	udp_wire_close(&l->media);
	for (size_t i = 0; i < FEC_KINDS; i++)
		udp_wire_close(&l->fec[i]);
}

/* The media go on without it. */
static void lose_fec(struct leg *l, struct udp_wire *w,
		     const struct errmsg *why)
{
	udp_wire_close(w);
	retry_soon(&l->fec_retry, mono_ns());
	errmsg_set(&l->fec_why, "error correction: %s", why->text);
}

static struct output_spec fec_spec(const struct output_spec *media,
				   enum fec_kind kind)
{
	static const unsigned ports[] = { [FEC_COLUMN] = FEC_COLUMN_PORT,
					  [FEC_ROW] = FEC_ROW_PORT };
	struct output_spec spec = *media;

	sockaddr_move_port(&spec.remote, ports[kind]);
	return spec;
}

/* Opens what of it is not; one by one they go, to be cut by nobody. */
static void open_fec(struct leg *l, const struct output_spec *media)
{
	bool all = true;

	if (!retry_is_due(&l->fec_retry, mono_ns()))
		return;
	for (size_t i = 0; i < FEC_KINDS; i++) {
		struct output_spec spec = fec_spec(media, i);
		struct errmsg why = { 0 };

		if (l->fec[i].open)
			continue;
		if (udp_wire_open(&l->fec[i], &spec, 0, &why) < 0) {
			lose_fec(l, &l->fec[i], &why);
			all = false;
		}
	}
	if (!all)
		return;
	l->fec_why.text[0] = '\0';
	retry_worked(&l->fec_retry);
}

static struct output_spec spec_of(const struct udp_output *o, size_t i)
{
	struct output_spec spec = *o->base.spec;

	if (i > 0) {
		spec.remote = spec.rtp.path2;
		memcpy(spec.iface, spec.rtp.path2_iface, sizeof spec.iface);
	}
	return spec;
}

/* Bytes of a full one of the media. */
static size_t datagram_of(const struct output_spec *spec)
{
	return DATAGRAM_PACKETS * TS_PACKET +
	       (spec->kind == OUTPUT_RTP ? RTP_HEADER_SIZE : 0);
}

static int open_leg(struct udp_output *o, size_t i)
{
	struct output_spec spec = spec_of(o, i);
	struct leg *l = &o->legs[i];
	int r;

	r = udp_wire_open(&l->media, &spec, datagram_of(&spec), &l->why);
	if (r < 0) {
		retry_soon(&l->retry, mono_ns());
		return r;
	}
	retry_worked(&l->retry);
	if (spec.rtp.fec_columns > 0)
		open_fec(l, &spec);
	return 0;
}

/* No leg is open: what hinders the first; else 0. */
static int fail(const struct udp_output *o, int err, struct errmsg *why)
{
	for (size_t i = 0; i < o->n_legs; i++)
		if (o->legs[i].media.open)
			return 0;
	*why = o->legs[0].why;
	return err;
}

/* --- sending --- */

static void send_fec(enum fec_kind kind, const struct iovec *iov, size_t n,
		     void *arg)
{
	struct udp_output *o = arg;

	for (size_t i = 0; i < o->n_legs; i++)
		if (o->legs[i].fec[kind].open)
			udp_wire_send_one(&o->legs[i].fec[kind], iov, n);
}

/* What went one way went. */
static void count(struct udp_output *o, const struct datagrams *d)
{
	struct output_gap *gap = &o->base.gap;
	size_t most = 0;

	for (size_t i = 0; i < o->n_legs; i++) {
		struct udp_wire *w = &o->legs[i].media;

		most = MAX(most, (size_t)(w->packets - w->counted));
		w->counted = w->packets;
	}
	o->base.counters.packets += most;
	o->base.counters.dropped += d->n_packets - most;
	if (most > 0)
		gap->packets = 0;
	else if ((gap->packets += d->n_packets) == d->n_packets)
		gap->since_ns = o->rtp.now_ns;
}

/* Before they leave: rather a gap than a number that comes twice. */
static void keep_place(struct udp_output *o)
{
	struct rtp_state *s = o->state;

	if (s == NULL)
		return;
	s->seq = o->rtp.seq;
	s->ssrc = o->rtp.ssrc;
	s->ticks = o->rtp.clock.last;
	s->at_ns = o->rtp.clock.last_ns;
}

static void udp_send(struct output *out, const struct ts_run *runs,
		     size_t n_runs, uint64_t now_ns)
{
	struct udp_output *o = container_of(out, struct udp_output, base);
	struct run_cursor cursor = { .runs = runs, .n_runs = n_runs };
	struct rtp_sender *rtp =
		o->base.spec->kind == OUTPUT_RTP ? &o->rtp : NULL;
	struct datagrams d;

	o->rtp.now_ns = now_ns;
	while (datagrams_cut(&d, &cursor, rtp)) {
		struct departures *notes = &o->base.departures;

		keep_place(o);
		for (size_t i = 0; i < o->n_legs; i++) {
			if (!o->legs[i].media.open)
				continue;
			udp_wire_send(&o->legs[i].media, &d, notes);
			notes = NULL;
		}
		count(o, &d);
		if (o->fec != NULL)
			fec_make_feed(o->fec, &d);
	}
}

/* --- addresses, interfaces and routes that change --- */

static void follow_fec(struct leg *l, const struct output_spec *media)
{
	for (size_t i = 0; i < FEC_KINDS; i++) {
		struct output_spec spec = fec_spec(media, i);
		struct errmsg why = { 0 };

		if (l->fec[i].open &&
		    udp_wire_follow(&l->fec[i], &spec, 0, &why) < 0)
			lose_fec(l, &l->fec[i], &why);
	}
	retry_worked(&l->fec_retry);
	open_fec(l, media);
}

static int follow_leg(struct udp_output *o, size_t i)
{
	struct output_spec spec = spec_of(o, i);
	struct leg *l = &o->legs[i];
	int r;

	if (!l->media.open)
		return open_leg(o, i);
	r = udp_wire_follow(&l->media, &spec, datagram_of(&spec), &l->why);
	if (r < 0)
		close_leg(l);
	else if (o->fec != NULL)
		follow_fec(l, &spec);
	return r;
}

/* --- the second --- */

static void mend_fec(struct udp_output *o, size_t i)
{
	struct output_spec spec = spec_of(o, i);
	struct leg *l = &o->legs[i];

	if (o->fec == NULL)
		return;
	for (size_t k = 0; k < FEC_KINDS; k++) {
		struct errmsg why = { 0 };

		if (l->fec[k].open && udp_wire_second(&l->fec[k], &why) < 0)
			lose_fec(l, &l->fec[k], &why);
	}
	open_fec(l, &spec);
}

static bool is_unsure(const struct leg *l)
{
	bool unsure = l->media.unsure;

	for (size_t i = 0; i < FEC_KINDS; i++)
		unsure |= l->fec[i].open && l->fec[i].unsure;
	return unsure;
}

static int mend_leg(struct udp_output *o, size_t i)
{
	struct leg *l = &o->legs[i];
	int r;

	if (!l->media.open)
		return retry_is_due(&l->retry, mono_ns()) ? open_leg(o, i) : 0;
	if (is_unsure(l) && (r = follow_leg(o, i)) < 0)
		return r;
	r = udp_wire_second(&l->media, &l->why);
	if (r < 0) {
		close_leg(l);
		return r;
	}
	mend_fec(o, i);
	return 0;
}

/* What of it does not go though some of it does. */
static void find_trouble(struct udp_output *o)
{
	o->trouble.text[0] = '\0';
	for (size_t i = o->n_legs; i-- > 0;) {
		const struct leg *l = &o->legs[i];
		const char *why = !l->media.open ? l->why.text
						 : l->fec_why.text;

		if (why[0] != '\0' && o->n_legs > 1)
			errmsg_set(&o->trouble, "path %zu: %s", i + 1, why);
		else if (why[0] != '\0')
			o->trouble = l->fec_why;
	}
}

static const char *udp_trouble(const struct output *out)
{
	const struct udp_output *o =
		container_of(out, const struct udp_output, base);

	return o->trouble.text[0] != '\0' ? o->trouble.text : NULL;
}

static int udp_second(struct output *out, struct errmsg *why)
{
	struct udp_output *o = container_of(out, struct udp_output, base);
	int err = 0;

	departures_second(&o->base.departures);
	for (size_t i = 0; i < o->n_legs; i++) {
		int r = mend_leg(o, i);

		if (r < 0)
			err = r;
	}
	find_trouble(o);
	return err < 0 ? fail(o, err, why) : 0;
}

static int udp_follow(struct output *out, struct errmsg *why)
{
	struct udp_output *o = container_of(out, struct udp_output, base);
	bool moved = false;
	int err = 0;

	for (size_t i = 0; i < o->n_legs; i++) {
		int r = follow_leg(o, i);

		moved |= r > 0;
		if (r < 0)
			err = r;
	}
	find_trouble(o);
	if (err < 0 && fail(o, err, why) < 0)
		return err;
	return moved;
}

/* What went one way at least. */
static uint64_t fec_sent(const struct udp_output *o)
{
	uint64_t most = 0;

	for (size_t i = 0; i < o->n_legs; i++)
		most = MAX(most, o->legs[i].fec[FEC_COLUMN].packets +
					 o->legs[i].fec[FEC_ROW].packets);
	return most;
}

static void udp_stats(const struct output *out, struct link_stats *ret)
{
	const struct udp_output *o =
		container_of(out, const struct udp_output, base);
	const struct departures *d = &out->departures;

	link_stats_set(ret, LINK_GAP_P50_US, d->p50_us);
	link_stats_set(ret, LINK_GAP_P99_US, d->p99_us);
	link_stats_set(ret, LINK_GAP_MAX_US, d->max_us);
	if (o->n_legs > 1)
		link_stats_set(ret, LINK_PATHS,
			       (uint64_t)o->legs[0].media.open +
				       o->legs[1].media.open);
	if (o->fec != NULL)
		link_stats_set(ret, LINK_FEC_SENT, fec_sent(o));
}

/* --- opening --- */

static void udp_free(struct output *out)
{
	struct udp_output *o = container_of(out, struct udp_output, base);

	for (size_t i = 0; i < o->n_legs; i++)
		close_leg(&o->legs[i]);
	fec_make_free(&o->fec);
	free(o);
}

static void udp_go_on(struct output *out, struct rtp_state *s)
{
	struct udp_output *o = container_of(out, struct udp_output, base);

	if (o->base.spec->kind != OUTPUT_RTP)
		return;
	o->state = s;
	/* a time that is still to come was not that of this machine */
	if (s->at_ns == 0 || s->at_ns > mono_ns())
		return;
	o->rtp.seq = s->seq;
	o->rtp.ssrc = s->ssrc;
	o->rtp.clock.last = s->ticks;
	o->rtp.clock.last_ns = s->at_ns;
}

static const struct output_ops udp_ops = {
	.free = udp_free,
	.go_on = udp_go_on,
	.send = udp_send,
	.second = udp_second,
	.follow = udp_follow,
	.stats = udp_stats,
	.part_trouble = udp_trouble,
};

static void begin_rtp(struct udp_output *o, const struct rtp_out_spec *spec)
{
	uint32_t start = 0;

	(void)!getrandom(&o->rtp.seq, sizeof o->rtp.seq, 0);
	(void)!getrandom(&o->rtp.ssrc, sizeof o->rtp.ssrc, 0);
	(void)!getrandom(&start, sizeof start, 0);
	rtp_clock_init(&o->rtp.clock, start, mono_ns());
	o->n_legs = spec->has_path2 ? 2 : 1;
	if (spec->fec_columns > 0)
		o->fec = fec_make_new(spec->fec_columns, spec->fec_rows,
				      send_fec, o);
}

struct output *udp_output_open(const struct output_spec *spec, int *ret_err,
			       struct errmsg *why)
{
	struct udp_output *o = xcalloc(1, sizeof *o);
	int err = 0;

	o->base = (struct output){ .ops = &udp_ops, .spec = spec };
	o->n_legs = 1;
	if (spec->kind == OUTPUT_RTP)
		begin_rtp(o, &spec->rtp);
	for (size_t i = 0; i < o->n_legs; i++) {
		int r = open_leg(o, i);

		if (r < 0)
			err = r;
	}
	if (err < 0 && fail(o, err, why) < 0) {
		*ret_err = err;
		udp_free(&o->base);
		return NULL;
	}
	return &o->base;
}
