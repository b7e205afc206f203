/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages to a stream about what other streams, the host and the operator
 * have. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct msg_stream_link {
	const char *stream;
	bool ring; /* false: the stream has no ring any more */
};

struct msg_stream_network {
	/* by id, the keys of stream_spec.h that a NIT needs */
	const json_t *streams;
};

struct msg_stream_guide {
	unsigned place;     /* whose events: 0: those of the stream, else the
			     * position of an input */
	const char *stream; /* a stream of nit_other that has the events; "":
			     * `place' says whose they are */
	uint32_t len;       /* bytes in the memory (tables/eit_image.h) */
};

struct msg_stream_input {
	unsigned position;       /* 0: the next one */
};

struct msg_stream_chosen {
	unsigned position;       /* 0: not possible, see error */
	/* NULL: the input is on air; with a position: the warning that it is
	 * not on air yet */
	const char *error;
};

struct msg_stream_cue {
	const json_t *record;    /* proto/si/record.h */
	bool timed;              /* pts_time is to be set */
	unsigned pre_roll_ms;
};

struct msg_stream_cued {
	const char *error;       /* NULL: the command is sent */
};

struct msg_stream_clock {
	bool synchronised;
};

struct msg_stream_rename {
	const char *from;
	const char *to;
};

struct msg_worker_debug {
	bool on;
};
