/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends bytes of a ring to a socket.
 *
 * A TCP socket gets references to the pages of the ring.  A process of this
 * host may read them long after it has acknowledged them, and after a reset;
 * the tls worker may encrypt and send them after the client was disconnected.
 * Such sockets get copies, which do not change.
 */
#pragma once

#include "common/base/ring.h"
#include "worker/deliver/portion.h"

/* The bytes of a ring that were copied last, for viewers that need the same
 * bytes.  Embedded; zeroed memory is empty. */
struct ring_copy {
	uint64_t pos;
	size_t len;
	uint8_t data[PORTION_SIZE];
};

struct ring_send {
	const struct ring_reader *reader;
	int ring_fd;
	bool copied; /* the socket gets copies, not pages of the ring */
	struct ring_copy *copy; /* used if copied is set; it has bytes of this
				 * ring, or is empty */
};

/* Sends at most len bytes from pos on to a non-blocking socket, as sendfile();
 * *ret_len is the number of bytes that it tried to send. */
ssize_t ring_send(const struct ring_send *, int fd, uint64_t pos, size_t len,
		  size_t *ret_len);
