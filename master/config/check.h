/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges a configuration, whole or a stream of it, and names every fault by
 * its path.  Pure: looks at JSON, changes and opens nothing.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct stream_confs;

enum check_severity {
	CHECK_WARNING, /* is kept and used as it is; worth a line */
	CHECK_FAULT,   /* the stream it belongs to is not started */
	CHECK_FATAL,   /* the document cannot be used at all */
};

enum {
	CHECK_PATH_MAX = 256,
	/* RFC 3376, 8.5: who has not asked for 255 s is gone. */
	QUERIER_TIMEOUT_S = 260,
	QUERIER_TIMEOUT_MAX_S = 3600,
};

/* path: "make_stream[3].output[0]"; text: "port: 70000 is not a port".
 * Both are borrowed for the call. */
typedef void check_found_fn(enum check_severity, const char *path,
			    const char *text, void *arg);

/* The whole document; control is where the control server listens, NULL for
 * what the settings say.  Returns how many faults, warnings not counted. */
unsigned check_document(const json_t *document,
			const struct sockaddr_any *control,
			check_found_fn *found, void *arg);

/* One member of the document, before it is stored under key: 0, or -EINVAL with
 * the first fault.  Faults inside a stream do not count: it is not run. */
int check_section(const char *key, const json_t *value,
		  struct errmsg *why) MUST_CHECK;

struct check_place {
	const char *path;       /* of the stream: "stream", "make_stream[3]" */
	const json_t *document; /* that it belongs to, or NULL */
	/* The streams of the document (stream_conf.h); NULL: they are read
	 * for this check. */
	const struct stream_confs *neighbours;
	const char *self;       /* the id it has there now; NULL when new */
	const struct sockaddr_any *control; /* of the control server, or NULL */
};

/* One stream object, alone and against the enabled streams of the document.
 * Returns how many faults. */
unsigned check_stream(const json_t *stream, const struct check_place *,
		      check_found_fn *found, void *arg);

/* The stream at position i of the document as check_document() judges it,
 * against those above it, but for an id that one of them has.  place has no
 * path and no self. */
unsigned check_stream_at(size_t i, const struct check_place *,
			 check_found_fn *found, void *arg);

/* Why a stream without faults still cannot run ("input: is empty"), or false
 * when it can. */
bool check_stream_idle(const json_t *stream, struct errmsg *ret);

/* 1 to 64 characters of A-Z a-z 0-9 _ . - */
bool check_id(const char *id);

/* "8000" or "<address>:<port>", IPv6 in brackets. */
int check_control_port(const char *text, struct sockaddr_any *ret,
		       struct errmsg *why) MUST_CHECK;
