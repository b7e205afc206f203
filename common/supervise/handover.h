/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State that a master passes to the next master: named descriptors and a JSON
 * document that describes them.
 *
 * A name is a letter, the kind, and a number that is used once:
 *
 *	c  the master's end of a worker's channel
 *	f  the lock of the configuration
 *	h  a listening socket of the control server
 *	l  a listening socket of viewers
 *	m  the memory of a stream's workers
 *	p  a worker's process (pidfd)
 *	r  a ring
 *	s  the document itself
 *	y  the history of the last hour
 *
 * The reader checks everything and closes the descriptors that are not taken.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct handover;

enum {
	HANDOVER_VERSION = 1,
	HANDOVER_NAME_MAX = 24,
};

/* --- to write --- */

/* A new handover to write.  Its names continue after the number *last
 * (borrowed), the highest number used so far. */
struct handover *handover_new(uint64_t *last);

/* NULL-safe; sets *h to NULL.  Closes descriptors that were not taken. */
void handover_free(struct handover **h);

/* Adds fd (borrowed) with the number *number, or with a new number if that is
 * 0.  Returns the name as a new JSON string.  The same fd may be added
 * again. */
json_t *handover_put(struct handover *, char kind, uint64_t *number, int fd);

/* The document, to add members to. */
json_t *handover_document(struct handover *);

/* Names and descriptors so far: {"c17": 23}. */
const json_t *handover_fds(const struct handover *);

/* Marks a handover for a trial: the new program may replace workers that have
 * another protocol version. */
void handover_allow_interruption(struct handover *);

/* Formats the document as text, which the caller frees.  with_fds: with the
 * numbers of the descriptors, which are valid in this process only. */
char *handover_format(const struct handover *, bool with_fds, size_t *ret_len);

/* --- to read --- */

/* Reads a document with its descriptors in "fds" and sets close-on-exec on
 * them.  The document is empty if its HANDOVER_VERSION is another one.  NULL
 * with error: "fds" is malformed, or a descriptor is not open or is named
 * twice. */
struct handover *handover_of(json_t *take_document, struct errmsg *error);

bool handover_is_name(const char *);

/* Names and descriptors, including those taken since. */
const json_t *handover_handed(const struct handover *);

/* The highest number in the names of the handover. */
uint64_t handover_last_number(const struct handover *);

/* True if the workers use the version of proto/ipc/msg.h of this
 * program.  Workers of another version must end. */
bool handover_is_of_our_protocol(const struct handover *);
/* True if the writer called handover_allow_interruption(). */
bool handover_allows_interruption(const struct handover *);

/*
 * Marks a handover that was read: this process is a trial, which takes the
 * handover while the previous master runs.  It gets a socket pair of its own in
 * place of each channel, and signals no process.
 */
void handover_set_trial(struct handover *);
bool handover_is_trial(const struct handover *);

/* The number in a name (a JSON string, or NULL) of that kind, or 0. */
uint64_t handover_number(const json_t *name, char kind);

/* Moves the descriptor with this name (a JSON string, or NULL) and kind to the
 * caller; -1: there is none. */
int handover_take(struct handover *, const json_t *name, char kind,
		  uint64_t *ret_number);

/* As handover_take(), for any descriptor of that kind; -1: none is left. */
int handover_take_any(struct handover *, char kind, uint64_t *ret_number);
