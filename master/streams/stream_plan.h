/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Translates the configuration of one stream into the start message of the
 * worker, the size of the ring and the paths of its http outputs.  Pure.
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
	unsigned position; /* position of the output in its list, from 1 */
	struct sockaddr_any listen;
	bool tls;
	bool no_auth;
	char *path;
	unsigned hls; /* segments of the playlist; 0: path is a TS, not HLS */
	bool fmp4;    /* the segments are fMP4 */
	/* KiB of past packets that a new viewer gets at once */
	unsigned fill_kib;
};

/* The streams and adapters that inputs read, each once.  The name of an adapter
 * begins with IO_ADAPTER. */
struct stream_links {
	size_t n;
	char ids[MSG_INPUTS_MAX][IO_LINK_MAX + 1];
};

/* A program that the CAM of an adapter shall descramble. */
struct plan_module {
	uint16_t link; /* the adapter: its index in stream_links */
	uint16_t pnr;  /* 0: all programs */
};

/* The programs that inputs read from streams and adapters. */
struct plan_programs {
	size_t n;
	struct {
		uint16_t link; /* index in stream_links */
		uint16_t pnr;  /* 0: all programs */
		uint16_t pids[INPUT_CONF_PIDS]; /* further PIDs; 0: none */
		bool emms; /* the input needs the EMMs of all CA systems */
	} list[MSG_INPUTS_MAX];
};

struct stream_plan {
	json_t *source; /* object of the stream; owns the strings of the plan */
	json_t *options; /* the members of source that are in stream_spec.h */
	bool enable;
	struct msg_stream_start start;
	size_t n_http;
	struct plan_http *http;
	size_t ring_size; /* bytes; 0: no ring */
	const json_t *cas_list; /* member of source; NULL: none, or empty */
	bool clock; /* the worker sends a TDT or TOT from the system clock */
	bool net; /* an input or output needs sluice-worker-net */
	/* the sandbox of the worker permits files of inputs and outputs */
	bool files;
	/* If files: the file of the private key, which the sandbox must not
	 * permit; "": none. */
	char *key;
	/* Folders of recordings (WORKER_RECORDINGS_VARIABLE) if an input plays
	 * a list; else "". */
	char *recordings;
	/* the streams and adapters that its inputs read */
	struct stream_links links;
	size_t n_modules;
	struct plan_module modules[MSG_INPUTS_MAX];
	struct plan_programs programs;
	/* the softcams that its inputs name, each once */
	size_t n_cams;
	char cams[SOFTCAM_USES_MAX][CAM_ID_MAX + 1];
};

/* Makes the plan of a stream.  id is borrowed and must outlive the plan.
 * settings has the defaults of all streams; recordings is SPAWN_RECORDINGS;
 * both may be NULL. */
struct stream_plan *stream_plan_new(const char *id, const struct stream_conf *,
				    const json_t *settings,
				    const char *recordings);
/* Returns a JSON object from which stream_plan_new() makes the same plan, a new
 * reference. */
json_t *stream_plan_write(const struct stream_plan *);
void stream_plan_free(struct stream_plan **);

/* Returns 0, or -E2BIG with error: the plan does not fit into a message. */
int stream_plan_judge(const struct stream_plan *,
		      struct errmsg *error) MUST_CHECK;

/* True: an input reads the stream or adapter with this link. */
bool stream_plan_reads(const struct stream_plan *, const char *stream);

/* Appends the programs of this adapter that its CAM descrambles to the n
 * programs in ret, each once, up to max; returns the new number. */
size_t stream_plan_modules(const struct stream_plan *, const char *link,
			   uint16_t *ret, size_t n, size_t max);

/* Returns the position in `to` of the input that has position first in `from`;
 * 0: `to` does not have it, or from is NULL. */
unsigned stream_plan_first(const struct stream_plan *from,
			   const struct stream_plan *to, unsigned first);

/* True: both plans start the same worker, so a worker that runs a can stay for
 * b.  The name is not compared. */
bool stream_plan_is_same(const struct stream_plan *a,
			 const struct stream_plan *b);
