/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Translates the configuration of one stream into the start message of the
 * worker, the size of the ring and the paths of its http outputs.  Pure but for
 * that variable.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "master/config/stream_conf.h"
#include "master/softcams/softcam_list.h"
#include "proto/spec/io_spec.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct plan_http {
	unsigned position; /* in the output list, from 1 */
	struct sockaddr_any listen;
	bool tls;
	bool no_auth;
	char *path;
	unsigned hls; /* segments of the playlist; 0: path is the stream */
	bool fmp4;    /* the segments are fMP4 */
	unsigned fill_kib; /* a new viewer gets so much at once */
};

/* Streams, and adapters as IO_ADAPTER says, each once. */
struct stream_links {
	size_t n;
	char ids[MSG_INPUTS_MAX][IO_LINK_MAX + 1];
};

/* A program that the CAM of an adapter shall descramble. */
struct plan_module {
	uint16_t link; /* the adapter: position in stream_links */
	uint16_t pnr;  /* 0: all programs */
};

/* Inputs by their links, and the programs that they take. */
struct plan_programs {
	size_t n;
	struct {
		uint16_t link; /* of stream_links */
		uint16_t pnr;  /* 0: all */
		uint16_t pids[INPUT_CONF_PIDS]; /* further ones; 0: none */
		bool emms; /* receives those of all CA systems */
	} list[MSG_INPUTS_MAX];
};

struct stream_plan {
	json_t *source; /* a reference; owns the strings */
	json_t *options; /* the members of source that are in stream_spec.h */
	bool enable;
	struct msg_stream_start start;
	size_t n_http;
	struct plan_http *http;
	size_t ring_size; /* bytes; 0: no ring */
	const json_t *cas_list; /* of source; NULL: none */
	bool clock; /* it has an own TDT */
	bool net; /* needs sluice-worker-net */
	bool files; /* the worker has rules for files and their folders */
	/* Then the file of the private key, which the rules leave out; else,
	 * or if the key is no file, "". */
	char *key;
	/* WORKER_RECORDINGS_VARIABLE if the worker plays lists, else "". */
	char *recordings;
	/* the streams that its inputs read */
	struct stream_links links;
	size_t n_modules;
	struct plan_module modules[MSG_INPUTS_MAX];
	struct plan_programs programs;
	/* the softcams that its inputs name, each once */
	size_t n_cams;
	char cams[SOFTCAM_USES_MAX][CAM_ID_MAX + 1];
};

/* id is borrowed and must outlive the plan; settings (may be NULL) has the
 * defaults of all streams; recordings (may be NULL) is SPAWN_RECORDINGS. */
struct stream_plan *stream_plan_new(const char *id, const struct stream_conf *,
				    const json_t *settings,
				    const char *recordings);
/* The members that stream_plan_new() reads, a new JSON object. */
json_t *stream_plan_write(const struct stream_plan *);
void stream_plan_free(struct stream_plan **);

/* 0, or -E2BIG: the plan does not fit into a message. */
int stream_plan_judge(const struct stream_plan *,
		      struct errmsg *error) MUST_CHECK;

/* True when an input reads this stream. */
bool stream_plan_reads(const struct stream_plan *, const char *stream);

/* Appends the programs of this link that CAMs descramble to n others, each
 * once, up to max; returns their number. */
size_t stream_plan_modules(const struct stream_plan *, const char *link,
			   uint16_t *ret, size_t n, size_t max);

/* The position in `to` of the input that is at position first of `from`; 0: it
 * has no such input, or from is NULL. */
unsigned stream_plan_first(const struct stream_plan *from,
			   const struct stream_plan *to, unsigned first);

/* True when a worker that runs a can also run b.  A changed name alone does not
 * count. */
bool stream_plan_is_same(const struct stream_plan *a,
			 const struct stream_plan *b);
