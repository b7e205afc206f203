/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_receivers.h"

#include "common/base/log.h"
#include "common/base/mono.h"
#include "proto/ipc/msg.h"
#include "worker/net/srt/srt_stats.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int srt_receivers_open(struct srt_receivers *r, const struct srt_spec *spec,
		       struct errmsg *error)
{
	srt_library_open();
	return srt_listener_open(&r->listener, spec, SRT_SENDS, error);
}

void srt_receivers_close(struct srt_receivers *r)
{
	while (r->n > 0)
		srt_socket_close(&r->list[--r->n].socket);
	srt_listener_close(&r->listener);
}

/* Limited to one line a second when receivers come and go all the time. */
static void log_receiver(struct srt_receivers *r, const char *peer,
			 const char *what)
{
	unsigned suppressed;

	r->unlogged = !ratelimit_pass(&r->log, mono_ms(), &suppressed);
	if (!r->unlogged)
		log_info("stream", "srt port %u: receiver %s %s, %zu in all",
			 r->listener.spec->port, peer, what, r->n);
}

static void add(struct srt_receivers *r, SRTSOCKET s, const char *peer)
{
	struct srt_receiver *new = &r->list[r->n++];
	uint64_t id = mono_ns();

	(void)!getrandom(&id, sizeof id, 0);
	new->socket = s;
	new->client = MSG_RECEIVER_BIT | (id & (MSG_RECEIVER_BIT - 1));
	new->since_ms = mono_ms();
	(void)snprintf(new->peer, sizeof new->peer, "%s", peer);
	link_stats_add(&r->link, LINK_CONNECTS, 1);
	log_receiver(r, peer, "connected");
}

void srt_receivers_accept(struct srt_receivers *r)
{
	struct sockaddr_any from;
	char peer[SOCKADDR_TEXT_MAX];
	SRTSOCKET s;
	size_t same;

	while ((s = srt_listener_accept(&r->listener, &from)) !=
	       SRT_INVALID_SOCK) {
		sockaddr_format_host(&from, peer);
		same = 0;
		for (size_t i = 0; i < r->n; i++)
			same += strcmp(r->list[i].peer, peer) == 0;
		if (r->n < RECEIVERS_MAX && same < RECEIVERS_OF_ADDRESS_MAX) {
			add(r, s, peer);
			continue;
		}
		srt_socket_close(&s);
		srt_listener_refuse(&r->listener, &from,
				    "too many receivers");
	}
}

/* Keeps the order of arrival. */
static void drop(struct srt_receivers *r, size_t i)
{
	char peer[SOCKADDR_TEXT_MAX];

	memcpy(peer, r->list[i].peer, sizeof peer);
	srt_socket_close(&r->list[i].socket);
	r->n--;
	memmove(&r->list[i], &r->list[i + 1],
		(r->n - i) * sizeof r->list[0]);
	log_receiver(r, peer, "disconnected");
}

static bool drop_if_broken(struct srt_receivers *r, size_t i)
{
	struct errmsg error;

	if (srt_socket_poll(r->list[i].socket, &error) >= 0)
		return false;
	drop(r, i);
	return true;
}

size_t srt_receivers_send(struct srt_receivers *r, const uint8_t *data,
			  size_t len)
{
	size_t failed = 0;

	for (size_t i = r->n; i-- > 0;)
		if (srt_sendmsg2(r->list[i].socket, (const char *)data,
				 (int)len, NULL) == SRT_ERROR &&
		    !drop_if_broken(r, i))
			failed++;
	return failed;
}

void srt_receivers_every_second(struct srt_receivers *r)
{
	unsigned suppressed;

	for (size_t i = r->n; i-- > 0;)
		(void)drop_if_broken(r, i);
	srt_stats_begin(&r->link);
	for (size_t i = 0; i < r->n; i++)
		srt_stats_add(&r->link, r->list[i].socket, SRT_SENDS);
	srt_listener_every_second(&r->listener, &r->link);
	if (!r->unlogged || !ratelimit_pass(&r->log, mono_ms(), &suppressed))
		return;
	r->unlogged = false;
	log_info("stream", "srt port %u: %zu receivers",
		 r->listener.spec->port, r->n);
}

const char *srt_receivers_error(const struct srt_receivers *r)
{
	return r->n == 0 ? srt_listener_error(&r->listener) : NULL;
}

size_t srt_receivers_list(const struct srt_receivers *r,
			  struct msg_receiver *ret, size_t max)
{
	uint64_t now_ms = mono_ms();
	size_t n = MIN(r->n, max);

	for (size_t i = 0; i < n; i++)
		ret[i] = (struct msg_receiver){
			.client = r->list[i].client,
			.peer = r->list[i].peer,
			.uptime_s = (now_ms - r->list[i].since_ms) / 1000,
		};
	return n;
}

bool srt_receivers_kick(struct srt_receivers *r, uint64_t client)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->list[i].client != client)
			continue;
		drop(r, i);
		return true;
	}
	return false;
}
