/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An event of the guide, in one piece of memory.
 *
 * Pure.  The owner frees it with free().
 */
#pragma once

#include "worker/si/eit.h"

#include <jansson.h>

/* guide_event.source of what an import took: of no section */
enum { GUIDE_IMPORTED = UINT16_MAX };

struct guide_event {
	int64_t start_s; /* Unix time */
	uint32_t duration_s;
	uint32_t round; /* of the guide: when a section had it last */
	/* its section of the schedule; 0: none; GUIDE_IMPORTED */
	uint16_t source;
	uint16_t id;
	uint8_t running; /* running_status */
	bool free_ca;
	uint8_t age;
	uint8_t n_contents, contents[EIT_CONTENTS_MAX];
	uint8_t n_texts;
	size_t len; /* of texts */
	/* for each language: language, title, summary, details, each with its
	 * NUL */
	char texts[];
};

struct guide_event *guide_event_new(const struct eit_event *,
				    const struct eit_facts *);

/* The bytes of memory of the event, with its place in a list. */
size_t guide_event_size(const struct guide_event *);
int64_t guide_event_end(const struct guide_event *);
/* The title in the first language; "": it has none. */
const char *guide_event_title(const struct guide_event *);
bool guide_event_equals(const struct guide_event *,
			const struct guide_event *);

/* Has the old event the same id, start and title as the new one, which is of
 * present/following, and more text? */
bool guide_event_keeps_text(const struct guide_event *old,
			    const struct guide_event *e);
/* Makes a new event: e with the texts of the old one, and with its age and
 * contents if e has none.  Frees e. */
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
/* Reads an event; NULL: the value, which may have any content, is no event.
 * scratch: memory of any content. */
struct guide_event *guide_event_read(const json_t *, struct eit_facts *scratch);
