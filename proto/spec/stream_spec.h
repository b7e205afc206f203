/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of a stream object that its worker reads.  The master checks a
 * configuration with the same tables.
 *
 * The tables are FIELD_LOOSE: numbers may be text ("101"), and a key with null
 * or "" counts as absent.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/alarm.h"
#include "proto/spec/remux_options.h"
#include "proto/spec/tables_spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	FILLER_PATH_MAX = 1024,
	BACKUP_DELAY_MAX_S = 24 * 3600,
	TABLE_VERSIONS = 32,
	BACKUP_DELAY_DEFAULT = -1, /* the key of the delay is absent */
	/* most bytes of the JSON of all keys, which one message carries */
	STREAM_OPTIONS_MAX = 16384,
};

enum backup_type {
	BACKUP_ACTIVE, /* the key is absent, "" or "active" */
	BACKUP_STOP,
	BACKUP_PASSIVE,
	BACKUP_DISABLE,
};

/* Kinds of the components of a program. */
enum cas_component {
	CAS_VIDEO,
	CAS_AUDIO,
	CAS_SUBTITLE,
	CAS_TELETEXT,
	CAS_OTHER,
	CAS_COMPONENTS,
};

/* What a stream sends while no input is on air. */
enum filler_kind {
	FILLER_NONE,
	FILLER_STILL, /* a still picture, on the PIDs of the stream */
	FILLER_FILE,  /* the packets of the file filler_path */
};

/* How an mpts chooses PIDs and service numbers. */
enum pid_mode {
	PID_MODE_MAP,  /* each input has a block of numbers (pid_base) */
	PID_MODE_KEEP, /* a number of the source is kept; if another input has
			* it, it is replaced by a number of the block */
};

enum { MUX_DELAY_MIN_MS = 50, MUX_DELAY_MAX_MS = 800, MUX_DELAY_MS = 400 };

struct stream_spec {
	struct remux_options remux; /* the keys of the stream, without the
				     * options of its inputs */

	enum backup_type backup;
	/* In seconds; BACKUP_DELAY_DEFAULT: the key is absent. */
	int backup_start_delay_s;
	int backup_return_delay_s;
	int backup_initial_delay_s;
	int backup_damping_s; /* half-life of the penalty */
	alarm_set backup_on; /* an input with one of these alarms is off air */
	bool backup_force_return; /* true by default */
	unsigned cc_limit; /* of the inputs with CC_LIMIT_DEFAULT */

	/* components that are scrambled: a bit for each enum cas_component */
	unsigned cas_components;

	enum filler_kind filler;
	char filler_path[FILLER_PATH_MAX];

	struct tables_spec tables;
	/* The next four members are for an mpts of several inputs. */
	unsigned mux_kbps; /* the key bitrate; 0: absent */
	unsigned mux_delay_ms;
	enum pid_mode pid_mode;
	uint16_t tsid;

	/* version_number with which a table begins, 0 to 31 */
	uint8_t pat_version, pmt_version, cat_version, sdt_version,
		nit_version;
};

/* The keys of a stream object that its worker reads, and those with which the
 * worker continues the version numbers of tables. */
extern const struct field_table stream_option_fields, stream_version_fields;

/* Sets every key to its default. */
void stream_spec_init(struct stream_spec *);

/* Reads all keys of a stream object (NULL: none).  0, or -EINVAL with the error
 * of the first wrong value.  Always writes *ret: a wrong value counts as if its
 * key were absent. */
int stream_spec_parse(const json_t *stream, struct stream_spec *ret,
		      struct errmsg *error) MUST_CHECK;

/* The transport_stream_id that a stream sends; 0: that of its source.  A stream
 * with the key bitrate counts as a multiplex of several inputs. */
uint16_t stream_spec_tsid(const struct stream_spec *);

/* A service as other streams list it (nit_other); borrows its texts. */
struct listed_service {
	uint16_t pnr, lcn;
	uint8_t type; /* service_type, never 0 */
	const char *name, *provider;
};

/* Writes the service at a place (from 0) to *ret: an entry of `sdt'.  Without
 * `sdt', the service is the program of set_pnr with the names of the stream.
 * False: the place has no service. */
bool stream_spec_service(const struct stream_spec *, size_t place,
			 struct listed_service *ret);

/* Does the stream send own TDT and TOT? */
bool stream_spec_has_clock(const json_t *stream);

/* A new object with only those keys of the stream that stream_option_fields and
 * stream_version_fields have. */
json_t *stream_spec_pick(const json_t *stream);

/* Copies the keys with FIELD_SETTING from settings (may be NULL) into an
 * object of stream_spec_pick() that does not have them. */
void stream_spec_add_defaults(json_t *options, const json_t *settings);

/* Have two objects of stream_spec_pick() the same options?  The keys of
 * versions are not compared, because they only matter at the start of a stream.
 * A key with FIELD_SETTING is not compared if it has no effect (where: bits of
 * enum where). */
bool stream_spec_is_same(const json_t *a, const json_t *b, unsigned where);
