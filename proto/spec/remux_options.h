/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options that change a transport stream: programs, PIDs, numbers, tables
 * and names.
 *
 * The same struct holds the options of an input's address and the keys of a
 * stream object; remux_options_overlay() joins them.  Plain data; with zeroed
 * memory the remux changes nothing.
 *
 * PIDs and program numbers are those of the source, except pid_map.pid,
 * set_pnr, pid_base, cue_pid and those in `edits'.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/desc_edit.h"
#include "proto/spec/field.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PID_COUNT = 8192,
	MAP_PID_MIN = 32,
	MAP_PID_MAX = 8190,
	/* The default of pid_block.  The block of an input begins at its
	 * position times this number. */
	PID_BLOCK_DEFAULT = 100,
	PRIORITY_DEFAULT = 100,
	REMUX_MAPS_MAX = 64,
	REMUX_LANGUAGES_MAX = 32,
	REMUX_ORDER_MAX = 64,
	SERVICE_TEXT_MAX = 250, /* bytes of UTF-8 */
	HBBTV_URL_MAX = 240,
};

struct pid_set {
	bool given; /* false: the option is absent */
	uint64_t words[PID_COUNT / 64];
};

static inline bool pid_set_has(const struct pid_set *s, uint16_t pid)
{
	return s->words[pid >> 6 & (PID_COUNT / 64 - 1)] >> (pid & 63) & 1;
}

static inline void pid_set_add(struct pid_set *s, uint16_t pid)
{
	s->given = true;
	s->words[pid >> 6 & (PID_COUNT / 64 - 1)] |= UINT64_C(1) << (pid & 63);
}

/* The left side of a map: which PIDs of the source it renumbers. */
enum map_what {
	MAP_PID,      /* the PID source_pid */
	MAP_PMT,
	MAP_PCR,      /* a PCR PID that carries no component */
	MAP_VIDEO,
	MAP_AUDIO,
	MAP_AC3,
	MAP_AAC,
	MAP_SUBTITLE,
	MAP_TELETEXT,
	MAP_AIT,
	MAP_LANGUAGE, /* any component of this language */
};

/* A map of PIDs.  If several maps have the same left side, the n-th map is for
 * the n-th PID that matches. */
struct pid_map {
	enum map_what what;
	uint16_t source_pid;
	char language[4]; /* three letters of ISO 639-2; "": any language */
	uint16_t pid;     /* PID in the output */
};

struct pid_language {
	uint16_t pid;
	char language[4];
};

enum table_rule { TABLE_DEFAULT, TABLE_PASS, TABLE_DROP };

/* What an mpts sends in place of an input that is silent. */
enum absent_kind {
	ABSENT_NONE,   /* nothing; its services stay in the tables */
	ABSENT_STILL,  /* the last picture of its services */
	ABSENT_FILE,   /* the packets of the file absent_path */
	ABSENT_REMOVE, /* nothing; after absent_s seconds the tables do not list
			* its services any more */
};

enum { ABSENT_PATH_MAX = 256, ABSENT_MAX_S = 24 * 3600 };

struct remux_options {
	uint16_t pnr;     /* number of the program to keep; 0: all programs */
	uint16_t set_pnr; /* program number in the output; 0: unchanged */
	uint16_t set_tsid; /* transport stream id in the output; 0: unchanged */
	uint16_t set_pcr_pid; /* 0: unchanged */

	struct pid_set drop;    /* option filter: PIDs to remove */
	struct pid_set keep;    /* option filter~; not given: all PIDs */
	struct pid_set drop_ca; /* option filter_em */

	size_t n_order;
	uint16_t order[REMUX_ORDER_MAX];
	size_t n_languages;
	struct pid_language languages[REMUX_LANGUAGES_MAX];
	size_t n_maps;
	struct pid_map maps[REMUX_MAPS_MAX];

	enum table_rule sdt, eit, nit, cat, tdt, tot;
	bool pass_data;
	bool pass_ca; /* option cas */

	/* For an input of an mpts.  pid_base: first PID and service number of
	 * the input, 0: by its position; pid_block: how many PIDs and service
	 * numbers it has, 0: the default. */
	uint16_t pid_base, pid_block;
	uint8_t priority; /* the input with the lowest one is stopped first */
	uint32_t rate_min, rate_max; /* kbit/s; 0: no such bound */
	enum absent_kind absent;
	unsigned absent_s;
	char absent_path[ABSENT_PATH_MAX];

	/* keys of the stream */
	char service_name[SERVICE_TEXT_MAX + 1];
	char service_provider[SERVICE_TEXT_MAX + 1];
	uint8_t service_type; /* 0: unchanged */
	uint8_t textcode;     /* 0: ISO 6937, n: ISO 8859-n, 21: UTF-8 */
	uint16_t cue_pid; /* PID for splice commands of the operator; 0: none */
	char hbbtv_url[HBBTV_URL_MAX + 1];
	size_t n_edits;
	struct desc_edit edits[DESC_EDITS_MAX];
};

/* True if an option is set that changes a stream of one input.  The options
 * that have an effect only in an mpts do not count. */
bool remux_options_given(const struct remux_options *);

/* The options of an input's address. */
extern const struct field_table remux_fields;

/* Reads a list of PIDs, "101,102", into a pid_set; for keys of the stream. */
extern const struct field_hook remux_pids_hook;

/* Adds maps such as "pmt=100, video=101"; 0 or -EINVAL. */
int remux_maps_read(struct remux_options *, const char *text,
		    struct errmsg *error) MUST_CHECK;

/* Adds PIDs such as "101,102" to the set; 0 or -EINVAL. */
int pid_set_read(struct pid_set *, const char *text,
		 struct errmsg *error) MUST_CHECK;

/*
 * Adds the options of the stream to those of its input.  If the stream has
 * set_pnr, set_tsid or filter~, they replace those of the input.  The PIDs of
 * filter are added.  The maps of the stream precede those of the input.  The
 * members from service_name on are always those of the stream.
 */
void remux_options_overlay(struct remux_options *input,
			   const struct remux_options *stream);
