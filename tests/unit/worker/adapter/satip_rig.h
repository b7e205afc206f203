/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source against a server on loopback, which answers each request and sends
 * packets. */
#pragma once

#include "common/base/sockaddr.h"
#include "worker/adapter/satip_source.h"
#include "worker/rtp/rtp_packet.h"

struct build;

enum {
	PID = 0x100,
	FOREIGN_PID = 0x200,
	DATAGRAM = RTP_HEADER + TS_PACKET,
	WANTED = 20,  /* packets */
	LIMIT_MS = 4000,
};

struct rig {
	int listener, connection, udp;
	struct sockaddr_any at;      /* of the listener */
	struct sockaddr_any client;  /* where RTP goes; port 0: nowhere */
	bool tcp, playing, busy, torn_down;
	bool quiet;  /* no packets are sent */
	bool lists;  /* the PIDs are listed */
	const struct build *tables; /* sent in turn; NULL: none */
	const char *name; /* of the server; NULL: its address is given */
	const char *from; /* where RTP comes from; NULL: the server */
	const char *transport; /* of its replies; NULL: that of the request */
	unsigned setups, accepted;
	char request[2048];
	size_t len;
	uint16_t seq;
	uint32_t ssrc;
	struct source *source;
	struct batch batch;
	unsigned packets, foreign;
};

/* Opens a source and its server; transport: a value of the key. */
void rig_begin(struct rig *, const char *transport);
void rig_finish(struct rig *);

/* The server accepts, answers and sends, as far as it can at once. */
void rig_serve(struct rig *);
/* Serves and reads until the counter is so high. */
void rig_run_until(struct rig *, const unsigned *counter, unsigned n);
/* ... until so many packets were received. */
void rig_run(struct rig *, unsigned packets);

/* A datagram with one packet. */
void rig_make_rtp(uint8_t rtp[DATAGRAM], uint16_t seq, unsigned pid);
void rig_send_packet(struct rig *);

struct source_report rig_report(struct rig *);
