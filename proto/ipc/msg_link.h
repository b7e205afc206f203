/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between the master and a stream about other streams, the clock of
 * the host and commands of the operator. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct msg_stream_link {
	const char *stream;
	bool ring; /* false: the stream has no ring any more */
};

struct msg_stream_network {
	/* an object: the id of each stream, and in it the keys of
	 * stream_spec.h that a NIT needs */
	const json_t *streams;
};

struct msg_stream_guide {
	/* owner of the events if `stream' is "": 0: the stream itself, else the
	 * position of an input */
	unsigned place;
	const char *stream; /* id of the stream of nit_other that owns the
			     * events; "": see place */
	uint32_t len;       /* bytes in the memory (tables/eit_image.h) */
};

struct msg_stream_input {
	unsigned position;       /* switch to this input; 0: to the next one */
};

struct msg_stream_chosen {
	unsigned position;       /* the chosen input; 0: refused, see error */
	/* with position 0: why the choice is refused; otherwise a warning that
	 * the input is not on air yet; NULL: the input is on air */
	const char *error;
};

struct msg_stream_cue {
	const json_t *record;    /* splice command (proto/si/record.h) */
	bool timed;              /* the worker sets the pts_time of the command
				  * to the current PTS plus pre_roll_ms */
	unsigned pre_roll_ms;
};

struct msg_stream_cued {
	const char *error;       /* why the command cannot be sent; NULL: it is
				  * sent */
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
