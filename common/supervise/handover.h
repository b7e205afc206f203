/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one master leaves to the next: descriptors with names, and a JSON
 * document that says what they are.
 *
 * A name is a letter, the kind, and a number that is never given twice:
 *
 *	c  the master's end of a worker's channel
 *	f  the lock of the configuration
 *	h  a listening socket of the control server
 *	l  a listening socket of viewers
 *	m  the memory of a stream's workers
 *	p  a worker's process (pidfd)
 *	r  a ring
 *	s  the document itself
 *
 * Written by one and taken up by the other: all of it is judged, and what
 * nobody takes is closed.
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

/* Counts on from *last, the highest number ever given; borrowed. */
struct handover *handover_new(uint64_t *last);

/* NULL-safe; closes what was to be taken up and was not; sets *h to NULL. */
void handover_free(struct handover **h);

/* Notes fd (borrowed).  *number is its name's; 0: it is given a new one.  The
 * name as a new JSON string; the same fd may be put more than once. */
json_t *handover_put(struct handover *, char kind, uint64_t *number, int fd);

/* The document, to add members to. */
json_t *handover_document(struct handover *);

/* Names and descriptors so far: {"c17": 23}. */
const json_t *handover_fds(const struct handover *);

/* The document as text, with or without the descriptors' numbers, which only
 * this process knows; free() it. */
char *handover_format(const struct handover *, bool with_fds, size_t *ret_len);

/* --- to take up --- */

/* Reads a document that names its descriptors itself.  All of them are
 * close-on-exec afterwards; one that is not open, or that was named before, is
 * refused.  NULL with why. */
struct handover *handover_of(json_t *take_document, struct errmsg *why);

/* Is it one? */
bool handover_is_name(const char *);

/* Names and descriptors as they were handed over, taken or not. */
const json_t *handover_handed(const struct handover *);

/* The numbers of its names are at most this. */
uint64_t handover_last_number(const struct handover *);

/* Workers that speak another version of proto/ipc/msg.h cannot go on. */
bool handover_is_of_our_protocol(const struct handover *);

/* The number in a name (a JSON string, or NULL) of that kind; 0: it is none. */
uint64_t handover_number(const json_t *name, char kind);

/* The descriptor behind a name (a JSON string, or NULL) of that kind, now the
 * caller's, and the number in it; -1 when there is none. */
int handover_take(struct handover *, const json_t *name, char kind,
		  uint64_t *ret_number);

/* Any one of that kind, as above. */
int handover_take_any(struct handover *, char kind, uint64_t *ret_number);
