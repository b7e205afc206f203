/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the fleet has to do for one stream, from its configuration: the
 * worker's orders, the ring, the paths that deliver serves.  Pure.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "master/config/stream_conf.h"
#include "proto/spec/io_spec.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct plan_http {
	unsigned position; /* in the output list, from 1 */
	struct sockaddr_any listen;
	bool tls;
	char *path;
};

struct stream_plan {
	json_t *source; /* a reference: owns the strings */
	json_t *options; /* of it, what proto/spec/stream_spec reads */
	bool enable;
	struct msg_stream_start start;
	size_t n_http;
	struct plan_http *http;
	size_t ring_size; /* bytes; 0: no ring */
	bool net; /* needs the program with the libraries */
	/* the streams that its inputs read, each once; in start.inputs */
	size_t n_links;
	char links[MSG_INPUTS_MAX][IO_ID_MAX + 1];
};

/* id is borrowed and must outlive the plan; settings (may be NULL) has the
 * defaults of all streams. */
struct stream_plan *stream_plan_new(const char *id, const struct stream_conf *,
				    const json_t *settings);
/* What stream_plan_new() reads, and no more; a new JSON object. */
json_t *stream_plan_write(const struct stream_plan *);
void stream_plan_free(struct stream_plan **);

/* Can a worker be told of it in one message? */
bool stream_plan_fits(const struct stream_plan *);

/* Does one of its inputs read this stream? */
bool stream_plan_reads(const struct stream_plan *, const char *stream);

/* True when a worker that carries out a need not be replaced for b.  The name
 * alone does not count. */
bool stream_plan_is_same(const struct stream_plan *a,
			 const struct stream_plan *b);
