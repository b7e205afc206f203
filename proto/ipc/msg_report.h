/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests for a report of a stream, and the parts of the replies; msg.h
 * includes it. */
#pragma once

#include <jansson.h>

struct msg_stream_analyze {
	unsigned place;          /* position of an input; 0: the output */
	unsigned from;           /* the reply begins with this PID */
};

struct msg_stream_analysis {
	unsigned next;           /* `from' for the next part; 0: complete */
	/* the report (proto/spec/report_shape.h) or plan (plan_shape.h) */
	const json_t *report;
};
