/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The server for EMM generators (ETSI TS 103 197 6): channels and streams over
 * TCP, data over TCP or UDP.
 *
 * Owns its sockets; borrows the loop.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/cas_spec.h"
#include "worker/ts/packet.h"

struct emmg;
struct ev_loop;

struct emmg_sockets {
	int tcp, udp; /* -1: none */
};

/* Opens the port of the entry, if it has one.  Before the sandbox, which binds
 * no port.  0, or -errno with error. */
int emmg_open(const struct cas_entry *, struct emmg_sockets *ret,
	      struct errmsg *error) MUST_CHECK;

struct emmg_config {
	struct ev_loop *loop;
	struct emmg_sockets sockets; /* taken */
	unsigned kbps; /* of all streams */
	/* An EMM, in packets. */
	void (*on_emm)(struct ts_run, void *arg);
	void *arg;
};

struct emmg *emmg_new(const struct emmg_config *);
void emmg_free(struct emmg **);

/* The connected generators. */
unsigned emmg_clients(const struct emmg *);
