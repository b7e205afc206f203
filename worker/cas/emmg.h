/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The server for EMM generators (ETSI TS 103 197 6): channels and streams over
 * TCP, data over TCP or UDP.
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
	struct emmg_sockets sockets; /* taken */
	unsigned kbps; /* of all streams */
	/* EMMs, in packets: whole sections, or what a generator sent. */
	void (*on_emm)(struct ts_run, void *arg);
	void *arg;
};

struct emmg *emmg_new(const struct emmg_config *);
/* Passes the sections that still wait to on_emm, and frees the
 * server.  NULL-safe; sets *e to NULL. */
void emmg_free(struct emmg **e);

/* The number of connected generators. */
unsigned emmg_clients(const struct emmg *);
