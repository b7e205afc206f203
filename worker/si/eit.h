/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads sections of the event information table (EN 300 468 5.2.4):
 * present/following and schedule, of the transport stream that carries them
 * (actual) and of others (other).
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
	/* content descriptors are read up to this number of entries */
	EIT_CONTENTS_MAX = 8,
	EIT_TEXTS_MAX = 4,     /* languages of an event; texts in further ones
				* are skipped */
	EIT_TEXT_SIZE = 16384, /* bytes of a text in UTF-8 with the NUL */
};

struct eit {
	uint8_t table_id;
	uint8_t version, number, last_number;
	bool current; /* current_next_indicator; false: the table is not valid
		       * yet */
	bool actual;  /* true: of the transport stream that carries the
		       * section */
	bool schedule; /* true: schedule; false: present/following */
	/* service_id, transport_stream_id, original_network_id */
	uint16_t sid, tsid, onid;
	/* segment_last_section_number, last_table_id */
	uint8_t segment_last, last_table_id;
	struct bits events; /* the bytes that eit_next() has not read yet */
};

struct eit_event {
	uint16_t id;
	bool has_start;      /* start_s is defined */
	bool has_duration;   /* duration_s is defined */
	int64_t start_s;     /* Unix time */
	uint32_t duration_s;
	uint8_t running;     /* running_status */
	bool free_ca;        /* free_CA_mode: a component may be scrambled */
	struct desc_loop descriptors;
};

/* Opens a section of EIT.  Returns 0, or -EBADMSG: it is not an EIT, or its
 * length is wrong. */
int eit_open(const uint8_t *section, size_t len, struct eit *ret) MUST_CHECK;

/* Reads the next event from eit.events.  False: no bytes are left, or the
 * remaining bytes are not a whole event (events->cut). */
bool eit_next(struct bits *events, struct eit_event *ret);

/* --- descriptors of an event --- */

/* The texts of an event in one language. */
struct eit_text {
	char lang[4]; /* language code of three letters (ISO 639-2) */
	char title[EIT_TEXT_SIZE];
	char summary[EIT_TEXT_SIZE]; /* text_char of the short event
				      * descriptor */
	char details[EIT_TEXT_SIZE]; /* of the extended event descriptors: their
				      * text, then a line for each item */
};

struct eit_facts {
	size_t n_texts;
	struct eit_text texts[EIT_TEXTS_MAX];
	size_t n_contents;
	uint8_t contents[EIT_CONTENTS_MAX]; /* content_nibble_level_1 << 4 |
					     * content_nibble_level_2 */
	uint8_t age; /* lowest age of the parental ratings, in years; 0: none */
	size_t cut;  /* number of texts longer than EIT_TEXT_SIZE, and of
		      * descriptors shorter than their fields */
	size_t compressed; /* compressed texts that the dictionary cannot
			    * decode; they are U+FFFD */
	enum text_table unnamed; /* set by the caller: character table of texts
				  * that name none */
	/* set by the caller: decodes compressed texts; NULL: none are
	 * decoded */
	const struct text_dictionary *dictionary;
};

/* Reads the descriptors of short and extended events, content and parental
 * rating.  The parts of an extended event are joined in the order of their
 * numbers.  The caller sets ret->unnamed and ret->dictionary before. */
void eit_facts_read(struct desc_loop, struct eit_facts *ret);
