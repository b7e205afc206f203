/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output types `udp` and `rtp`: one or two paths (SMPTE 2022-7), each with
 * error correction (SMPTE 2022-1) if configured. */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "worker/output/output_type.h"
#include "worker/output/udp_wire.h"
#include "worker/rtp/fec_make.h"
#include "worker/socket/retry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PATHS = 2 };

struct out_path {
	struct udp_wire media;
	struct udp_wire fec[FEC_KINDS];
	struct retry retry, fec_retry;
	struct errmsg error;     /* why media is closed */
	struct errmsg fec_error; /* why a FEC wire is closed; "": none is */
};

struct udp_output {
	struct output base;
	size_t n_paths;
	struct out_path paths[PATHS];
	struct rtp_sender rtp;
	struct rtp_state *state; /* saves the sequence; or NULL */
	struct fec_make *fec;    /* NULL: no error correction */
	struct errmsg error;     /* error of a path or of FEC at the last
				  * second; "": none */
};

/* --- paths --- */

static void close_path(struct out_path *p)
{
	udp_wire_close(&p->media);
	for (size_t i = 0; i < FEC_KINDS; i++)
		udp_wire_close(&p->fec[i]);
}

/* Closes a wire of error correction with this error, and tries it again later.
 * The media continue without it. */
static void close_fec(struct out_path *p, struct udp_wire *w,
		      const struct errmsg *error)
{
	udp_wire_close(w);
	retry_soon(&p->fec_retry, mono_ns());
	errmsg_set(&p->fec_error, "error correction: %s", error->text);
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

/* Opens the closed wires of error correction.  Their datagrams are sent one by
 * one, without segmentation by the kernel. */
static void open_fec(struct out_path *p, const struct output_spec *media)
{
	bool all = true;

	if (!retry_is_due(&p->fec_retry, mono_ns()))
		return;
	for (size_t i = 0; i < FEC_KINDS; i++) {
		struct output_spec spec = fec_spec(media, i);
		struct errmsg error = { 0 };

		if (p->fec[i].open)
			continue;
		if (udp_wire_open(&p->fec[i], &spec, 0, &error) < 0) {
			close_fec(p, &p->fec[i], &error);
			all = false;
		}
	}
	if (!all)
		return;
	p->fec_error.text[0] = '\0';
	retry_worked(&p->fec_retry);
}

static struct output_spec path_spec(const struct udp_output *o, size_t i)
{
	struct output_spec spec = *o->base.spec;

	if (i > 0) {
		spec.remote = spec.rtp.path2;
		memcpy(spec.iface, spec.rtp.path2_iface, sizeof spec.iface);
	}
	return spec;
}

/* The size in bytes of a full datagram of media. */
static size_t datagram_size(const struct output_spec *spec)
{
	size_t packet = TS_PACKET +
			(spec->ts_size == TS_SIZE_204 ? DATAGRAM_TRAILER : 0);

	return DATAGRAM_PACKETS * packet +
	       (spec->kind == OUTPUT_RTP ? RTP_HEADER_SIZE : 0);
}

static int open_path(struct udp_output *o, size_t i)
{
	struct output_spec spec = path_spec(o, i);
	struct out_path *p = &o->paths[i];
	int r = udp_wire_open(&p->media, &spec, datagram_size(&spec),
			      &p->error);

	if (r < 0) {
		retry_soon(&p->retry, mono_ns());
		return r;
	}
	retry_worked(&p->retry);
	if (spec.rtp.fec_columns > 0)
		open_fec(p, &spec);
	return 0;
}

/* Returns err, with the error of the first path, if no path is open; else 0. */
static int fail(const struct udp_output *o, int err, struct errmsg *error)
{
	for (size_t i = 0; i < o->n_paths; i++)
		if (o->paths[i].media.open)
			return 0;
	*error = o->paths[0].error;
	return err;
}

/* --- sending --- */

static void send_fec(enum fec_kind kind, const struct iovec *iov, size_t n,
		     void *arg)
{
	struct udp_output *o = arg;

	for (size_t i = 0; i < o->n_paths; i++)
		if (o->paths[i].fec[kind].open)
			udp_wire_send_one(&o->paths[i].fec[kind], iov, n);
}

/* Counts the packets that were sent.  A packet counts as sent if at least one
 * path sent it. */
static void count(struct udp_output *o, const struct datagrams *d)
{
	struct output_gap *gap = &o->base.gap;
	size_t most = 0;

	for (size_t i = 0; i < o->n_paths; i++) {
		struct udp_wire *w = &o->paths[i].media;

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

static void udp_send(struct output *out, const struct ts_run *runs,
		     size_t n_runs, uint64_t now_ns)
{
	struct udp_output *o = container_of(out, struct udp_output, base);
	struct run_cursor cursor = { .runs = runs, .n_runs = n_runs,
				     .trailers = o->base.spec->ts_size ==
						 TS_SIZE_204 };
	struct rtp_sender *rtp =
		o->base.spec->kind == OUTPUT_RTP ? &o->rtp : NULL;
	struct datagrams d;

	o->rtp.now_ns = now_ns;
	while (datagrams_cut(&d, &cursor, rtp)) {
		struct iat_out *iat = &o->base.iat;

		/* before the datagrams leave: after a crash a gap in the
		 * sequence is better than a repeated number */
		if (o->state != NULL) {
			o->state->seq = o->rtp.seq;
			o->state->ssrc = o->rtp.ssrc;
			o->state->ticks =
				rtp_clock_due(&o->rtp.clock, now_ns);
			o->state->at_ns = now_ns;
		}
		for (size_t i = 0; i < o->n_paths; i++) {
			if (!o->paths[i].media.open)
				continue;
			udp_wire_send(&o->paths[i].media, &d, iat);
			iat = NULL; /* measured on the first open path */
		}
		count(o, &d);
		if (o->fec != NULL)
			fec_make_feed(o->fec, &d);
	}
}

/* --- changes of addresses, interfaces and routes --- */

static int follow_path(struct udp_output *o, size_t i)
{
	struct output_spec spec = path_spec(o, i);
	struct out_path *p = &o->paths[i];
	int r;

	if (!p->media.open)
		return open_path(o, i);
	r = udp_wire_follow(&p->media, &spec, datagram_size(&spec),
			    &p->error);
	if (r < 0) {
		close_path(p);
		return r;
	}
	if (o->fec == NULL)
		return r;
	for (size_t k = 0; k < FEC_KINDS; k++) {
		struct output_spec fec = fec_spec(&spec, k);
		struct errmsg error = { 0 };

		if (p->fec[k].open &&
		    udp_wire_follow(&p->fec[k], &fec, 0, &error) < 0)
			close_fec(p, &p->fec[k], &error);
	}
	retry_worked(&p->fec_retry);
	open_fec(p, &spec);
	return r;
}

/* --- every second --- */

static int check_path(struct udp_output *o, size_t i)
{
	struct output_spec spec = path_spec(o, i);
	struct out_path *p = &o->paths[i];
	bool unsure = p->media.unsure;
	int r;

	if (!p->media.open)
		return retry_is_due(&p->retry, mono_ns()) ? open_path(o, i)
							  : 0;
	for (size_t k = 0; k < FEC_KINDS; k++)
		unsure |= p->fec[k].open && p->fec[k].unsure;
	if (unsure && (r = follow_path(o, i)) < 0)
		return r;
	r = udp_wire_every_second(&p->media, &p->error);
	if (r < 0) {
		close_path(p);
		return r;
	}
	if (o->fec == NULL)
		return 0;
	for (size_t k = 0; k < FEC_KINDS; k++) {
		struct errmsg error = { 0 };

		if (p->fec[k].open &&
		    udp_wire_every_second(&p->fec[k], &error) < 0)
			close_fec(p, &p->fec[k], &error);
	}
	open_fec(p, &spec);
	return 0;
}

static void note_error(struct udp_output *o, size_t i, const char *error)
{
	if (error[0] != '\0' && o->n_paths > 1)
		errmsg_set(&o->error, "path %zu: %s", i + 1, error);
	else if (error[0] != '\0')
		errmsg_set(&o->error, "%s", error);
}

/* Finds the error of the first path that does not send media, else that of the
 * first one without error correction. */
static void find_error(struct udp_output *o)
{
	o->error.text[0] = '\0';
	for (size_t i = o->n_paths; i-- > 0;)
		if (o->paths[i].media.open)
			note_error(o, i, o->paths[i].fec_error.text);
	for (size_t i = o->n_paths; i-- > 0;)
		if (!o->paths[i].media.open)
			note_error(o, i, o->paths[i].error.text);
}

static const char *udp_part_error(const struct output *out)
{
	const struct udp_output *o =
		container_of(out, const struct udp_output, base);

	return o->error.text[0] != '\0' ? o->error.text : NULL;
}

static int udp_every_second(struct output *out, struct errmsg *error)
{
	struct udp_output *o = container_of(out, struct udp_output, base);
	int err = 0;

	iat_out_every_second(&o->base.iat);
	for (size_t i = 0; i < o->n_paths; i++) {
		int r = check_path(o, i);

		if (r < 0)
			err = r;
	}
	find_error(o);
	return err < 0 ? fail(o, err, error) : 0;
}

static int udp_follow(struct output *out, struct errmsg *error)
{
	struct udp_output *o = container_of(out, struct udp_output, base);
	bool moved = false;
	int err = 0;

	for (size_t i = 0; i < o->n_paths; i++) {
		int r = follow_path(o, i);

		moved |= r > 0;
		if (r < 0)
			err = r;
	}
	find_error(o);
	if (err < 0 && fail(o, err, error) < 0)
		return err;
	return moved;
}

static void udp_stats(const struct output *out, struct link_stats *ret)
{
	const struct udp_output *o =
		container_of(out, const struct udp_output, base);
	const struct out_path *p = o->paths;
	uint64_t fec_sent = 0;

	link_stats_set(ret, LINK_GAP_P50_US, out->iat.p50_us);
	link_stats_set(ret, LINK_GAP_P99_US, out->iat.p99_us);
	link_stats_set(ret, LINK_GAP_MAX_US, out->iat.max_us);
	if (o->n_paths > 1)
		link_stats_set(ret, LINK_PATHS,
			       (uint64_t)p[0].media.open + p[1].media.open);
	if (o->fec == NULL)
		return;
	for (size_t i = 0; i < o->n_paths; i++)
		fec_sent = MAX(fec_sent, p[i].fec[FEC_COLUMN].packets +
						 p[i].fec[FEC_ROW].packets);
	link_stats_set(ret, LINK_FEC_SENT, fec_sent);
}

/* --- opening --- */

static void udp_free(struct output *out)
{
	struct udp_output *o = container_of(out, struct udp_output, base);

	for (size_t i = 0; i < o->n_paths; i++)
		close_path(&o->paths[i]);
	fec_make_free(&o->fec);
	free(o);
}

static void udp_resume_rtp(struct output *out, struct rtp_state *s)
{
	struct udp_output *o = container_of(out, struct udp_output, base);

	if (o->base.spec->kind != OUTPUT_RTP)
		return;
	o->state = s;
	/* a time in the future is not from this boot of the machine */
	if (s->at_ns == 0 || s->at_ns > mono_ns())
		return;
	o->rtp.seq = s->seq;
	o->rtp.ssrc = s->ssrc;
	rtp_clock_resume(&o->rtp.clock, s->ticks, s->at_ns);
}

static const struct output_ops udp_ops = {
	.free = udp_free,
	.resume_rtp = udp_resume_rtp,
	.send = udp_send,
	.every_second = udp_every_second,
	.follow = udp_follow,
	.stats = udp_stats,
	.part_error = udp_part_error,
};

struct output *udp_output_open(const struct output_spec *spec, int *ret_err,
			       struct errmsg *error)
{
	struct udp_output *o = xcalloc(1, sizeof *o);
	int err = 0;

	o->base = (struct output){ .ops = &udp_ops, .spec = spec };
	o->n_paths = 1;
	if (spec->kind == OUTPUT_RTP) {
		uint32_t start = 0;

		(void)!getrandom(&o->rtp.seq, sizeof o->rtp.seq, 0);
		(void)!getrandom(&o->rtp.ssrc, sizeof o->rtp.ssrc, 0);
		(void)!getrandom(&start, sizeof start, 0);
		rtp_clock_init(&o->rtp.clock, start, mono_ns());
		o->n_paths = spec->rtp.has_path2 ? 2 : 1;
		if (spec->rtp.fec_columns > 0)
			o->fec = fec_make_new(spec->rtp.fec_columns,
					      spec->rtp.fec_rows, send_fec, o);
	}
	for (size_t i = 0; i < o->n_paths; i++) {
		int r = open_path(o, i);

		if (r < 0)
			err = r;
	}
	if (err < 0 && fail(o, err, error) < 0) {
		*ret_err = err;
		udp_free(&o->base);
		return NULL;
	}
	return &o->base;
}
