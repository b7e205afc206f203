/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams as they are configured, with every address parsed once.
 *
 * The configuration owns one of them for each stream, and reads only changed
 * streams; checks, status and supervision borrow it.  A stream object is never
 * changed in place, so the same object needs no second reading.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "master/config/check.h"
#include "proto/spec/io_spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The master's part of an address; its worker reads all options. */
enum { INPUT_CONF_PIDS = 2 };

struct input_conf {
	const char *address; /* NULL: not a string */
	bool is_valid;       /* the members below count */
	bool is_ipv6;
	enum input_kind kind;
	bool list;           /* of files */
	char *id;            /* option id, or NULL */
	char *stream;        /* the stream that it reads, or NULL */
	uint16_t pnr;        /* the only program that it takes; 0: all */
	/* PIDs of its multiplex that it names; 0: none */
	uint16_t pids[INPUT_CONF_PIDS];
	bool emms;           /* needs EMMs that no PMT leads to */
	struct cam_list *cams; /* softcams, or NULL */
	bool module;         /* the CAM of its adapter descrambles pnr */
};

struct output_conf {
	const char *address;
	bool is_valid;
	enum output_kind kind;
	char *path; /* of http and file; or NULL */
	/* only for http */
	bool tls;
	struct sockaddr_any listen;
	unsigned buffer_size_kib, buffer_fill_kib;
	unsigned hls; /* segments of its playlist; 0: no HLS */
	bool fmp4;    /* these are fMP4 */
	bool no_auth;
};

struct stream_conf {
	const json_t *stream; /* owned reference */
	const char *id;       /* "": it has none */
	bool is_enabled;
	size_t n_inputs;
	struct input_conf *inputs;
	size_t n_outputs;
	struct output_conf *outputs;
	/* the places that it occupies while it is enabled: a place -> the path
	 * of the address, "output[0]"; a port -> the listening address */
	json_t *places;
};

/* Reads a stream object; never fails. */
struct stream_conf *stream_conf_new(const json_t *stream);
void stream_conf_free(struct stream_conf **);

struct stream_confs;

struct stream_confs *stream_confs_new(void);
void stream_confs_free(struct stream_confs **);

/* Replaces the list by that of the configuration (NULL: none); reads the new
 * streams. */
void stream_confs_set(struct stream_confs *, const json_t *streams);

/* The stream that this object describes, or NULL. */
const struct stream_conf *stream_confs_get(const struct stream_confs *,
					   const json_t *stream);

/* Between a listening address and the path of its input or output. */
#define PLACE_OF " of "
enum { PLACE_HOLDER_MAX = CHECK_PATH_MAX + SOCKADDR_TEXT_MAX + 8 };

/* A place, and the streams whose places count. */
struct place_query {
	const char *place;
	const char *but;  /* id of a stream to skip; NULL: none */
	size_t before;    /* only streams above this position count */
};

/* True when the place is taken.  *ret is the path of the address that has it,
 * "make_stream[3].output[0]"; for a port the listening address precedes it,
 * "0.0.0.0:8100 of make_stream[3].output[0]". */
bool stream_confs_find_place(const struct stream_confs *,
			     const struct place_query *,
			     char ret[PLACE_HOLDER_MAX]);
