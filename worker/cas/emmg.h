/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The server for EMM generators (ETSI TS 103 197 6): a generator sets up its
 * channel and streams over TCP, and sends data over TCP or UDP.
 *
 * Owns its sockets; borrows the loop.
 */
#pragma once

#include "worker/ts/packet.h"

struct emmg;
struct ev_loop;

struct emmg_sockets {
	int tcp, udp; /* -1: none */
};

struct emmg_config {
	struct ev_loop *loop;
	struct emmg_sockets sockets; /* owned by the server */
	unsigned kbps; /* bandwidth of all streams together */
	/* Takes EMMs as packets: packed whole sections, or the packets that a
	 * generator sent. */
	void (*on_emm)(struct ts_run, void *arg);
	void *arg;
};

struct emmg *emmg_new(const struct emmg_config *);
/* Passes the sections that are still in the packer to on_emm, and frees the
 * server.  NULL-safe; sets *e to NULL. */
void emmg_free(struct emmg **e);

/* The number of connected generators. */
unsigned emmg_clients(const struct emmg *);
