/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One client of the event channel: shakes hands and checks that the numbered
 * messages come in order, none missing.
 *
 * A numbered message holds "src":"NUMBER TIME …": its number, from 0, and when
 * it was sent (CLOCK_MONOTONIC, ns).  Owns its socket.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "tests/bench/histogram.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_totals {
	uint64_t messages; /* numbered ones of all clients */
	uint64_t others;
	uint64_t out_of_order;
	struct histogram delay_us;
};

struct ws_client {
	int fd; /* -1: closed */
	bool open;
	bool told; /* why: there was a close frame */
	uint64_t next; /* number */
	struct buf in;
};

/* Connects (blocking) and asks for the upgrade; 0 or -errno.  rcvbuf: of the
 * socket, 0 leaves it to the kernel. */
int ws_client_open(struct ws_client *, const struct sockaddr_any *to,
		   const char *path, int rcvbuf) MUST_CHECK;

/* Reads all available data. */
void ws_client_read(struct ws_client *, struct ws_totals *);

void ws_client_close(struct ws_client *);
