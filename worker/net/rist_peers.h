/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who is at the other end of a RIST link: those who are called, and those who
 * call.
 *
 * The library makes a peer of every address that a datagram comes from and
 * keeps it for seconds; here they are bounded, in all and for each host.  In
 * the simple profile it takes the data of all of them for one stream: while a
 * host is heard at a port, that port is its own.
 * Noted in threads of the library, looked at in ours.
 */
#pragma once

#include "common/errmsg.h"
#include "common/sockaddr.h"

#include <librist/librist.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Of these; a sender is two in the simple profile. */
	RIST_SENDERS_MAX = 16,
	RIST_RECEIVERS_MAX = 128,
	/* The share of one host. */
	RIST_SENDERS_OF_HOST_MAX = 8,
	RIST_RECEIVERS_OF_HOST_MAX = 32,
};

struct rist_known {
	struct rist_peer *peer;
	bool called;       /* by us, by this way: */
	size_t way;
	bool up;           /* it answers */
	uint64_t heard_ms; /* data of it was taken; 0: never */
	uint16_t port;     /* of ours */
	char host[SOCKADDR_TEXT_MAX];
	char at[SOCKADDR_TEXT_MAX]; /* with its port, if we called it */
};

/* Embedded. */
struct rist_peers {
	pthread_mutex_t lock;
	size_t max, of_host_max;
	bool own_ports;
	size_t n;
	struct rist_known list[RIST_RECEIVERS_MAX];
	unsigned refused;      /* since they were taken, one of them: */
	struct errmsg refusal;
};

/* own_ports: whether a port is of the host that is heard there. */
void rist_peers_init(struct rist_peers *, size_t max, size_t of_host_max,
		     bool own_ports);
void rist_peers_done(struct rist_peers *);

/* As for rist_auth_handler_set(); arg is the struct.  -1: he is sent away. */
int rist_peers_on_connect(void *arg, const char *host, uint16_t port,
			  const char *local_host, uint16_t local_port,
			  struct rist_peer *);
int rist_peers_on_gone(void *arg, struct rist_peer *);

/* One that we call; the number of its way is below 32. */
void rist_peers_add(struct rist_peers *, struct rist_peer *, size_t way,
		    const struct sockaddr_any *at);
void rist_peers_state(struct rist_peers *, const struct rist_peer *, bool up);

/* Data of it was taken. */
void rist_peers_heard(struct rist_peers *, const struct rist_peer *,
		      uint64_t now_ms);

/* The one of ours that it called; 0 when it is not known. */
uint16_t rist_peers_port(struct rist_peers *, const struct rist_peer *);

/* Its address into at of SOCKADDR_TEXT_MAX; "?" when it is not known. */
void rist_peers_find(struct rist_peers *, const struct rist_peer *, char *at);

/* Those who were sent away since the last call, and of one of them why. */
unsigned rist_peers_take_refused(struct rist_peers *, struct errmsg *why);

/* The addresses of those who answer, or whose data was taken since a time,
 * with commas between; cut to size.  Without those that were called by a way
 * whose bit is set. */
void rist_peers_format(struct rist_peers *, uint64_t heard_since_ms,
		       unsigned without_ways, char *text, size_t size);
