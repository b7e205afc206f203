/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far a viewer may fall behind the writer of its ring.
 *
 * sendfile() gives the socket references to the ring's pages, not copies: a
 * byte that the kernel has yet to send (or, on the same host, that the viewer
 * has yet to read) changes when the writer comes round to it.  The policy
 * keeps every such byte out of the writer's reach:
 *
 *	|<----------------------- size ----------------------->|
 *	|<- margin ->|<- hold ->|<----------- limit ---------->|
 *	 the writer   read late   written since the viewer's
 *	 goes on      by the      oldest byte not yet acknowledged
 *	              viewer
 *
 * Pure.
 */
#pragma once

#include <stdint.h>

/* What the kernel may hold for one socket, bytes. */
struct lag_kernel {
	uint64_t sndbuf_max;
	uint64_t rcvbuf_max;
};

struct lag {
	uint64_t limit;
	uint64_t ask_above; /* a viewer less behind needs no second look */
	uint64_t start_max; /* how far back a viewer may start */
	uint64_t sndbuf;    /* SO_SNDBUF to set; 0 leaves it to the kernel */
};

/* size: of the ring; rate: bytes a second the writer may add. */
void lag_init(struct lag *, uint64_t size, uint64_t rate,
	      const struct lag_kernel *);

enum lag_verdict {
	LAG_FINE,
	LAG_LATE, /* the viewer took all it was given: it was fed too late */
	LAG_SLOW, /* the viewer does not keep up: cut it before it is wrong */
};

/*
 * behind: bytes written but not yet given to the viewer's socket; queued:
 * bytes given that the viewer has not acknowledged (SIOCOUTQ).  With behind
 * up to ask_above the verdict is LAG_FINE whatever the queue holds.
 */
enum lag_verdict lag_judge(const struct lag *, uint64_t behind,
			   uint64_t queued);
