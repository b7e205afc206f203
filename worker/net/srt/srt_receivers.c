/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_receivers.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/ratelimit.h"
#include "proto/ipc/msg.h"
#include "worker/net/srt/srt_stats.h"
#include "worker/net/srt/srt_streamid.h"
#include "worker/output/admission.h"
#include "worker/rtp/datagrams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
	RECEIVERS_MAX = MSG_RECEIVERS_MAX,
	RECEIVERS_OF_ADDRESS_MAX = RECEIVERS_MAX / 8,
};

struct srt_receiver {
	SRTSOCKET socket;
	uint64_t client;
	uint64_t since_ms; /* monotonic time when it connected */
	struct sockaddr_any from;
	char peer[SOCKADDR_TEXT_MAX];
	/* packets are sent only with a permission */
	struct admission admission;
	char *login;    /* login of the permission; "": none */
	uint64_t bytes; /* bytes that were sent to the receiver */
};

struct srt_receivers {
	struct output base;
	struct srt_listener listener;
	size_t n, n_served; /* n: all receivers; n_served: those with a
			     * permission */
	struct srt_receiver list[RECEIVERS_MAX]; /* in order of arrival */
	struct link_stats link;
	struct ratelimit log;
	bool unlogged; /* n_served has changed since the last log line */
};

/* Logs that a receiver connected or disconnected, at most five times in ten
 * seconds (ratelimit.h). */
static void log_receiver(struct srt_receivers *r, const char *peer,
			 const char *event)
{
	unsigned suppressed;

	r->unlogged = !ratelimit_pass(&r->log, mono_ms(), &suppressed);
	if (!r->unlogged)
		log_info("stream", "srt port %u: receiver %s %s; receivers "
			 "now: %zu",
			 r->listener.spec->port, peer, event, r->n_served);
}

static void drop(struct srt_receivers *r, size_t i)
{
	struct srt_receiver dropped = r->list[i];

	srt_socket_close(&dropped.socket);
	r->n--;
	r->n_served -= dropped.admission.allowed;
	memmove(&r->list[i], &r->list[i + 1],
		(r->n - i) * sizeof r->list[0]);
	if (dropped.admission.allowed)
		log_receiver(r, dropped.peer, "disconnected");
	else
		admission_end(&dropped.admission, r->base.asker,
			      dropped.client);
	free(dropped.login);
}

static bool drop_if_broken(struct srt_receivers *r, size_t i)
{
	struct errmsg error;

	if (srt_socket_poll(r->list[i].socket, &error) >= 0)
		return false;
	drop(r, i);
	return true;
}

/* Drops receiver i.  If it had no permission yet, counts and logs a refused
 * call.  The caller sees only that the connection ends, because libsrt sends no
 * reason on a connection that it has accepted. */
static void refuse(struct srt_receivers *r, size_t i, const char *reason)
{
	struct sockaddr_any from = r->list[i].from;
	bool served = r->list[i].admission.allowed;

	drop(r, i);
	if (!served)
		srt_listener_refuse(&r->listener, &from, reason);
}

static void welcome(struct srt_receivers *r, const struct srt_receiver *one)
{
	r->n_served++;
	link_stats_add(&r->link, LINK_CONNECTS, 1);
	log_receiver(r, one->peer, "connected");
}

/* Asks for a permission for receiver i.  May drop the receiver. */
static void ask(struct srt_receivers *r, size_t i)
{
	struct srt_receiver *one = &r->list[i];
	bool served = one->admission.allowed;
	char streamid[SRT_STREAMID_MAX + 1] = "";
	struct srt_request request = { .path = "" };
	int len = sizeof streamid;

	if (r->base.spec->no_auth) {
		one->admission.allowed = true;
	} else if (srt_getsockflag(one->socket, SRTO_STREAMID, streamid,
				   &len) == SRT_ERROR ||
		   (srt_streamid_read(streamid, &request) != SRT_REQUEST_OK &&
		    r->base.asker->authorize)) {
		refuse(r, i, SRT_BAD_STREAMID);
		return;
	} else {
		admission_ask(&one->admission, r->base.asker,
			      &(struct msg_deliver_ask){
				      .client = one->client,
				      .peer = one->peer,
				      .host = request.host,
				      .path = request.path,
				      .query = request.query,
				      .protocol = "srt",
			      }, mono_ms());
	}
	explicit_bzero(streamid, sizeof streamid);
	explicit_bzero(&request, sizeof request);
	if (!served && one->admission.allowed)
		welcome(r, one);
}

static void accept_callers(struct srt_receivers *r)
{
	struct sockaddr_any from;
	SRTSOCKET s;

	while ((s = srt_listener_accept(&r->listener, &from)) !=
	       SRT_INVALID_SOCK) {
		struct srt_receiver new = { .socket = s, .from = from };
		uint64_t id = mono_ns();
		size_t same = 0;

		sockaddr_format_host(&from, new.peer);
		for (size_t i = 0; i < r->n; i++)
			same += strcmp(r->list[i].peer, new.peer) == 0;
		if (r->n == RECEIVERS_MAX || same >= RECEIVERS_OF_ADDRESS_MAX) {
			srt_socket_close(&s);
			srt_listener_refuse(&r->listener, &from,
					    "too many receivers");
			continue;
		}
		(void)!getrandom(&id, sizeof id, 0);
		new.client = MSG_RECEIVER_BIT | (id & (MSG_RECEIVER_BIT - 1));
		new.since_ms = mono_ms();
		new.login = xstrdup("");
		r->list[r->n++] = new;
		ask(r, r->n - 1);
	}
}

static void send_one(struct srt_receivers *r, size_t i, const void *data,
		     size_t len)
{
	struct srt_receiver *one = &r->list[i];

	if (!one->admission.allowed)
		return;
	if (srt_sendmsg2(one->socket, data, (int)len, NULL) != SRT_ERROR)
		one->bytes += len;
	else if (!drop_if_broken(r, i))
		r->base.counters.dropped += len / TS_PACKET;
}

static void receivers_send(struct output *out, const struct ts_run *runs,
			   size_t n_runs, uint64_t now_ns)
{
	struct srt_receivers *r = container_of(out, struct srt_receivers, base);
	struct run_cursor cursor = { .runs = runs, .n_runs = n_runs };
	uint8_t buf[DATAGRAM_SIZE_MAX];
	struct datagrams d;

	(void)now_ns;
	accept_callers(r);
	while (datagrams_cut(&d, &cursor, NULL))
		for (size_t i = 0; i < d.n && r->n_served > 0; i++) {
			size_t len;
			const void *data = datagram_gather(&d, i, buf, &len);

			out->counters.packets += len / TS_PACKET;
			for (size_t k = r->n; k-- > 0;)
				send_one(r, k, data, len);
		}
}

static void turn(struct srt_receivers *r, size_t i)
{
	switch (admission_second(&r->list[i].admission, mono_ms())) {
	case ADMISSION_LATE:
		refuse(r, i, "no answer from the authorization within 3 s");
		return;
	case ADMISSION_ASKS:
		ask(r, i);
		return;
	case ADMISSION_STAYS:
		return;
	}
}

static int receivers_every_second(struct output *out, struct errmsg *error)
{
	struct srt_receivers *r = container_of(out, struct srt_receivers, base);
	unsigned suppressed;

	(void)error;
	atomic_store(&r->listener.judges, r->base.asker->authorize &&
		     !r->base.spec->no_auth);
	accept_callers(r);
	for (size_t i = r->n; i-- > 0;)
		if (!drop_if_broken(r, i))
			turn(r, i);
	srt_stats_begin(&r->link);
	for (size_t i = 0; i < r->n; i++)
		srt_stats_add(&r->link, r->list[i].socket, SRT_SENDS);
	srt_listener_every_second(&r->listener, &r->link);
	if (r->unlogged && ratelimit_pass(&r->log, mono_ms(), &suppressed)) {
		r->unlogged = false;
		log_info("stream", "srt port %u: %zu receivers",
			 r->listener.spec->port, r->n_served);
	}
	return 0;
}

/* Applies a change of the interface; connections continue. */
static int receivers_follow(struct output *out, struct errmsg *error)
{
	(void)error;
	srt_place_follow(&container_of(out, struct srt_receivers, base)
				  ->listener.place);
	return 0;
}

static void receivers_stats(const struct output *out, struct link_stats *ret)
{
	*ret = container_of(out, const struct srt_receivers, base)->link;
}

static const char *receivers_error(const struct output *out)
{
	const struct srt_receivers *r =
		container_of(out, const struct srt_receivers, base);

	/* a refused call is not an error here, because the output waits for
	 * further receivers */
	return r->n == 0 ? srt_listener_error(&r->listener) : NULL;
}

static size_t receivers_list(const struct output *out,
			     struct msg_receiver *ret, size_t max)
{
	const struct srt_receivers *r =
		container_of(out, const struct srt_receivers, base);
	uint64_t now_ms = mono_ms();
	size_t n = 0;

	for (size_t i = 0; i < r->n && n < max; i++)
		if (r->list[i].admission.allowed)
			ret[n++] = (struct msg_receiver){
				.client = r->list[i].client,
				.peer = r->list[i].peer,
				.uptime_s = (now_ms - r->list[i].since_ms) /
					    1000,
				.login = r->list[i].login,
				.bytes = r->list[i].bytes,
			};
	return n;
}

static bool receivers_kick(struct output *out, uint64_t client)
{
	struct srt_receivers *r = container_of(out, struct srt_receivers, base);

	for (size_t i = 0; i < r->n; i++) {
		if (r->list[i].client != client)
			continue;
		drop(r, i);
		return true;
	}
	return false;
}

static bool receivers_answer(struct output *out,
			     const struct msg_deliver_answer *a, uint32_t seq)
{
	struct srt_receivers *r = container_of(out, struct srt_receivers, base);
	size_t i = 0;

	while (i < r->n && r->list[i].admission.seq != seq)
		i++;
	if (seq == 0 || i == r->n)
		return false;
	struct srt_receiver *one = &r->list[i];
	bool served = one->admission.allowed;

	if (!admission_answer(&one->admission, a, mono_ms())) {
		refuse(r, i, a->verdict == ASK_BUSY
			     ? "the authorization gave no decision"
			     : "the authorization denied access");
		return true;
	}
	free(one->login);
	one->login = xstrdup(a->login);
	if (!served)
		welcome(r, one);
	return true;
}

static void receivers_review(struct output *out, uint64_t client)
{
	struct srt_receivers *r = container_of(out, struct srt_receivers, base);

	for (size_t i = r->n; i-- > 0;)
		if (client == 0 || r->list[i].client == client)
			ask(r, i);
}

static void receivers_free(struct output *out)
{
	struct srt_receivers *r = container_of(out, struct srt_receivers, base);

	while (r->n > 0) {
		struct srt_receiver *one = &r->list[--r->n];

		srt_socket_close(&one->socket);
		if (!one->admission.allowed)
			admission_end(&one->admission, out->asker,
				      one->client);
		free(one->login);
	}
	srt_listener_close(&r->listener);
	free(r);
}

static const struct output_ops receivers_ops = {
	.free = receivers_free,
	.send = receivers_send,
	.every_second = receivers_every_second,
	.follow = receivers_follow,
	.stats = receivers_stats,
	.error = receivers_error,
	.receivers = receivers_list,
	.kick = receivers_kick,
	.answer = receivers_answer,
	.review = receivers_review,
};

struct output *srt_receivers_open(const struct output_spec *spec, int *ret_err,
				  struct errmsg *error)
{
	struct srt_receivers *r = xcalloc(1, sizeof *r);
	int err;

	r->base = (struct output){ .ops = &receivers_ops, .spec = spec };
	srt_library_open();
	err = srt_listener_open(&r->listener, &spec->srt, SRT_SENDS, error);
	if (err == 0)
		return &r->base;
	free(r);
	*ret_err = err;
	return NULL;
}
