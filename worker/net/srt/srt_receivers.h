/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receivers of an SRT output that listens.
 *
 * Each receiver has an id. The number of receivers of one address is limited. A
 * receiver that is too slow loses packets; the others do not.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "proto/spec/link_stat.h"
#include "proto/ipc/msg.h"
#include "worker/net/srt/srt_socket.h"

enum {
	RECEIVERS_MAX = MSG_RECEIVERS_MAX,
	RECEIVERS_OF_ADDRESS_MAX = RECEIVERS_MAX / 8,
};

struct srt_receiver {
	SRTSOCKET socket;
	uint64_t client;
	uint64_t since_ms; /* monotonic */
	char peer[SOCKADDR_TEXT_MAX];
};

/* Embedded. */
struct srt_receivers {
	struct srt_listener listener;
	size_t n;
	struct srt_receiver list[RECEIVERS_MAX];
	struct link_stats link;
	struct ratelimit log;
	bool unlogged; /* the number changed after the last log line */
};

/* 0, or -errno with error; closed after an error. */
int srt_receivers_open(struct srt_receivers *, const struct srt_spec *,
		       struct errmsg *error) MUST_CHECK;
void srt_receivers_close(struct srt_receivers *);

/* Accepts waiting callers. */
void srt_receivers_accept(struct srt_receivers *);

/* Sends to all; returns the number of receivers that could not take it. */
size_t srt_receivers_send(struct srt_receivers *, const uint8_t *data,
			  size_t len);

/* Removes disconnected receivers, counts and logs. */
void srt_receivers_every_second(struct srt_receivers *);

/* Why there is no receiver although one called; NULL: no error. */
const char *srt_receivers_error(const struct srt_receivers *);

/* Strings are borrowed until the next change. */
size_t srt_receivers_list(const struct srt_receivers *,
			  struct msg_receiver *ret, size_t max);
/* False: there is no such receiver. */
bool srt_receivers_kick(struct srt_receivers *, uint64_t client);
