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

struct link_graph;
struct stream_confs;

enum check_severity {
	CHECK_WARNING, /* is kept and used as it is */
	CHECK_FAULT,   /* no reload takes it; a start does, but for a stream */
	CHECK_FATAL,   /* the document cannot be used at all */
};

enum {
	CHECK_PATH_MAX = 256,
	CONTROL_PATH_MAX = 200, /* bytes */
	CONTROL_PORT_DEFAULT = 8000,
	/* RFC 3376, 8.5: a querier without a query for 255 s has gone. */
	QUERIER_TIMEOUT_S = 260,
	QUERIER_TIMEOUT_MAX_S = 3600,
	EPG_SERVICES = 1000, /* default of epg_services */
	EPG_MEMORY_MIB = 64, /* and of epg_memory */
};

/* path: "make_stream[3].output[0]"; text: "port: 70000 is not a port".
 * Both are borrowed for the call. */
typedef void check_found_fn(enum check_severity, const char *path,
			    const char *text, void *arg);

/* The whole document; control is the address of the control server, NULL: the
 * one in the settings.  Returns the number of faults, without warnings. */
unsigned check_document(const json_t *document,
			const struct sockaddr_any *control,
			check_found_fn *found, void *arg);

/* A check_found_fn: keeps the first fault that is not inside such an entry; arg
 * is a struct errmsg that was "". */
void check_keep_error(enum check_severity, const char *path, const char *text,
		      void *arg);

/* Checks a member of the document before it is stored under key: 0, or -EINVAL
 * with the first fault.  Faults inside a stream, an adapter, a softcam or a
 * category do not count: it is stored, and not started if it cannot run. */
int check_section(const char *key, const json_t *value,
		  struct errmsg *error) MUST_CHECK;

struct check_place {
	const char *path;       /* path of the stream: "make_stream[3]" */
	const json_t *document; /* with the other streams, or NULL */
	/* The streams of the document (stream_conf.h); NULL: they are read
	 * for this check. */
	const struct stream_confs *neighbours;
	/* Its streams and adapters (link_graph.h); NULL: the same. */
	const struct link_graph *links;
	const char *self;       /* id of the stream in document; NULL: new */
	const struct sockaddr_any *control; /* address of the control
					     * server; NULL: unknown */
};

/* Checks a stream object, alone and against the enabled streams of document.
 * Returns the number of faults. */
unsigned check_stream(const json_t *stream, const struct check_place *,
		      check_found_fn *found, void *arg);

/* The stream at position i of the document as check_document() judges it,
 * against the streams above it, without a look at their ids.  place has
 * neighbours and links, but no path and no self. */
unsigned check_stream_at(size_t i, const struct check_place *,
			 check_found_fn *found, void *arg);

struct check_entry {
	const char *section; /* of config_sections[] (config_fields.h) */
	const char *path;    /* of the entry: "softcam" */
	const json_t *entry;
	const json_t *document; /* with the sections that it names */
};

/* Reports what an entry stores and does not use, as check_document() does: only
 * warnings. */
void check_entry(const struct check_entry *, check_found_fn *found, void *arg);

/* Why a stream without faults still cannot run ("input: is empty"), or false
 * when it can. */
bool check_stream_idle(const json_t *stream, struct errmsg *ret);

/* The keys of a user that have no effect while the document lets viewers watch
 * without authorization, as a warning; false: none. */
bool check_user_idle(const json_t *user, const json_t *document,
		     struct errmsg *ret);

#define CHECK_OBSERVERS_PATH "settings.observer_redact"
/* True with the warning at this path if there are enabled observers and nothing
 * hides the secrets of other hosts from them. */
bool check_observers(const json_t *document, struct errmsg *ret);

/* True if the document requires the authorization of viewers.  This version
 * has none: check_document() reports a fault, and http outputs stay closed. */
bool check_closes_viewers(const json_t *document);

/* 1 to 64 characters of A-Z a-z 0-9 _ . - */
bool check_id(const char *id);

/* "8000" or "<address>:<port>", IPv6 in brackets. */
int check_control_port(const char *text, struct sockaddr_any *ret,
		       struct errmsg *error) MUST_CHECK;
