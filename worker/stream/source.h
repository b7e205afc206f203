/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One configured input: its address, and the open input while it has one.
 *
 * Owns the input.  Says in the log when what hinders it changes, once per
 * change.  One that brings nothing for the time of its option watchdog is
 * opened anew, and again after twice that time, up to SOURCE_WATCHDOG_MAX_S:
 * a membership or a connection may be lost without a word.  One that hangs in
 * the kernel is not opened again before it was let go.
 */
#pragma once

#include "worker/input/input.h"
#include "worker/stream/link_record.h"
#include "worker/socket/retry.h"

enum { SOURCE_WATCHDOG_MAX_S = 60 };

struct source {
	/* what each look at it touches stands in front */
	struct input *input; /* NULL while it is not open */
	uint64_t heard_ns;   /* the last packets, or the opening */
	unsigned patience_s; /* of the watchdog; 0: as configured */
	unsigned opens;      /* so often it was */
	unsigned position;   /* from 1 */
	bool valid;          /* the address has a meaning */
	bool ended;          /* a file that is not looped is through */
	bool heard;          /* something came; who tells it clears it */
	bool linked;         /* its ring was told of, or needs no telling */
	struct input *stuck; /* closed, and hangs (input_hangs()); or NULL */
	struct retry retry;
	struct errmsg error; /* why it is not open; "" when unknown or open */
	struct input_counters before; /* a second ago */
	struct link_record link;
	struct input_counters all;    /* since init */
	struct input_spec spec;
};

/* Judges the address; opens nothing. */
void source_init(struct source *, unsigned position, const char *address);
void source_done(struct source *);

/* Opens it when it is closed, may be opened and the time has come. */
void source_open(struct source *, uint64_t now_ns);

/* One that is tried again after an error is not, before it brings something. */
bool source_is_open(const struct source *);

/* What hinders it, or is wrong with it though it plays; NULL: nothing that is
 * known.  While it is tried again that is what hindered it last. */
const char *source_trouble(const struct source *);

/* As input_bare() and input_senders(). */
const char *source_bare(const struct source *);
const char *source_senders(const struct source *);

/* It is not needed for now; what hindered it last stays to be read. */
void source_close(struct source *, uint64_t now_ns);

/* The ring of another stream (fd is taken; -1: it has none any more), for a
 * source that reads it; opened anew, when it was open.  False: not for it. */
bool source_link(struct source *, const char *stream, int fd);

/* When to call source_open(); UINT64_MAX: never. */
uint64_t source_retry_ns(const struct source *);

/* As input_read(), of an open source.  An error closes the source. */
int source_read(struct source *, struct batch *, uint64_t now_ns);

/* Once a second; writes what was counted in it.  May close the source. */
void source_second(struct source *, uint64_t now_ns,
		   struct input_counters *ret);

/* What its protocol knows, and what others know of it, for the status: as
 * link_record_tell(). */
const json_t *source_stats(struct source *, const struct link_stats *more);
