/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages to a stream about what other streams and the host have. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

struct msg_stream_link {
	const char *stream;
	bool ring; /* false: the stream has no ring any more */
};

struct msg_stream_network {
	/* by id, the keys of stream_spec.h that a NIT needs */
	const json_t *streams;
};

struct msg_stream_clock {
	bool synchronised;
};

struct msg_stream_rename {
	const char *from;
	const char *to;
};
