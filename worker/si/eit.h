/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads sections of the event information table (EN 300 468 5.2.4): present and
 * following, and schedule, of this and of other transport streams.
 *
 *	if (eit_open(section, len, &eit) == 0)
 *		while (eit_next(&eit.events, &event))
 *			...
 *
 * Pure: borrows the section.
 */
#pragma once

#include "common/base/util.h"
#include "proto/si/bits.h"
#include "proto/si/desc.h"
#include "proto/si/text.h"
#include "proto/si/text_dictionary.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	EIT_CONTENTS_MAX = 8,
	EIT_TEXTS_MAX = 4,     /* languages of an event */
	EIT_TEXT_SIZE = 16384, /* bytes of a text in UTF-8 with the NUL */
};

struct eit {
	uint8_t table_id;
	uint8_t version, number, last_number;
	bool current; /* false: the table is not in force yet */
	bool actual;  /* of the transport stream that carries it */
	bool schedule;
	uint16_t sid, tsid, onid;
	uint8_t segment_last, last_table_id;
	struct bits events; /* what eit_next() has not read */
};

struct eit_event {
	uint16_t id;
	bool has_start;      /* start_s is defined */
	bool has_duration;   /* duration_s is defined */
	int64_t start_s;     /* Unix time */
	uint32_t duration_s;
	uint8_t running;     /* running_status */
	bool free_ca;        /* one of its components is scrambled */
	struct desc_loop descriptors;
};

/* Opens a section of EIT.  0, or -EBADMSG: it is no EIT, or too short for
 * one. */
int eit_open(const uint8_t *section, size_t len, struct eit *ret) MUST_CHECK;

/* Takes the next event off eit.events; false at the end, or when the remaining
 * bytes are not a whole event (events->cut). */
bool eit_next(struct bits *events, struct eit_event *ret);

/* --- descriptors of an event --- */

/* The texts of an event in one language. */
struct eit_text {
	char lang[4];
	char title[EIT_TEXT_SIZE];
	char summary[EIT_TEXT_SIZE]; /* of the short event */
	char details[EIT_TEXT_SIZE]; /* of the extended event: its text, then a
				      * line for each item */
};

struct eit_facts {
	size_t n_texts;
	struct eit_text texts[EIT_TEXTS_MAX];
	size_t n_contents;
	uint8_t contents[EIT_CONTENTS_MAX]; /* content_nibble levels 1 and 2 */
	uint8_t age; /* the lowest recommended age; 0: none */
	size_t cut;  /* texts that exceeded EIT_TEXT_SIZE, descriptors that
		      * were too short */
	size_t compressed; /* texts that the dictionary cannot read: U+FFFD */
	enum text_table unnamed; /* of text_decode_as(), while it is read */
	/* reads compressed texts; set while an event is read; NULL: none */
	const struct text_dictionary *dictionary;
};

/* Reads short and extended events, content and parental rating.  The parts of
 * an extended event are put together in the order of their numbers.  Texts that
 * name no table are in ret->unnamed, compressed ones are read by
 * ret->dictionary. */
void eit_facts_read(struct desc_loop, struct eit_facts *ret);
