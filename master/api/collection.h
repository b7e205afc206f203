/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The set-* commands of lists and maps of the configuration.
 *
 * A list is a row: where its entries are, how a request names one, and hooks
 * for its own rules.  The engine reads and judges the request, stores the
 * entry, announces it to event clients, changes the streams that refer to it,
 * and answers.  Nothing changes before the whole request was judged.
 */
#pragma once

#include "common/base/util.h"
#include "master/api/edit.h"
#include "master/api/stream_refs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct edit;
struct field_table;

/* The way in which a request names an entry, and the place of a replaced
 * entry. */
enum collection_key {
	COLLECTION_OBJECTS, /* id, made when absent; the place stays */
	COLLECTION_ENTRIES, /* id; a replaced entry moves to the end */
	COLLECTION_PLACES,  /* position in the list */
	COLLECTION_LOGINS,  /* key of a map */
};

struct collection {
	const char *command; /* names the reply and the event */
	const char *section; /* member of the configuration */
	const char *member;  /* member of the request and of the event */
	enum collection_key key;
	bool vanishes; /* an empty list is removed from the configuration */

	/* The fields of an entry (master/config/config_fields.h); NULL: they
	 * are not judged.  COLLECTION_ENTRIES: a request without a required
	 * field gets no answer. */
	const struct field_table *fields;

	/* Every hook but read may be NULL.  Those that return a bool return
	 * false after a reply. */

	/* Fills id, wanted, remove, gid, place and, if the request has it,
	 * before.  NULL: by id. */
	bool (*read)(struct edit *);
	/* Judges and completes the entry, whose id is judged already. */
	bool (*judge)(struct edit *);
	/* Judges the removal of an entry. */
	bool (*judge_removal)(struct edit *);
	/* After the change was stored, before it is announced. */
	void (*apply)(struct edit *);
	/* Instead of the usual event. */
	void (*announce)(struct edit *);
	/* Changes a stream that refers to the replaced or removed entry; arg
	 * is the struct edit. */
	stream_refs_fn *refers;
	/* At the end; may add to the reply. */
	void (*finish)(struct edit *);
	/* With dry_run, instead of all hooks behind judge: adds the effects on
	 * streams, but for those that `refers' changes, and adds to the
	 * reply. */
	void (*foresee)(struct edit *, json_t *effects);
};

/* A request in progress; hooks may read every field. */
struct edit {
	const struct collection *of;
	struct api *api;
	const json_t *request; /* borrowed; with COLLECTION_LOGINS it may be
				* NULL */
	struct reply *reply;
	const char *id;        /* id in the request, or NULL */
	const json_t *wanted;  /* entry in the request, or NULL */
	bool remove;
	json_int_t gid;        /* gid in the request, or -1 */
	json_int_t next_gid;   /* counter after new ids, or -1 */
	size_t place;          /* position; length of the list: new */
	size_t before;         /* position of a new one; SIZE_MAX: the last */
	json_t *old;           /* owned: the stored entry, or NULL */
	json_t *entry;         /* owned: its replacement; NULL: a removal */
	void *arg;             /* for the hooks */
};

/* Carries out a request, to its reply. */
void collection_set(const struct collection *, struct api *,
		    const json_t *request, struct reply *, void *arg);

/* The second half of collection_set(): stores and announces a change that the
 * caller has judged. */
void collection_store(struct edit *);
