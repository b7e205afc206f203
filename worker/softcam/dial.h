/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Connects to a host by name: the name is asked for in a thread of the C
 * library, then its addresses are tried one after the other.
 *
 * Owns what it opens until it hands it over; borrows the loop.  For programs
 * that are linked to shared libraries.
 */
#pragma once

#include <stdint.h>

struct dial;
struct ev_loop;

struct dial_config {
	struct ev_loop *loop;
	const char *host;    /* copied */
	uint16_t port;
	unsigned timeout_ms; /* for all of it */
	/* From the loop, once: a connected, non-blocking descriptor (taken by
	 * the receiver), -ENOENT when the name has no address, -ETIMEDOUT, or
	 * the -errno of the last address.  The dial may be freed inside. */
	void (*on_done)(int fd, void *arg);
	void *arg;
};

struct dial *dial_new(const struct dial_config *);
/* NULL-safe; sets *d to NULL.  Nothing is told any more. */
void dial_free(struct dial **);
