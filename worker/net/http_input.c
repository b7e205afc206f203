/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input over HTTP: a transport stream without an end.
 *
 * What comes in lumps is played at the pace of its PCRs, some seconds later,
 * and the server is slowed down by what there is room for.
 */
#include "common/alloc.h"
#include "common/log.h"
#include "worker/input/playout.h"
#include "worker/net/fetch.h"
#include "worker/net/kinds.h"
#include "worker/stream/retry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct http_input {
	struct input base;
	struct fetch *fetch;
	struct ts_sync sync;
	struct playout playout;
	bool begun;         /* what it is has been told from its head */
	struct retry retry; /* of the connection, while there is play left */
	int err;            /* why there is no connection, or 0 */
	struct errmsg why;
};

/* So much of it is looked at to tell what it is. */
static bool is_playlist(const uint8_t *data, size_t len)
{
	static const char mark[] = "#EXTM3U";

	return len >= sizeof mark - 1 && memcmp(data, mark, sizeof mark - 1)
					== 0;
}

static bool on_data(const uint8_t *data, size_t len, void *arg)
{
	struct http_input *h = arg;
	struct ts_run run;

	if (playout_room(&h->playout) < len / TS_PACKET + TS_SYNC_BATCH + 1)
		return false;
	if (!h->begun && is_playlist(data, len)) {
		h->err = errmsg_fail(&h->why, -ENOTSUP,
				     "an HLS playlist is not played by this "
				     "version");
		return true;
	}
	h->begun = true;
	ts_sync_push(&h->sync, data, len);
	while (ts_sync_pull(&h->sync, &run))
		playout_push(&h->playout, run);
	return true;
}

static bool open_fetch(struct http_input *h)
{
	const struct http_spec *spec = &h->base.spec->http;

	h->fetch = fetch_new(spec, spec->url, on_data, h, &h->err, &h->why);
	if (h->fetch == NULL)
		return false;
	h->err = 0;
	h->begun = false;
	ts_sync_reset(&h->sync);
	return true;
}

/* The connection is over; there may be seconds left to play, in which another
 * one can take its place. */
static void note_end(struct http_input *h, uint64_t now_ns)
{
	if (fetch_state(h->fetch) == FETCH_FAILED)
		h->err = fetch_error(h->fetch, &h->why);
	else if (h->err == 0)
		h->err = errmsg_fail(&h->why, -ECONNRESET,
				     "the server ended the stream");
	fetch_free(&h->fetch);
	retry_failed(&h->retry, now_ns);
}

static void turn(struct http_input *h, uint64_t now_ns, bool room)
{
	if (room)
		fetch_resume(h->fetch);
	fetch_turn(h->fetch);
	if (h->err < 0 || fetch_state(h->fetch) != FETCH_RUNS)
		note_end(h, now_ns);
}

static void connect_again(struct http_input *h, uint64_t now_ns)
{
	if (!retry_is_due(&h->retry, now_ns))
		return;
	if (open_fetch(h))
		log_info("stream", "http: asks again: %s", h->why.text);
	else
		retry_failed(&h->retry, now_ns);
}

static int http_read(struct input *in, struct batch *batch, uint64_t now_ns,
		     struct errmsg *why)
{
	struct http_input *h = container_of(in, struct http_input, base);
	size_t taken = playout_take(&h->playout, batch, now_ns);

	if (h->fetch == NULL)
		connect_again(h, now_ns);
	else
		turn(h, now_ns, taken > 0);
	if (taken > 0)
		return 1;
	if (h->err == 0 || !playout_is_dry(&h->playout))
		return 0;
	*why = h->why;
	return h->err;
}

static int http_second(struct input *in, uint64_t now_ns, struct errmsg *why)
{
	struct http_input *h = container_of(in, struct http_input, base);

	(void)now_ns, (void)why;
	playout_second(&h->playout);
	return 0;
}

static void http_counters(const struct input *in, struct input_counters *ret)
{
	const struct http_input *h =
		container_of(in, const struct http_input, base);

	*ret = (struct input_counters){
		.sync_losses = h->sync.sync_losses,
		.bad_sync = h->sync.bad_sync,
	};
}

static void http_free(struct input *in)
{
	struct http_input *h = container_of(in, struct http_input, base);

	fetch_free(&h->fetch);
	playout_done(&h->playout);
	free(h);
}

static const struct input_ops http_ops = {
	.free = http_free,
	.read = http_read,
	.second = http_second,
	.counters = http_counters,
};

struct input *http_input_open(const struct input_spec *spec, uint64_t now_ns,
			      int *ret_err, struct errmsg *why)
{
	const struct http_spec *http = &spec->http;
	struct http_input *h = xcalloc(1, sizeof *h);

	h->base = (struct input){ .ops = &http_ops, .spec = spec, .fd = -1 };
	ts_sync_init(&h->sync, TS_SYNC_STREAM);
	if (!open_fetch(h)) {
		*ret_err = h->err;
		*why = h->why;
		free(h);
		return NULL;
	}
	playout_init(&h->playout,
		     http->no_sync ? 0 : http->buffer_time_s * 1000,
		     (size_t)http->buffer_size_kib * 1024 / TS_PACKET, now_ns);
	return &h->base;
}
