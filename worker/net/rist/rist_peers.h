/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who is at the other end of a RIST link: those who are called, and those who
 * call.
 *
 * The library makes a peer of every address that a datagram comes from and
 * keeps it for seconds; here they are bounded, in all and for each host: those
 * who send at each port of ours, as each of their ways is another peer, and in
 * the simple profile each half of it.  There it takes the data of all of them
 * for one stream: while a host is heard at a port, that port is its own.
 * Noted in threads of the library, looked at in ours.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "proto/spec/rist_spec.h"

#include <librist/librist.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RIST_SENDERS_MAX = 16, /* at one port of ours */
	RIST_RECEIVERS_MAX = 128,
	/* The share of one host. */
	RIST_SENDERS_OF_HOST_MAX = 8,
	RIST_RECEIVERS_OF_HOST_MAX = 32,
	RIST_KNOWN_MAX = 2 * RIST_PEERS_MAX * RIST_SENDERS_MAX,
};

_Static_assert(RIST_RECEIVERS_MAX <= (int)RIST_KNOWN_MAX, "no place");

enum rist_peers_flag {
	RIST_PEERS_SEND = 1, /* to us: bounded at each port */
	RIST_PEERS_OWN_PORTS = 2, /* a port is of the host heard there */
};

struct rist_known {
	struct rist_peer *peer;
	bool called;       /* by us */
	size_t path;        /* by which we called it, or it us */
	bool up;           /* it answers */
	uint64_t came_ms;
	uint64_t heard_ms; /* data of it was taken; 0: never */
	uint16_t port;     /* of ours */
	char host[SOCKADDR_TEXT_MAX];
	char at[SOCKADDR_TEXT_MAX]; /* with its port, if we called it */
};

/* Embedded. */
struct rist_peers {
	pthread_mutex_t lock;
	size_t max, of_host_max;
	unsigned flags;
	struct sockaddr_any own[RIST_PEERS_MAX]; /* where each way waits */
	size_t n;
	struct rist_known list[RIST_KNOWN_MAX];
	unsigned refused;      /* since they were taken, one of them: */
	struct errmsg refusal;
};

void rist_peers_init(struct rist_peers *, size_t max, size_t of_host_max,
		     unsigned flags);
void rist_peers_done(struct rist_peers *);

/* This way of ours waits there, in the simple profile at the next port, too. */
void rist_peers_wait(struct rist_peers *, size_t path,
		     const struct sockaddr_any *at);

/* As for rist_auth_handler_set(); arg is the struct.  -1: he is sent away. */
int rist_peers_on_connect(void *arg, const char *host, uint16_t port,
			  const char *local_host, uint16_t local_port,
			  struct rist_peer *);
int rist_peers_on_gone(void *arg, struct rist_peer *);

/* One that we call; the number of its way is below 32. */
void rist_peers_add(struct rist_peers *, struct rist_peer *, size_t path,
		    const struct sockaddr_any *at);
void rist_peers_state(struct rist_peers *, const struct rist_peer *, bool up);

/* Data of it was taken. */
void rist_peers_received(struct rist_peers *, const struct rist_peer *,
		      uint64_t now_ms);

/* By which it came; 0 when it is not known. */
size_t rist_peers_path(struct rist_peers *, const struct rist_peer *);

/* Its address into at of SOCKADDR_TEXT_MAX; "?" when it is not known. */
void rist_peers_format_one(struct rist_peers *, const struct rist_peer *,
                           char *at);

/* Those who were sent away since the last call, and of one of them why. */
unsigned rist_peers_take_refused(struct rist_peers *, struct errmsg *error);

/* The addresses of those who answer, or whose data was taken since a time,
 * with commas between; cut to size.  Without those that were called by a way
 * whose bit is set. */
void rist_peers_format(struct rist_peers *, uint64_t heard_since_ms,
		       unsigned without_paths, char *text, size_t size);
