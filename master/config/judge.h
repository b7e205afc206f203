/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of check: the place in the document that is judged, and
 * the judgements of its parts. */
#pragma once

#include "common/base/util.h"
#include "master/config/check.h"
#include "master/config/stream_conf.h"
#include "proto/spec/field.h"

#include <jansson.h>
#include <stdbool.h>

struct input_spec;
struct link_graph;
struct output_spec;

/* Collects errors and warnings; on the stack of one check. */
struct judge {
	check_found_fn *found;
	void *arg;
	unsigned faults;
	char path[CHECK_PATH_MAX];
};

/* Goes one step down: ".name" (no dot at the top) or "[i]".  judge_up() with
 * the result returns. */
size_t judge_down(struct judge *, const char *key);
size_t judge_down_index(struct judge *, size_t i);
void judge_up(struct judge *, size_t mark);

void judge_add(struct judge *, enum check_severity, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Judges the fields of a table; takes their values into the struct s, which may
 * be NULL (proto/spec/field.h). */
void judge_fields(struct judge *, const struct field_table *,
		  const json_t *object, void *s);

/* Judges http_keep_active of a stream or of the settings. */
void judge_keep_active(struct judge *, const json_t *object);

/* Judges the section auth of the document. */
void judge_auth(struct judge *, const json_t *document);

/* Judges one entry of users. */
void judge_user(struct judge *, const json_t *user);

/* The places that enabled streams occupy so far, to find conflicts. */
struct judge_outputs {
	/* A place -> the path of the address that has it; of a port
	 * "0.0.0.0:8100 of make_stream[3].output[0]". */
	json_t *taken;
	const struct sockaddr_any *control;
	const json_t *settings; /* the document's; NULL: there are none */
	/* Streams that were read before; NULL: all are judged in turn. */
	const struct stream_confs *neighbours;
	const char *self; /* the id that does not count, or NULL */
	size_t before;    /* only those above this position count */
	char other[PLACE_HOLDER_MAX];
};

/* Occupies the places of an address of an enabled stream; a finding names the
 * address that has a place already. */
void judge_input_place(struct judge *, const struct input_spec *,
		       struct judge_outputs *);
void judge_output_place(struct judge *, const struct output_spec *,
			struct judge_outputs *);

/* Judges one stream; its outputs join those of its neighbours. */
void judge_stream(struct judge *, const json_t *stream,
		  struct judge_outputs *);

/* Judges the PIDs and numbers that the inputs of an mpts demand. */
void judge_mpts(struct judge *, const json_t *stream);

/* Judges its stream:// inputs, and dvb:// inputs that lead back to it.  The
 * graph may contain the stream, or an older version of it, by the id `self';
 * NULL: by none. */
void judge_links(struct judge *, const json_t *stream,
		 const struct link_graph *, const char *self);
/* The streams of nit_other. */
void judge_others(struct judge *, const json_t *stream, const json_t *streams);

/* Judges the ids of a list of adapters or softcams; consequence: of an error,
 * "the adapter is not run". */
void judge_ids(struct judge *, const json_t *document, const char *section,
	       const char *consequence);

/* Judges the list of categories. */
void judge_categories(struct judge *, const json_t *categories);

/* Judges its dvb:// inputs by the list of adapters. */
void judge_feeds(struct judge *, const json_t *stream, const json_t *adapters);

/* Judges an entry of a list of the document, and of users: what a command that
 * stores it refuses, and what it stores and does not use.  document: for names
 * in other sections. */
void judge_entry(struct judge *, const char *section, const json_t *entry,
		 const json_t *document);
/* Judges all those. */
void judge_entries(struct judge *, const json_t *document);

/* Where a stream is, for options without effect: one of WHERE_SPTS, WHERE_RELAY
 * and WHERE_MUX (proto/spec/field_idle.h), or 0. */
unsigned judge_where(const json_t *stream);
/* Judges keys without effect: of a stream, which others know by this id, and of
 * settings, log and auth. */
void judge_idle_keys(struct judge *, const json_t *stream,
		     const json_t *streams, const char *id);
void judge_idle_settings(struct judge *, const json_t *document);

/* Judges what it names in the sections cas and categories of the document. */
void judge_names(struct judge *, const json_t *stream, const json_t *document);

/* Judges the softcams that its inputs name, by the list of softcams. */
void judge_cams(struct judge *, const json_t *stream, const json_t *softcams);
