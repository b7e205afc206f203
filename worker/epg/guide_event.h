/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An event of the guide, in one piece of memory.
 *
 * Pure.  The owner frees it with free().
 */
#pragma once

#include "worker/si/eit.h"

#include <jansson.h>

/* value of guide_event.source: the event was imported */
enum { GUIDE_IMPORTED = UINT16_MAX };

struct guide_event {
	int64_t start_s; /* Unix time */
	uint32_t duration_s;
	uint32_t round; /* guide.round when a section last contained the
			 * event */
	/* from guide_source_of(): the section of the schedule that contains it;
	 * 0: none; or GUIDE_IMPORTED */
	uint16_t source;
	uint16_t id;
	uint8_t running; /* running_status */
	bool free_ca;
	uint8_t age; /* lowest recommended age, in years; 0: none */
	uint8_t n_contents, contents[EIT_CONTENTS_MAX];
	uint8_t n_texts;
	size_t len; /* bytes of texts */
	/* for each language four strings with NUL: language code, title,
	 * summary, details */
	char texts[];
};

struct guide_event *guide_event_new(const struct eit_event *,
				    const struct eit_facts *);

/* The bytes of memory of the event, with its pointer in a list. */
size_t guide_event_size(const struct guide_event *);
int64_t guide_event_end(const struct guide_event *);
/* The title in the first language; "": it has none. */
const char *guide_event_title(const struct guide_event *);
bool guide_event_equals(const struct guide_event *,
			const struct guide_event *);

/* Does `old' keep its text: is e from present/following, with the same id,
 * start and title, and less text? */
bool guide_event_keeps_text(const struct guide_event *old,
			    const struct guide_event *e);
/* Makes a new event: e with the texts of `old', and with the age and the
 * contents of `old' if e has none.  Frees e. */
struct guide_event *guide_event_with_text(struct guide_event *e,
					  const struct guide_event *old);

/* {"event_id", "start", "stop", "running_status", "free_ca", "imported", "age",
 * "contents": […], "texts": [{"lang", "title", "summary", "details"}]}, a new
 * reference.  "imported" is true or absent; an age of 0, no contents and empty
 * texts are absent. */
json_t *guide_event_write(const struct guide_event *);
/* As guide_event_write(), without details. */
json_t *guide_event_write_brief(const struct guide_event *);
/* Adds the content of the event to a hash. */
uint64_t guide_event_hash(const struct guide_event *, uint64_t hash);
/* Reads an event; NULL: the value, which may be of any form, is not an event.
 * scratch: memory of any content. */
struct guide_event *guide_event_read(const json_t *, struct eit_facts *scratch);
