/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Datagrams of several senders, one behind the other in the data: a byte for
 * the sender, the interface and the elapsed time, two for the length. */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdlib.h>

enum {
	FUZZ_HOSTS = 4,
	FUZZ_HEAD = 3,
	FUZZ_IFACE = 4, /* bit of the first byte */
	FUZZ_TIME_SHIFT = 3,
};

static const char *const fuzz_hosts[FUZZ_HOSTS] = {
	"192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1",
};

struct fuzz_datagram {
	struct sockaddr_any sender;
	const char *iface;
	unsigned steps; /* of time since the last one */
	const uint8_t *data;
	size_t len;
};

/* Takes the first datagram off the data; false: there is none. */
static inline bool fuzz_next_datagram(const uint8_t **data, size_t *size,
				      struct fuzz_datagram *ret)
{
	const uint8_t *p = *data;

	if (*size <= FUZZ_HEAD)
		return false;
	ret->iface = p[0] & FUZZ_IFACE ? "eth1" : "eth0";
	ret->steps = p[0] >> FUZZ_TIME_SHIFT;
	ret->data = p + FUZZ_HEAD;
	ret->len = MIN((size_t)(p[1] << 8 | p[2]), *size - FUZZ_HEAD);
	if (sockaddr_parse(fuzz_hosts[p[0] % FUZZ_HOSTS], 1, &ret->sender) < 0)
		abort();
	*data += FUZZ_HEAD + ret->len;
	*size -= FUZZ_HEAD + ret->len;
	return true;
}
