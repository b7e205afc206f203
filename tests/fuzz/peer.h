/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other end of a connection: it sends bytes in pieces and closes. */
#pragma once

#include "tests/fuzz/pieces.h"
#include "worker/ts/packet.h"

#include <ev.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	FUZZ_PEER_MAX = 4096, /* bytes that a connection takes at once */
	FUZZ_TURNS_MAX = 64,  /* until the end of a connection is reported */
};

/* Packets of a callback. */
static inline void fuzz_judge_run(struct ts_run run, size_t most)
{
	must(run.n >= 1 && run.n <= most);
	for (size_t i = 0; i < run.n; i++)
		must(ts_sync_ok(run.data + i * TS_PACKET));
}

/* A loop, and both ends of a connection: fds[1] is that of the peer. */
static inline struct ev_loop *fuzz_connect(int fds[2])
{
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
	return ev_loop_new(EVBACKEND_POLL);
}

/* data[0] is the size of the pieces, 0 for one piece; the data follows.  The
 * connection ends, at last because the peer has closed it: *ended is true. */
static inline void fuzz_be_peer(struct ev_loop *loop, int fd,
				const uint8_t *data, size_t size,
				const bool *ended)
{
	size_t step = data[0] != 0 ? data[0] : size;

	for (size_t at = 1, n; at < size && !*ended; at += n) {
		n = MIN(step, size - at);
		must(write(fd, data + at, n) == (ssize_t)n);
		(void)ev_run(loop, EVRUN_NOWAIT);
	}
	if (*ended)
		return;
	must(shutdown(fd, SHUT_WR) == 0);
	for (unsigned i = 0; i < FUZZ_TURNS_MAX && !*ended; i++)
		(void)ev_run(loop, EVRUN_NOWAIT);
	must(*ended);
}
