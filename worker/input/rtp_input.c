/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input of TS packets in RTP: one path, or two paths with the same datagrams
 * (SMPTE 2022-7), each with or without FEC (SMPTE 2022-1).
 *
 * If one path fails, the other path continues, and the failed path is opened
 * again.
 */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/rtp/fec_repair.h"
#include "worker/input/input_type.h"
#include "worker/input/redundant_paths.h"
#include "worker/input/rtp_path.h"

#include <stdlib.h>

enum {
	/* Places for datagrams in the window; half of them may wait. */
	PLACES = 1024,        /* 10 ms at 500 Mbit/s */
	PLACES_FEC = 4096,    /* the matrices of FEC at any rate */
	PLACES_MERGE = 16384, /* half a second at 170 Mbit/s */
	/* While no datagram is missing, FEC is not needed, and its sockets are
	 * read only at this interval.  Each FEC datagram covers four or more,
	 * so its socket fills no faster than that of the media between two
	 * ticks. */
	FEC_READ_MS = 40,
};

struct rtp_input {
	struct input base;
	struct redundant_paths paths;
	struct rtp_path path[RTP_PATHS];
	struct rtp_window *window;
	struct fec_repair *fec; /* repairs losses; NULL: FEC is not wanted */
	uint64_t fec_ns;        /* time of the next read of the FEC sockets */
	struct ts_sync sync;
	uint64_t invalid;       /* datagrams that are no RTP of this stream */
	uint64_t invalid_bytes; /* bytes of the invalid datagrams */
	/* arrival of the last TS packets without RTP; 0: never */
	uint64_t raw_ns;
	/* count of datagrams longer than RTP_LONGEST, a second ago */
	uint64_t too_long;
	/* count of datagrams of another stream, a second ago */
	uint64_t stray[RTP_PATHS];
	/* valid during a read */
	struct batch *batch;
	uint64_t now_ns;
	unsigned reading; /* index of the path that is read */
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

/* Takes datagrams of the media.  A sender may send TS packets without RTP to
 * the port of an input with one path.  While datagrams of either form arrive,
 * datagrams of the other form count as invalid. */
static void on_media(const struct received *got, void *arg)
{
	struct rtp_input *in = arg;
	bool raw_live = in->raw_ns != 0 &&
			in->now_ns - in->raw_ns < RTP_LIVE_MS * MS;

	for (size_t at = 0; at < got->len; at += got->segment) {
		const uint8_t *data = got->data + at;
		size_t len = MIN(got->segment, got->len - at);
		struct rtp_datagram d;

		if (data[0] == TS_SYNC_BYTE && in->paths.n == 1 &&
		    !rtp_window_is_live(in->window, in->now_ns)) {
			in->raw_ns = in->now_ns;
			raw_live = true;
			take_payload(data, len, in);
		} else if (rtp_parse(data, len, &d) == 0 && rtp_is_media(&d) &&
			   !raw_live) {
			rtp_window_feed(in->window, &d, in->reading,
					in->now_ns);
		} else if (!rtp_is_rtcp(data, len)) {
			in->invalid++;
			in->invalid_bytes += len;
		}
	}
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

static void read_fec(struct rtp_input *in)
{
	const struct udp_reader fec = { .on_received = on_fec,
					.on_read = settle, .arg = in };

	if (in->now_ns >= in->fec_ns || rtp_window_waits(in->window)) {
		in->fec_ns = in->now_ns + FEC_READ_MS * MS;
		for (size_t i = 0; i < in->paths.n; i++)
			rtp_path_read_fec(&in->path[i], &fec, in->now_ns);
	}
	fec_repair_turn(in->fec, in->now_ns);
}

/* Closes a path after an error.  It is opened again at the end of a second. */
static void fail_path(struct rtp_input *in, size_t i, int err,
		      const struct errmsg *error)
{
	rtp_path_close(&in->path[i]);
	redundant_path_failed(&in->paths, i, err, error);
}

static int rtp_read(struct input *base, struct batch *batch, uint64_t now_ns,
		    struct errmsg *error)
{
	struct rtp_input *in = container_of(base, struct rtp_input, base);
	const struct udp_reader media = { .on_received = on_media,
					  .on_read = settle, .arg = in };
	struct errmsg failed;
	int reads = 0;

	in->batch = batch;
	in->now_ns = now_ns;
	for (size_t i = 0; i < in->paths.n; i++) {
		int r;

		if (!in->paths.path[i].open)
			continue;
		in->reading = (unsigned)i;
		r = udp_flow_read(&in->path[i].media, &media, now_ns, &failed);
		if (r < 0)
			fail_path(in, i, r, &failed);
		else
			reads += r;
	}
	if (in->fec != NULL)
		read_fec(in);
	batch_flush(batch);
	rtp_window_turn(in->window, now_ns);
	batch_flush(batch);
	if (in->paths.n_open == 0)
		return redundant_paths_check(&in->paths, error);
	/* datagrams that wait in the window leave at a tick, without a new
	 * datagram */
	return reads > 0 ? reads : rtp_window_waits(in->window);
}

/* Judges each path at the end of a second, and whether redundancy is
 * missing. */
static void report_paths(struct rtp_input *in)
{
	struct path_state states[RTP_PATHS] = { 0 };
	struct rtp_window_counts c;

	rtp_window_counts(in->window, &c);
	for (size_t i = 0; i < in->paths.n; i++) {
		bool strays = c.path[i].stray > in->stray[i];

		in->stray[i] = c.path[i].stray;
		states[i] = (struct path_state){
			.delivers = c.live[i],
			.error = rtp_path_error(&in->path[i]),
			.silence = strays ? "carries another stream" : NULL,
			.senders = in->paths.path[i].open
					   ? in->path[i].media.senders.text
					   : NULL,
		};
	}
	redundant_paths_every_second(&in->paths, states);
	/* an error of the only path hits its FEC, too */
	if (in->paths.n == 1 && in->fec != NULL &&
	    redundant_paths_error(&in->paths) != NULL) {
		in->paths.unprotected = true;
		in->paths.unprotected_s++;
	}
	if (redundant_paths_error(&in->paths) == NULL &&
	    c.too_long > in->too_long)
		errmsg_set(&in->paths.error, "datagrams of more than %u bytes "
			   "cannot be reordered", (unsigned)RTP_LONGEST);
	in->too_long = c.too_long;
}

static void open_path(struct rtp_input *in, size_t i, uint64_t now_ns)
{
	struct errmsg error;
	int r = rtp_path_open(&in->path[i], now_ns, &error);

	if (r == 0) {
		redundant_path_opened(&in->paths, i, in->path[i].media.fd);
		return;
	}
	redundant_path_failed(&in->paths, i, r, &error);
	retry_soon(&in->paths.path[i].retry, now_ns);
}

static int rtp_every_second(struct input *base, uint64_t now_ns,
			    struct errmsg *error)
{
	struct rtp_input *in = container_of(base, struct rtp_input, base);

	rtp_window_every_second(in->window, now_ns);
	if (in->fec != NULL)
		fec_repair_every_second(in->fec, now_ns);
	for (size_t i = 0; i < in->paths.n; i++) {
		struct rtp_path *path = &in->path[i];

		if (redundant_path_is_due(&in->paths, i, now_ns)) {
			open_path(in, i, now_ns);
		} else if (in->paths.path[i].open) {
			struct errmsg failed;
			int r = rtp_path_every_second(path, now_ns, &failed);

			if (r < 0)
				fail_path(in, i, r, &failed);
			else
				redundant_path_set_fd(&in->paths, i,
						      path->media.fd);
		}
	}
	in->base.fd = in->paths.fd;
	report_paths(in);
	return redundant_paths_check(&in->paths, error);
}

/* Opens the sockets again.  The window keeps the RTP sequence, so that packets
 * lost meanwhile are counted. */
static int rtp_renew(struct input *base, uint64_t now_ns, struct errmsg *error)
{
	struct rtp_input *in = container_of(base, struct rtp_input, base);

	for (size_t i = 0; i < in->paths.n; i++) {
		if (!in->paths.path[i].open)
			continue;
		rtp_path_close(&in->path[i]);
		open_path(in, i, now_ns);
	}
	in->base.fd = in->paths.fd;
	return redundant_paths_check(&in->paths, error);
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
		.junk_bytes = in->invalid_bytes + in->sync.junk_bytes,
		.unprotected = in->paths.unprotected_s,
	};
	for (size_t i = 0; i < in->paths.n; i++) {
		ret->socket_drops += udp_flow_drops(&in->path[i].media);
		ret->source_changes += in->path[i].media.source_changes;
	}
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
	if (in->fec != NULL) {
		struct fec_repair_counts f;

		fec_repair_counts(in->fec, &f);
		link_stats_set(ret, LINK_FEC_RECEIVED, f.received);
		link_stats_set(ret, LINK_FEC_REPAIRED, c.repaired);
		link_stats_set(ret, LINK_FEC_UNREPAIRED, c.lost);
		ret->value[LINK_INVALID] += f.invalid;
	}
	if (in->paths.n > 1) {
		link_stats_set(ret, LINK_PATHS,
			       (uint64_t)c.live[0] + c.live[1]);
		link_stats_set(ret, LINK_SKEW_US, (uint64_t)labs(c.skew_us));
		link_stats_set(ret, LINK_PATH1_RECEIVED, c.path[0].received);
		link_stats_set(ret, LINK_PATH2_RECEIVED, c.path[1].received);
		link_stats_set(ret, LINK_PATH1_LOST, c.path[0].lost);
		link_stats_set(ret, LINK_PATH2_LOST, c.path[1].lost);
	}
	udp_flow_stats(&in->path[0].media, ret);
}

static void rtp_free(struct input *base)
{
	struct rtp_input *in = container_of(base, struct rtp_input, base);

	for (size_t i = 0; i < in->paths.n; i++)
		rtp_path_close(&in->path[i]);
	redundant_paths_done(&in->paths);
	fec_repair_free(&in->fec);
	rtp_window_free(&in->window);
	free(in);
}

static const struct input_ops rtp_ops = {
	.free = rtp_free,
	.read = rtp_read,
	.every_second = rtp_every_second,
	.counters = rtp_counters,
	.stats = rtp_stats,
	.renew = rtp_renew,
};

static void make_window(struct rtp_input *in)
{
	const struct input_spec *spec = in->base.spec;
	uint16_t places = in->paths.n > 1 ? PLACES_MERGE
			  : spec->rtp.fec ? PLACES_FEC : PLACES;

	in->window = rtp_window_new(&(struct rtp_window_config){
		.places = places,
		.paths = (unsigned)in->paths.n,
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
			     int *ret_err, struct errmsg *error)
{
	struct rtp_input *in = xcalloc(1, sizeof *in);
	struct input_spec second;
	bool two = spec->merge[0] != '\0';
	int r = 0;

	in->base = (struct input){ .ops = &rtp_ops, .spec = spec, .fd = -1,
				   .flow = &in->path[0].media,
				   .paths = &in->paths };
	ts_sync_init(&in->sync, TS_SYNC_DATAGRAM);
	redundant_paths_init(&in->paths, two ? 2 : 1);
	rtp_path_init(&in->path[0], spec);
	make_window(in);
	if (two)
		r = input_spec_parse(spec->merge, &second, NULL, NULL, error);
	if (two && r == 0) {
		second.rtp.fec |= spec->rtp.fec;
		rtp_path_init(&in->path[1], &second);
	}
	if (r == 0)
		r = redundant_paths_make_fd(&in->paths, error);
	for (size_t i = 0; r == 0 && i < in->paths.n; i++)
		open_path(in, i, now_ns);
	if (r == 0)
		r = redundant_paths_check(&in->paths, error);
	in->base.fd = in->paths.fd;
	if (r < 0) {
		*ret_err = r;
		rtp_free(&in->base);
		return NULL;
	}
	return &in->base;
}
