/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests for a report of a stream, and the parts of the replies; msg.h
 * includes it. */
#pragma once

#include <jansson.h>

struct msg_stream_analyze {
	unsigned place;          /* position of an input; 0: the output */
	unsigned from;           /* first PID of the reply */
};

struct msg_stream_analysis {
	unsigned next;           /* first PID of the next part; 0: complete */
	/* an object (proto/spec/report_shape.h, or plan_shape.h) */
	const json_t *report;
};
