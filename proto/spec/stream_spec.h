/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the keys of a stream object ask of its worker: one reading for the
 * master, which judges a configuration, and for the worker.
 *
 * Values are what user interfaces store: numbers may be text ("101"), and
 * null or "" is as if the key were absent.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/remux_options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	FILLER_PATH_MAX = 1024,
	BACKUP_DELAY_MAX_S = 24 * 3600,
	TABLE_VERSIONS = 32,
	BACKUP_DELAY_DEFAULT = -1, /* not given */
	/* bytes of all keys together, as JSON: they travel in one message */
	STREAM_OPTIONS_MAX = 16384,
};

enum backup_type {
	BACKUP_ACTIVE, /* "" or "active" */
	BACKUP_STOP,
	BACKUP_PASSIVE,
	BACKUP_DISABLE,
};

/* What is sent while no input is good. */
enum filler_kind {
	FILLER_NONE,
	FILLER_STILL, /* made by us, in the layout of the stream */
	FILLER_FILE,  /* filler_path */
};

struct stream_spec {
	struct remux_options remux; /* of the stream alone */

	enum backup_type backup;
	int backup_start_delay_s;  /* or BACKUP_DELAY_DEFAULT */
	int backup_return_delay_s; /* or BACKUP_DELAY_DEFAULT */
	int backup_initial_delay_s; /* or BACKUP_DELAY_DEFAULT */
	int backup_damping_s; /* half-life; or BACKUP_DELAY_DEFAULT */
	uint32_t backup_on; /* alarms with which an input is off air */
	bool backup_force_return; /* true when not given */
	unsigned cc_limit; /* of inputs that have none of their own */

	enum filler_kind filler;
	char filler_path[FILLER_PATH_MAX];

	/* where the count of a table begins, modulo 32 */
	uint8_t pat_version, pmt_version, cat_version, sdt_version,
		nit_version;
};

/* The keys read here, in order, but for the counters of versions; n of them.
 */
size_t stream_spec_keys(const char *const **ret);

/* Nothing asked for. */
void stream_spec_init(struct stream_spec *);

/* Takes one key's value (may be NULL); 0, or -EINVAL with why, which lacks
 * the name of the key: "video: 9 is not between 32 and 8190". */
int stream_spec_read(struct stream_spec *, const char *key,
		     const json_t *value, struct errmsg *why) MUST_CHECK;

/* All keys of a stream object (NULL: none).  Always writes *ret: a value
 * without a meaning is left out; the return and why are those of the first. */
int stream_spec_parse(const json_t *stream, struct stream_spec *ret,
		      struct errmsg *why) MUST_CHECK;

/* A new object with the keys that are read here and nothing else. */
json_t *stream_spec_pick(const json_t *stream);

/* Those of them that the settings may have, for all streams that do not say
 * otherwise; n of them. */
size_t stream_spec_default_keys(const char *const **ret);

/* Puts them (settings may be NULL) where an object of stream_spec_pick() says
 * nothing. */
void stream_spec_add_defaults(json_t *options, const json_t *settings);

/* Do two objects of stream_spec_pick() ask for the same?  Versions do not
 * count: they only say where a new count begins. */
bool stream_spec_is_same(const json_t *a, const json_t *b);
