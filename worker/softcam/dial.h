/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Connects to a host by name.  A thread of the C library resolves the name,
 * then the addresses are tried in order.
 *
 * Owns the socket until it passes it on; borrows the loop.  Needs a program
 * with shared libraries, because getaddrinfo_a() does.
 */
#pragma once

#include <stdint.h>

struct dial;
struct dial_lookup;
struct ev_loop;

struct dial_config {
	struct ev_loop *loop;
	const char *host;    /* copied */
	uint16_t port;
	unsigned timeout_ms; /* for name and connection */
	/* The lookups of earlier dials whose threads still run: the owner keeps
	 * the list from dial to dial, at first NULL.  dial_free() frees those
	 * that have ended; the others stay until the process ends. */
	struct dial_lookup **lookups;
	/* Called once from the loop: a connected, non-blocking descriptor
	 * (taken by the receiver), -ENOENT for a name without address,
	 * -ETIMEDOUT, or the -errno of the last address.  The dial may be freed
	 * inside. */
	void (*on_done)(int fd, void *arg);
	void *arg;
};

struct dial *dial_new(const struct dial_config *);
/* NULL-safe; sets *d to NULL.  No callback follows. */
void dial_free(struct dial **);
