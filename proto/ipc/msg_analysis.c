/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What master and stream say to each other of the stream's faults. */
#include "proto/ipc/msg_desc.h"
#include "proto/spec/report_shape.h"

enum { PID_MAX = 8191 };

int stream_analyze_decode(const json_t *body, struct msg *m,
			  struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->stream_analyze = (struct msg_stream_analyze){
		.place = (unsigned)read_uint(&r, "place", 0, MSG_INPUTS_MAX),
		.from = (unsigned)read_uint(&r, "from", 0, PID_MAX),
	};
	return read_end(&r);
}

void stream_analyze_encode(const struct msg *m, struct json_writer *w)
{
	write_u64(w, "place", m->stream_analyze.place);
	write_u64(w, "from", m->stream_analyze.from);
}

int stream_analysis_decode(const json_t *body, struct msg *m,
			   struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);
	int err;

	m->stream_analysis = (struct msg_stream_analysis){
		.next = (unsigned)read_uint(&r, "next", 0, PID_MAX),
		.report = read_object(&r, "report"),
	};
	err = read_end(&r);
	if (err == 0)
		err = report_shape_judge(m->stream_analysis.report, why);
	return err;
}

void stream_analysis_encode(const struct msg *m, struct json_writer *w)
{
	write_u64(w, "next", m->stream_analysis.next);
	write_json(w, "report", m->stream_analysis.report);
}
