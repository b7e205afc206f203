/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input over HTTP: an endless transport stream or an HLS playlist. The first
 * bytes of the reply show which of the two it is.
 *
 * The input plays a transport stream at the pace of its PCRs, some seconds
 * late, because the packets arrive in bursts. It pauses the transfer while its
 * buffer is full.
 */
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/net/hls/m3u8.h"
#include "worker/input/playout.h"
#include "worker/net/hls/hls_source.h"
#include "worker/input/input_type.h"
#include "worker/socket/retry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEAD = 16, /* bytes that are needed to recognize a playlist */
	/* Time limit of the transfer of a playlist, so that a server that sends
	 * it byte by byte fails. */
	PLAYLIST_LIMIT_S = 30,
};

enum what {
	NOT_KNOWN,
	A_STREAM,
	A_PLAYLIST,
};

struct http_input {
	struct input base;
	struct fetcher *fetcher;
	struct fetch *fetch;
	enum what what;
	struct buf body;    /* the first bytes, or a whole playlist */
	uint64_t asked_ns;  /* when the transfer began */
	uint64_t from_packets; /* packets that arrived before this connection */
	struct hls *hls;    /* NULL: the input is not a playlist */
	struct ts_sync sync;
	struct playout playout;
	struct retry retry; /* reconnects while buffered packets still play */
	int err;            /* error of the connection, -errno; 0: none */
	struct errmsg error; /* text of err */
};

/* Detects the format of the response.  A first byte 0x47 shows a stream, even
 * if Content-Type says playlist. */
static enum what detect_format(const struct http_input *h)
{
	static const char *const types[] = {
		"application/vnd.apple.mpegurl", "application/x-mpegurl",
		"audio/mpegurl", "audio/x-mpegurl",
	};
	const uint8_t *head = buf_head(&h->body);
	size_t len = buf_len(&h->body);
	const char *type = fetch_content_type(h->fetch);

	if (m3u8_begins(head, len))
		return len >= HEAD ? A_PLAYLIST : NOT_KNOWN;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (head[0] != TS_SYNC_BYTE &&
		    strncasecmp(type, types[i], strlen(types[i])) == 0)
			return A_PLAYLIST;
	return A_STREAM;
}

static bool has_room(const struct http_input *h, size_t len)
{
	return playout_room(&h->playout) >=
	       len / TS_PACKET + TS_SYNC_BATCH + 1;
}

static void push(struct http_input *h, const uint8_t *data, size_t len)
{
	struct ts_run run;

	ts_sync_push(&h->sync, data, len);
	while (ts_sync_pull(&h->sync, &run)) {
		h->playout.ended = false;
		playout_push(&h->playout, run);
	}
}

static enum fetch_taken on_data(const uint8_t *data, size_t len, void *arg)
{
	struct http_input *h = arg;

	if (h->what == A_STREAM) {
		if (!has_room(h, len))
			return FETCH_NO_ROOM;
		push(h, data, len);
		return FETCH_TAKEN;
	}
	/* a playlist needs no room in the play-out buffer */
	if (h->what == NOT_KNOWN && !has_room(h, buf_len(&h->body) + len))
		return FETCH_NO_ROOM;
	if (buf_len(&h->body) + len > M3U8_SIZE_MAX) {
		h->err = errmsg_fail(&h->error, -EFBIG,
				     "the playlist is longer "
				     "than %d bytes",
				     M3U8_SIZE_MAX);
		return FETCH_ENOUGH;
	}
	buf_append(&h->body, data, len);
	if (h->what == NOT_KNOWN)
		h->what = detect_format(h);
	if (h->what == A_STREAM) {
		push(h, buf_head(&h->body), buf_len(&h->body));
		buf_done(&h->body);
	}
	return FETCH_TAKEN;
}

static bool open_fetch(struct http_input *h, uint64_t now_ns)
{
	struct fetch_request request = {
		.url = h->base.spec->http.url, .is_text = true,
		.on_data = on_data, .arg = h,
	};

	h->fetch = fetch_new(h->fetcher, &request, &h->err, &h->error);
	if (h->fetch == NULL)
		return false;
	h->err = 0;
	h->what = NOT_KNOWN;
	h->asked_ns = now_ns;
	h->from_packets = h->playout.in.packets;
	buf_reset(&h->body, 0);
	ts_sync_reset(&h->sync);
	return true;
}

/* True if the connection has delivered at least RETRY_FIRST_S of the stream:
 * then the wait before the next connection is as short as after a first
 * failure. */
static bool has_worked(const struct http_input *h)
{
	const struct pcr_clock *in = &h->playout.in;

	/* packets times the mean duration of a packet: the PCRs jump from one
	 * connection to the next, so their difference shows nothing */
	return in->packets > 0 &&
	       (in->packets - h->from_packets) *
			       (pcr_clock_ticks(in) / in->packets) >=
		       RETRY_FIRST_S * PCR_HZ;
}

/* Notes that the connection has ended.  If it delivered a playlist, starts HLS.
 * Otherwise the input plays the packets that it received, even if the buffer
 * was never full, and opens another connection meanwhile. */
static void note_end(struct http_input *h, uint64_t now_ns)
{
	/* a short playlist may end before its format is known */
	bool is_playlist = h->what == A_PLAYLIST ||
			   (h->what == NOT_KNOWN && buf_len(&h->body) > 0);

	if (fetch_state(h->fetch) == FETCH_FAILED)
		h->err = fetch_error(h->fetch, &h->error);
	else if (h->err == 0 && is_playlist)
		h->hls = hls_new(&h->base.spec->http, h->fetcher,
				 fetch_url(h->fetch), &h->body, now_ns,
				 &h->err, &h->error);
	else if (h->err == 0)
		h->err = errmsg_fail(&h->error, -ECONNRESET,
				     "the server ended the stream");
	fetch_free(&h->fetch);
	buf_done(&h->body);
	h->playout.ended = true;
	if (has_worked(h))
		retry_worked(&h->retry);
	retry_failed(&h->retry, now_ns);
}

static int http_read(struct input *in, struct batch *batch, uint64_t now_ns,
		     struct errmsg *error)
{
	struct http_input *h = container_of(in, struct http_input, base);
	size_t taken = playout_take(&h->playout, batch, now_ns);

	if (h->hls != NULL)
		return hls_read(h->hls, batch, now_ns, error);
	if (h->fetch != NULL) {
		/* resume in large steps: each resume has a fixed cost */
		if (fetch_is_paused(h->fetch) &&
		    playout_room(&h->playout) >= h->playout.ring.max / 4)
			fetch_resume(h->fetch);
		fetcher_turn(h->fetcher, now_ns,
			     h->playout.plays ? playout_waiting_ns(&h->playout)
					      : 0);
		if (h->what == A_PLAYLIST &&
		    now_ns - h->asked_ns > PLAYLIST_LIMIT_S * SECOND_NS)
			h->err = errmsg_fail(
				&h->error, -ETIMEDOUT,
				"the playlist did not arrive in time");
		if (h->err < 0 || fetch_state(h->fetch) != FETCH_RUNS)
			note_end(h, now_ns);
	} else if (retry_is_due(&h->retry, now_ns)) {
		if (open_fetch(h, now_ns))
			log_info("stream", "http: reconnecting: %s",
				 h->error.text);
		else
			retry_failed(&h->retry, now_ns);
	}
	if (taken > 0)
		return 1;
	if (h->err == 0 || !playout_is_dry(&h->playout))
		return 0;
	*error = h->error;
	return h->err;
}

static int http_every_second(struct input *in, uint64_t now_ns,
			     struct errmsg *error)
{
	struct http_input *h = container_of(in, struct http_input, base);

	(void)now_ns, (void)error;
	playout_every_second(&h->playout);
	if (h->hls != NULL)
		hls_every_second(h->hls);
	return 0;
}

static void http_counters(const struct input *in, struct input_counters *ret)
{
	const struct http_input *h =
		container_of(in, const struct http_input, base);

	*ret = (struct input_counters){
		.sync_losses = h->sync.sync_losses,
		.bad_sync = h->sync.bad_sync,
		.junk_bytes = h->sync.junk_bytes,
	};
	if (h->hls != NULL)
		hls_counters(h->hls, ret);
}

static void http_stats(const struct input *in, struct link_stats *ret)
{
	const struct http_input *h =
		container_of(in, const struct http_input, base);

	if (h->hls != NULL)
		hls_stats(h->hls, ret);
}

static const char *http_error(const struct input *in)
{
	const struct http_input *h =
		container_of(in, const struct http_input, base);

	return h->hls != NULL ? hls_error(h->hls) : NULL;
}

static void http_free(struct input *in)
{
	struct http_input *h = container_of(in, struct http_input, base);

	fetch_free(&h->fetch);
	hls_free(&h->hls);
	fetcher_free(&h->fetcher);
	buf_done(&h->body);
	playout_done(&h->playout);
	free(h);
}

static const struct input_ops http_ops = {
	.free = http_free,
	.read = http_read,
	.every_second = http_every_second,
	.counters = http_counters,
	.stats = http_stats,
	.error = http_error,
};

struct input *http_input_open(const struct input_spec *spec, uint64_t now_ns,
			      int *ret_err, struct errmsg *error)
{
	const struct http_spec *http = &spec->http;
	struct http_input *h = xcalloc(1, sizeof *h);

	h->base = (struct input){ .ops = &http_ops, .spec = spec, .fd = -1 };
	ts_sync_init(&h->sync, TS_SYNC_STREAM);
	playout_init(&h->playout,
		     http->no_sync ? 0 : http->buffer_time_s * 1000,
		     (size_t)http->buffer_size_kib * 1024 / TS_PACKET, now_ns);
	h->fetcher = fetcher_new(http, &h->err, &h->error);
	if (h->fetcher != NULL && open_fetch(h, now_ns))
		return &h->base;
	*ret_err = h->err;
	*error = h->error;
	http_free(&h->base);
	return NULL;
}
