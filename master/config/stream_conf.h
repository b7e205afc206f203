/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams of the configuration with every address parsed once.
 *
 * The configuration owns a struct stream_conf for each stream, and parses only
 * changed streams; checks, status and supervision borrow it.  A stream object
 * is never changed in place, so the same object is not parsed again.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "master/config/check.h"
#include "proto/spec/io_spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { INPUT_CONF_PIDS = 2 };

/* The part of an address that the master needs; the worker reads all
 * options. */
struct input_conf {
	const char *address; /* NULL: it is not a string */
	/* the address has no error; else ignore the members below */
	bool is_valid;
	bool is_ipv6;
	enum input_kind kind;
	bool list;           /* the input plays a list of files */
	char *id;            /* option id; NULL: none */
	/* link of the stream or adapter that it reads; NULL: none */
	char *stream;
	uint16_t pnr;        /* only this program is received; 0: all */
	/* PIDs that the options name; 0: none */
	uint16_t pids[INPUT_CONF_PIDS];
	bool emms;           /* the input needs the EMMs of all CA systems */
	struct cam_list *cams; /* softcams that the input names; NULL: none */
	bool module; /* the CAM of the adapter descrambles the program pnr */
};

struct output_conf {
	const char *address;
	bool is_valid;
	enum output_kind kind;
	char *path; /* path of an http or file output; NULL: other types */
	/* The members from here on are only for http. */
	bool tls;
	struct sockaddr_any listen;
	unsigned buffer_size_kib, buffer_fill_kib;
	unsigned hls; /* segments of the playlist; 0: no HLS */
	bool fmp4;    /* the segments are fMP4 */
	bool no_auth;
};

struct stream_conf {
	const json_t *stream; /* owned reference */
	const char *id;       /* id of the stream; "": none */
	bool is_enabled;
	size_t n_inputs;
	struct input_conf *inputs;
	size_t n_outputs;
	struct output_conf *outputs;
	/* Places that it occupies while it is enabled: {place: path of the
	 * address, such as "output[0]"}; of a port: the listening address and
	 * that path. */
	json_t *places;
};

/* Parses a stream object; never fails. */
struct stream_conf *stream_conf_new(const json_t *stream);
void stream_conf_free(struct stream_conf **);

struct stream_confs;

struct stream_confs *stream_confs_new(void);
void stream_confs_free(struct stream_confs **);

/* Replaces the list by that of the configuration (NULL: none); parses only new
 * objects. */
void stream_confs_set(struct stream_confs *, const json_t *streams);

/* Returns the parsed stream of this object; NULL: it is not in the list. */
const struct stream_conf *stream_confs_get(const struct stream_confs *,
					   const json_t *stream);

/* Text between a listening address and the path of its input or output. */
#define PLACE_OF " of "
enum { PLACE_HOLDER_MAX = CHECK_PATH_MAX + SOCKADDR_TEXT_MAX + 8 };

/* A search for a place among the enabled streams. */
struct place_query {
	const char *place;
	const char *but;  /* id of a stream to ignore; NULL: none */
	size_t before;    /* streams from this index on are ignored */
};

/* True: the place is taken.  *ret is the path of the address that has it,
 * "make_stream[3].output[0]"; for a port, its listening address comes first:
 * "0.0.0.0:8100 of make_stream[3].output[0]". */
bool stream_confs_find_place(const struct stream_confs *,
			     const struct place_query *,
			     char ret[PLACE_HOLDER_MAX]);
