/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the guide: of guide*.c only. */
#pragma once

#include "worker/epg/guide.h"
#include "worker/epg/guide_event.h"
#include "worker/si/eit.h"
#include "worker/ts/si_table.h"

#include <sys/queue.h>

enum {
	TABLES = 1 + EIT_SCHEDULE_LAST_TABLE_ID - EIT_SCHEDULE_TABLE_ID + 1,
	SECTIONS = 256,
	SDT_SECTIONS = 8,
	ID_CHAINS = 1024,
	/* the work of a look at an event, as bytes that are read meanwhile */
	WORK_LOOK = 8,
};

/* The stream whose EIT has the events of a service, and its last section. */
struct guide_source {
	uint64_t serial; /* of guide_stream; 0: none yet */
	int64_t at_s;
};

struct service {
	TAILQ_ENTRY(service) in_absent;
	struct guide_stream *absent_from; /* NULL: its PAT has the service */
	int64_t absent_s; /* time of the first guide_expire() after; 0: none */
	uint16_t number;
	char *name; /* of the SDT; NULL: not known */
	uint8_t status; /* of the SDT, as eit_image.h has it; 0: not known */
	struct guide_event **events; /* by start; they do not overlap */
	size_t n, room;
	/* the CRC_32 of each section that was read; NULL: none of the table */
	uint32_t *seen[TABLES];
	/* of present and following, and of the schedule */
	struct guide_source sources[2];
	/* from this time on all sections are read again; 0: never */
	int64_t again_s;
	bool overlapped; /* an event has replaced others */
	uint64_t edited; /* value of guide.edits at the last change of events */
	bool imported; /* since the start: its events are not only saved */
	uint64_t shown; /* of guide_present.h; 0: no event */
};

struct guide_stream {
	LIST_ENTRY(guide_stream) link;
	LIST_ENTRY(guide_stream) in_chain;
	char *id;
	char *channel; /* of XMLTV; NULL: the id */
	enum text_table codepage;
	bool known;
	bool has_programs; /* its PAT is known */
	/* whose EIT is made from this guide: it is not collected */
	struct own_services own;
	/* the CRC_32 of the sections of its SDT, by the low bits of their
	 * numbers; 0: not read since the services changed */
	uint32_t sdt_seen[SDT_SECTIONS];
	uint64_t serial; /* no other stream has it */
	/* of its SDT */
	LIST_ENTRY(guide_stream) in_network;
	bool has_network;
	uint16_t tsid, onid; /* 0: not known */
	enum eit_other own_other; /* the EIT other that it sends itself */
	/* as of a service, that is gone or has another number */
	uint64_t edited;
	/* the EIT of the stream is sent by another process ... */
	bool shown;
	uint64_t shown_edit; /* ... which has this one, ... */
	int64_t shown_s; /* ... as was reported then, ... */
	uint32_t shown_round; /* ... in this round of the reports */
	struct service *services[GUIDE_PROGRAMS_MAX];
	size_t n;
};

/* The place of the next event to save: the first one from here on. */
struct guide_place {
	struct guide_stream *stream; /* NULL: all are saved */
	unsigned number; /* of the service */
	int64_t start_s;
};

struct guide {
	struct guide_limits limits;
	struct guide_counts counts;
	struct eit_facts facts; /* of the event that is being read */
	struct text_dictionary *dictionary; /* NULL: none */
	uint32_t round; /* of the section that is being read */
	size_t work; /* since guide_take_work() */
	uint64_t new_services;
	uint64_t edits; /* changes of events since the start */
	/* services with imported events that the PAT of their stream lacks,
	 * by the time of their leaving: they are hidden, and return with it */
	TAILQ_HEAD(, service) absent;
	struct guide_place saving;
	LIST_HEAD(, guide_stream) streams;
	/* Number of the last complete round of guide_find_stale(), which
	 * reports each stream at most once in a round. */
	uint32_t shown_round;
	/* the same by the hash of the id */
	LIST_HEAD(guide_chain, guide_stream) by_id[ID_CHAINS];
	/* those with an SDT by its identifiers */
	LIST_HEAD(guide_network, guide_stream) by_network[ID_CHAINS];
	uint64_t last_serial;
};

struct guide_stream *guide_find_stream(const struct guide *, const char *id);
/* Finds the stream, or adds it. */
struct guide_stream *guide_add_stream(struct guide *, const char *id);
/* Finds the service, or adds it; NULL: the guide has no room. */
struct service *guide_add_service(struct guide *, struct guide_stream *,
				  uint16_t number);
/* The service with the lowest number that is at least this one; NULL: there is
 * none. */
const struct service *guide_service_from(const struct guide_stream *,
					 unsigned number);
/* Frees a service that is in no stream any more. */
void guide_free_service(struct guide *, struct service *);
/* The place of the first event that begins at start_s or later. */
size_t guide_place_of(const struct service *, int64_t start_s);
/* Adds the event to the service, or replaces an older one.  Takes the event.
 * True: the service has changed. */
bool guide_take_event(struct guide *, struct service *, struct guide_event *,
		      int64_t now_s);

/* If the EIT names the present event, or none: sets all other running events of
 * the service to not running.  True: the service has changed. */
bool guide_stop_others(struct guide *, struct service *, struct eit);

/* guide_event.source of this section of a schedule. */
uint16_t guide_source_of(const struct eit *, unsigned number);
/* Removes the future events that were in this section of a schedule and are not
 * any more.  True: there were some. */
bool guide_remove_gone(struct guide *, struct service *, const struct eit *,
		       int64_t now_s);

enum guide_removal { GUIDE_ALL, GUIDE_NOT_IMPORTED };
/* Removes the n events from place `at' on; GUIDE_NOT_IMPORTED: only those that
 * no import took. */
void guide_remove_events(struct guide *, struct service *, size_t at, size_t n,
			 enum guide_removal);
/* Makes the guide read all sections of the service again. */
void guide_forget_sections(struct guide *, struct service *);
/* The CRC_32 at the end of the section. */
static inline uint32_t guide_section_crc(const uint8_t *section, size_t len)
{
	const uint8_t *p = section + len - 4;

	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

/* --- EIT other (guide_other.c) --- */

/* Takes a section of the EIT of the stream `from', or of its EIT other, for a
 * service of s.  True: the service has changed. */
bool guide_take_from(struct guide *, struct guide_stream *,
		     const struct guide_stream *from, struct eit, uint32_t crc,
		     int64_t now_s);
/* Takes a section of EIT other for all streams that it names.  True: a service
 * has changed. */
bool guide_take_other(struct guide *, const struct guide_stream *from,
		      struct eit, uint32_t crc, int64_t now_s);
/* Does the guide take the events of this service from the stream `from'?  The
 * EIT of the service's own stream precede; one other stream at a time is a
 * source. True: notes that its source is `from'. */
bool guide_is_source(struct service *, const struct guide_stream *,
		     const struct guide_stream *from, const struct eit *,
		     int64_t now_s);
/* Sets the identifiers of the transport stream from its SDT.  True: they have
 * changed. */
bool guide_set_network(struct guide *, struct guide_stream *, uint16_t tsid,
		       uint16_t onid);
void guide_forget_network(struct guide_stream *);

/* --- services that a PAT lacks (guide_absent.c) --- */

/* Hides a service that the PAT of its stream no longer has; keeps its imported
 * events.  Takes the service. */
void guide_hide_service(struct guide *, struct guide_stream *,
			struct service *);
/* The hidden service, which the caller gets and is hidden no longer; NULL: no
 * such service is hidden. */
struct service *guide_unhide_service(struct guide *,
				     const struct guide_stream *,
				     uint16_t number);
/* Frees the service that was hidden first, for room; false: none is hidden. */
bool guide_free_hidden(struct guide *);
void guide_free_hidden_of(struct guide *, const struct guide_stream *);
void guide_expire_hidden(struct guide *, int64_t now_s);

/* --- imports (guide_imported.c) --- */

/* Replaces the events of the service that end after the start of the first new
 * event by the n > 0 new ones, each of which is taken.  True: the service has
 * changed. */
bool guide_take_imported(struct guide *, struct service *,
			 struct guide_event **, size_t n);
/* For a stream that got another channel: its imported events count as events of
 * the EIT, and the sources are imported again. */
void guide_import_again(struct guide *, struct guide_stream *);
/* True if the last event is imported and not over.  Then sections of the EIT
 * are not read. */
bool guide_is_imported(const struct service *, int64_t now_s);
