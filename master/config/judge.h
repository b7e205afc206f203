/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of check: the path that is being judged, and
 * a function for each part of a document. */
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

/* One check: passes each error and warning with its path to found(), and counts
 * the errors.  Is on the stack of the check. */
struct judge {
	check_found_fn *found;
	void *arg;
	unsigned faults;
	char path[CHECK_PATH_MAX];
};

/* Appends a step to the path: ".name" (at the top without dot) or "[i]".
 * judge_up() with the result removes it again. */
size_t judge_down(struct judge *, const char *key);
size_t judge_down_index(struct judge *, size_t i);
void judge_up(struct judge *, size_t mark);

void judge_add(struct judge *, enum check_severity, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Judges an object by a table of fields; writes the values to the struct s,
 * which may be NULL (proto/spec/field.h). */
void judge_fields(struct judge *, const struct field_table *,
		  const json_t *object, void *s);

/* Judges http_keep_active of a stream or of the settings. */
void judge_keep_active(struct judge *, const json_t *object);

/* Judges the section auth of the document. */
void judge_auth(struct judge *, const json_t *document);

/* Judges one entry of users. */
void judge_user(struct judge *, const json_t *user);

/* The places (ports, groups, paths, files) that enabled streams occupy so far,
 * to find conflicts. */
struct judge_outputs {
	/* {place: path of the address that has it}; of a port "0.0.0.0:8100 of
	 * make_stream[3].output[0]". */
	json_t *taken;
	const struct sockaddr_any *control;
	const json_t *settings; /* settings of the document; NULL: none */
	/* Streams that were parsed before; NULL: all streams are judged one
	 * after the other. */
	const struct stream_confs *neighbours;
	const char *self; /* id of a neighbour to ignore; NULL: none */
	size_t before;    /* neighbours from this index on are ignored */
	/* result of the last search among neighbours */
	char other[PLACE_HOLDER_MAX];
};

/* Occupies the places of an address of an enabled stream; a conflict is
 * reported with the address that already has the place. */
void judge_input_place(struct judge *, const struct input_spec *,
		       struct judge_outputs *);
void judge_output_place(struct judge *, const struct output_spec *,
			struct judge_outputs *);

/* Judges one stream, and adds its places to those of its neighbours. */
void judge_stream(struct judge *, const json_t *stream,
		  struct judge_outputs *);

/* Judges the PIDs, numbers and rates that the inputs of an mpts request. */
void judge_mpts(struct judge *, const json_t *stream);

/* Judges the stream:// inputs of a stream, and dvb:// inputs through which it
 * would read itself.  self: id under which the graph has the stream, or an
 * older version of it; NULL: it does not. */
void judge_links(struct judge *, const json_t *stream,
		 const struct link_graph *, const char *self);
/* Judges the streams of nit_other. */
void judge_others(struct judge *, const json_t *stream, const json_t *streams);

/* Judges the ids of a list of adapters or softcams.  consequence: of an error,
 * such as "the adapter does not run". */
void judge_ids(struct judge *, const json_t *document, const char *section,
	       const char *consequence);

/* Judges the list of categories. */
void judge_categories(struct judge *, const json_t *categories);

/* Judges the dvb:// inputs of a stream by the list of adapters. */
void judge_feeds(struct judge *, const json_t *stream, const json_t *adapters);

/* Judges an entry of a list of the document, or a user: reports what a command
 * refuses (errors), and what is stored without effect (warnings).  document:
 * for names in other sections. */
void judge_entry(struct judge *, const char *section, const json_t *entry,
		 const json_t *document);
/* Judges the entries of softcam, cas, dvb_tune, servers and users. */
void judge_entries(struct judge *, const json_t *document);

/* Returns the kind of a stream, which decides what options have no effect:
 * WHERE_SPTS, WHERE_RELAY or WHERE_MUX (proto/spec/field_idle.h), or 0. */
unsigned judge_where(const json_t *stream);
/* Warns of keys without effect in a stream; id: by which others know it. */
void judge_idle_keys(struct judge *, const json_t *stream,
		     const json_t *streams, const char *id);
/* Warns of keys without effect in settings, log and auth. */
void judge_idle_settings(struct judge *, const json_t *document);

/* Judges the name, the number and the texts of a stream, and what it names of
 * the sections cas and categories. */
void judge_names(struct judge *, const json_t *stream, const json_t *document);

/* Judges the softcams that inputs of a stream name, by the list of softcams. */
void judge_cams(struct judge *, const json_t *stream, const json_t *softcams);
