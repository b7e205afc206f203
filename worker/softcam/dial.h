/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Connects to a host by name.  A thread of the C library resolves the name;
 * then the addresses are tried one after another.
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
	unsigned timeout_ms; /* limit for name and connection together */
	/* Queries of earlier dials whose threads still run.  The owner keeps
	 * the list from one dial to the next; at first NULL.  Each dial_free()
	 * frees the queries that have ended; the others stay until a later one
	 * or until the process ends. */
	struct dial_lookup **lookups;
	/* Called once, from the loop.  fd: a connected, non-blocking
	 * descriptor, which the callee owns; -ENOENT: no address of the name
	 * was found; -ETIMEDOUT; or -errno of the last address.  The owner may
	 * free the dial in it. */
	void (*on_done)(int fd, void *arg);
	void *arg;
};

struct dial *dial_new(const struct dial_config *);
/* NULL-safe; sets *d to NULL.  No callback follows. */
void dial_free(struct dial **);
