/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits how far a viewer may fall behind the writer of its ring.
 *
 * The socket of a viewer behind a network card gets references to pages of the
 * ring, not copies (sendfile()); a viewer that may be on this host gets copies
 * (peer_link.h).  A byte that the kernel has not sent yet changes when the
 * writer reuses its page.  The limits keep the writer away from every such
 * byte, and from the bytes that a receive buffer may hold:
 *
 *	|<----------------------- size ----------------------->|
 *	|<- margin ->|<- hold ->|<----------- limit ---------->|
 *	 the writer   in the     written since the oldest byte
 *	 continues    receive    that the viewer has not
 *	              buffer     acknowledged
 *
 * Pure, except lag_kernel_read().
 */
#pragma once

#include <stdint.h>

/* The most bytes that the kernel may hold for a socket. */
struct lag_kernel {
	uint64_t sndbuf_max;
	uint64_t rcvbuf_max;
};

struct lag {
	uint64_t size;      /* bytes of the ring, as passed to lag_init() */
	uint64_t limit;     /* most bytes from the oldest one that the viewer
			     * has not acknowledged to the writer */
	uint64_t ask_above; /* bytes behind the writer up to which the queue
			     * of the socket need not be read */
	uint64_t start_max; /* a new viewer starts at most so many bytes behind
			     * the writer */
	uint64_t sndbuf;    /* SO_SNDBUF to set; 0: the kernel tunes it */
};

/* Reads the largest buffers of a TCP socket with automatic tuning from /proc;
 * without /proc they are the defaults of the kernel. */
void lag_kernel_read(struct lag_kernel *ret);

/* Computes the limits.  size: bytes of the ring; rate: bytes per second that
 * the writer may add. */
void lag_init(struct lag *, uint64_t size, uint64_t rate,
	      const struct lag_kernel *);

enum lag_verdict {
	LAG_FINE,
	LAG_LATE, /* the viewer has acknowledged all bytes, but this process
		   * sent too late */
	LAG_SLOW, /* the viewer is too slow: disconnect it before it receives
		   * wrong bytes */
};

/* Judges a viewer.  behind: bytes written to the ring that the socket does not
 * have yet; queued: bytes in the socket that the viewer has not acknowledged
 * (SIOCOUTQ).  Up to ask_above behind, the result is LAG_FINE for any queue. */
enum lag_verdict lag_judge(const struct lag *, uint64_t behind,
			   uint64_t queued);
