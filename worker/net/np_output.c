/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends a stream by an endless HTTP POST, with libcurl.
 *
 * Packets wait in a bounded queue until the server takes them. While the queue
 * is full, the output drops whole packets.
 */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "config.h"
#include "worker/net/curl/http_headers.h"
#include "worker/net/curl/names.h"
#include "worker/net/curl/transfer_error.h"
#include "worker/output/output_type.h"
#include "worker/output/join_point.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	QUEUE_PACKETS = 8192, /* 1.5 MB */
	QUEUE_SIZE = QUEUE_PACKETS * TS_PACKET,
	SEND_BUFFER = 128 * 1024,
};

struct np_output {
	struct output base;
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	struct headers answered; /* response headers of the server */
	uint8_t *queue;      /* ring of bytes */
	size_t head, used;   /* index of the next free byte; queued bytes */
	uint64_t taken;      /* bytes that libcurl has read from the queue */
	uint64_t taken_before; /* value of `taken' a second ago */
	unsigned stuck_s;    /* consecutive seconds in which the server accepted
			      * no data */
	bool paused;         /* libcurl waits for packets */
	bool begun; /* libcurl asked for data: the server is connected */
	struct join_search *join; /* searches the first packet to send; NULL:
				   * found */
	bool over;           /* the transfer has ended, with result */
	CURLcode result;
	char detail[CURL_ERROR_SIZE]; /* error text of libcurl */
};

/* --- queue to libcurl --- */

static size_t on_read(char *to, size_t size, size_t n, void *arg)
{
	struct np_output *o = arg;
	size_t tail = (o->head + QUEUE_SIZE - o->used) % QUEUE_SIZE;
	size_t len = MIN(MIN(o->used, size * n), QUEUE_SIZE - tail);

	o->begun = true;
	if (o->used == 0) {
		o->paused = true;
		return CURL_READFUNC_PAUSE;
	}
	memcpy(to, o->queue + tail, len);
	o->used -= len;
	o->taken += len;
	return len;
}

/* Drops the body of the response: only its status matters. */
static size_t on_write(char *data, size_t size, size_t n, void *arg)
{
	(void)data, (void)arg;
	return size * n;
}

static void turn(struct np_output *o)
{
	int running, left;
	CURLMsg *m;

	if (o->over)
		return;
	if (o->paused && o->used > 0) {
		o->paused = false;
		(void)curl_easy_pause(o->easy, CURLPAUSE_CONT);
	}
	(void)curl_multi_perform(o->multi, &running);
	while ((m = curl_multi_info_read(o->multi, &left)) != NULL) {
		if (m->msg != CURLMSG_DONE)
			continue;
		o->over = true;
		o->result = m->data.result;
	}
}

/* --- stream to queue --- */

static void put_packets(const uint8_t *packets, size_t n, void *arg)
{
	struct np_output *o = arg;
	/* only whole packets, even if libcurl has taken half a packet */
	size_t room = (QUEUE_SIZE - o->used) / TS_PACKET;
	size_t fit = MIN(n, room), len = fit * TS_PACKET;
	size_t first = MIN(len, QUEUE_SIZE - o->head);

	memcpy(o->queue + o->head, packets, first);
	memcpy(o->queue, packets + first, len - first);
	o->head = (o->head + len) % QUEUE_SIZE;
	o->used += len;
	o->base.counters.packets += fit;
	o->base.counters.dropped += n - fit;
}

static void np_send(struct output *out, const struct ts_run *runs,
		    size_t n_runs, uint64_t now_ns)
{
	struct np_output *o = container_of(out, struct np_output, base);

	for (size_t i = 0; i < n_runs; i++) {
		/* drops all packets until the server is connected, then all
		 * packets up to a point at which a receiver can start */
		if (o->join == NULL) {
			put_packets(runs[i].data, runs[i].n, o);
		} else if (!o->begun) {
			join_search_skip(o->join, &runs[i]);
			out->counters.dropped += runs[i].n;
		} else if (join_search_feed(o->join, &runs[i], now_ns,
					    &out->counters.dropped)) {
			join_search_free(&o->join);
		}
	}
	turn(o);
}

static int fail(const struct np_output *o, struct errmsg *error)
{
	int r = headers_check(&o->answered, error);
	struct errmsg text;
	long status = 0;

	if (r < 0)
		return r;
	(void)curl_easy_getinfo(o->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 300)
		return errmsg_fail(error, -EPROTO, "the server answers %ld",
				   status);
	if (o->result == CURLE_OK)
		return errmsg_fail(error, -EPIPE,
				   "the server closed the connection");
	transfer_error(o->easy, o->result, o->detail, &text);
	return errmsg_fail(error, -ECONNREFUSED, "%s", text.text);
}

static int np_every_second(struct output *out, struct errmsg *error)
{
	struct np_output *o = container_of(out, struct np_output, base);
	unsigned timeout_s = out->spec->http.timeout_s;

	turn(o);
	if (o->over)
		return fail(o, error);
	if (o->used > 0 && o->taken == o->taken_before)
		o->stuck_s++;
	else
		o->stuck_s = 0;
	o->taken_before = o->taken;
	if (o->stuck_s < timeout_s)
		return 0;
	return errmsg_fail(error, -ETIMEDOUT,
			   "the server accepted no data for "
			   "%u s",
			   timeout_s);
}

static void np_stats(const struct output *out, struct link_stats *ret)
{
	const struct np_output *o =
		container_of(out, const struct np_output, base);

	link_stats_set(ret, LINK_PEERS, o->begun);
	link_stats_set(ret, LINK_CONNECTS, o->begun);
	link_stats_set(ret, LINK_QUEUED_KIB, o->used / 1024);
}

static const char *np_error(const struct output *out)
{
	const struct np_output *o =
		container_of(out, const struct np_output, base);

	return o->begun ? NULL : "not connected yet";
}

static void np_free(struct output *out)
{
	struct np_output *o = container_of(out, struct np_output, base);

	if (o->easy != NULL && o->multi != NULL)
		(void)curl_multi_remove_handle(o->multi, o->easy);
	if (o->easy != NULL)
		curl_easy_cleanup(o->easy);
	if (o->multi != NULL)
		(void)curl_multi_cleanup(o->multi);
	curl_slist_free_all(o->headers);
	join_search_free(&o->join);
	free(o->queue);
	free(o);
}

static const struct output_ops np_ops = {
	.free = np_free,
	.send = np_send,
	.every_second = np_every_second,
	.stats = np_stats,
	.error = np_error,
};

/* --- request --- */

#define SET(o, option, value) \
	(curl_easy_setopt((o)->easy, CURLOPT_##option, (value)) == CURLE_OK)

static bool set_all(struct np_output *o, const struct http_spec *spec)
{
	return SET(o, URL, spec->url) && SET(o, PROTOCOLS_STR, "http") &&
	       SET(o, POST, 1L) &&
	       SET(o, HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) &&
	       SET(o, HTTPAUTH, (long)CURLAUTH_BASIC) &&
	       SET(o, USERAGENT, spec->user_agent[0] != '\0'
					 ? spec->user_agent
					 : "Sluice/" PACKAGE_VERSION) &&
	       /* chunked, because the length is unknown */
	       headers_add(&o->headers,
			   "Content-Type: video/mp2t\n"
			   "Transfer-Encoding: chunked\n"
			   "Expect:") &&
	       headers_add(&o->headers, spec->headers) &&

	       SET(o, HTTPHEADER, o->headers) && SET(o, FAILONERROR, 1L) &&
	       /* QUICK_EXIT: see set_how() in worker/net/curl/fetch.c */
	       SET(o, NOSIGNAL, 1L) && SET(o, QUICK_EXIT, 1L) &&
	       SET(o, NOPROXY, "*") &&
	       SET(o, CONNECTTIMEOUT, (long)spec->timeout_s) &&
	       SET(o, TCP_KEEPALIVE, 1L) && SET(o, ERRORBUFFER, o->detail) &&
	       SET(o, UPLOAD_BUFFERSIZE, (long)SEND_BUFFER) &&
	       SET(o, READFUNCTION, on_read) && SET(o, READDATA, o) &&
	       SET(o, WRITEFUNCTION, on_write) &&
	       headers_watch(&o->answered, o->easy) && names_watch(o->easy);
}

struct output *np_output_open(const struct output_spec *spec, int *ret_err,
			      struct errmsg *error)
{
	struct np_output *o = xcalloc(1, sizeof *o);

	o->base = (struct output){ .ops = &np_ops, .spec = spec };
	o->queue = xcalloc(QUEUE_PACKETS, TS_PACKET);
	o->join = join_search_new(put_packets, o);
	o->multi = curl_multi_init();
	o->easy = curl_easy_init();
	if (o->multi != NULL && o->easy != NULL && set_all(o, &spec->http) &&
	    curl_multi_add_handle(o->multi, o->easy) == CURLM_OK)
		return &o->base;
	*ret_err = errmsg_fail(error, -EINVAL, "cannot be requested: %s",
			       o->detail);
	np_free(&o->base);
	return NULL;
}
