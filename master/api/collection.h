/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The set-* commands of lists and maps of the configuration.
 *
 * Each list has a struct collection: where its entries are, how a request names
 * an entry, and hooks for its own rules.  collection_set() reads and judges the
 * request, stores the entry, announces it to event clients, changes the streams
 * that refer to it, and answers.  Nothing changes before the whole request was
 * judged.
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

/* How a request names an entry, and where a replaced entry is stored. */
enum collection_key {
	/* by its id; a new entry without an id gets one; a replaced entry keeps
	 * its index */
	COLLECTION_OBJECTS,
	/* by its id; a replaced entry moves to the end of the list */
	COLLECTION_ENTRIES,
	COLLECTION_PLACES,  /* by its index in the list */
	COLLECTION_LOGINS,  /* by its key in a map */
};

struct collection {
	/* name of the command; also used in the reply and the event */
	const char *command;
	/* member of the configuration that has the entries */
	const char *section;
	/* name of the member with the entry in the request and the event */
	const char *member;
	enum collection_key key;
	bool vanishes; /* an empty list is removed from the configuration */

	/* The fields of an entry (master/config/config_fields.h); NULL: not
	 * judged.  COLLECTION_ENTRIES: a request without a required field gets
	 * no answer. */
	const struct field_table *fields;

	/* Every hook may be NULL.  A hook that returns a bool returns false if
	 * the reply already has an error. */

	/* Reads the request into the members id, wanted, remove, gid, place and
	 * before.  NULL: collection.c does so for entries with an id. */
	bool (*read)(struct edit *);
	/* Judges and completes the new entry, whose id was judged before. */
	bool (*judge)(struct edit *);
	/* Judges the removal of an entry. */
	bool (*judge_removal)(struct edit *);
	/* Called after the change was stored, before it is announced. */
	void (*apply)(struct edit *);
	/* Announces the change instead of the usual event. */
	void (*announce)(struct edit *);
	/* Changes a stream that refers to the replaced or removed entry; arg of
	 * this function is the struct edit. */
	stream_refs_fn *refers;
	/* Called last; may add to the reply. */
	void (*finish)(struct edit *);
	/* Called for dry_run instead of the hooks after judge: adds the effects
	 * on streams (without those of `refers'), and may add to the reply. */
	void (*foresee)(struct edit *, json_t *effects);
};

/* A request in progress; hooks may read every member. */
struct edit {
	const struct collection *of;
	struct api *api;
	/* borrowed; may be NULL with COLLECTION_LOGINS */
	const json_t *request;
	struct reply *reply;
	const char *id;        /* id in the request; NULL: none */
	const json_t *wanted;  /* entry in the request; NULL: none */
	bool remove;           /* the request removes the entry */
	json_int_t gid;        /* gid in the request; -1: none */
	/* value of the counter gid after the ids that this request has used;
	 * -1: it has used none */
	json_int_t next_gid;
	/* index of the entry in the list; length of the list: a new entry */
	size_t place;
	/* index at which a new entry is inserted; SIZE_MAX: at the end */
	size_t before;
	json_t *old;           /* owned: the stored entry; NULL: none */
	json_t *entry;         /* owned: the new entry; NULL: a removal */
	void *arg;             /* argument of collection_set(), for the hooks */
};

/* Carries out a set-* request and fills the reply.  arg: for the hooks. */
void collection_set(const struct collection *, struct api *,
		    const json_t *request, struct reply *, void *arg);

/* Stores, applies and announces a change that the caller has judged, without a
 * reply (a part of collection_set()). */
void collection_store(struct edit *);
