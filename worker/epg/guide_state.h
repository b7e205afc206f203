/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of the guide; for guide*.c only. */
#pragma once

#include "worker/epg/guide.h"
#include "worker/epg/guide_event.h"
#include "worker/si/eit.h"
#include "worker/ts/si_table.h"

#include <sys/queue.h>

enum {
	/* tables of a service: present/following, and those of the schedule */
	TABLES = 1 + EIT_SCHEDULE_LAST_TABLE_ID - EIT_SCHEDULE_TABLE_ID + 1,
	SECTIONS = 256, /* section numbers of a table */
	SDT_SECTIONS = 8, /* see guide_stream.sdt_seen */
	ID_CHAINS = 1024, /* chains of a hash table */
	/* work to compare one event, as the number of stream bytes that could
	 * be read in that time */
	WORK_LOOK = 8,
};

/* The stream whose EIT has the events of a service, and when its last section
 * arrived. */
struct guide_source {
	uint64_t serial; /* guide_stream.serial; 0: no stream yet */
	int64_t at_s; /* Unix time of the last section */
};

struct service {
	TAILQ_ENTRY(service) in_absent;
	struct guide_stream *absent_from; /* the stream from whose PAT the
					   * service has disappeared (hidden
					   * service); NULL: the PAT has the
					   * service */
	int64_t absent_s; /* hidden service: Unix time of the first
			   * guide_expire() since it was hidden; 0: none yet */
	uint16_t number;
	char *name; /* name in the SDT; NULL: not known */
	uint8_t status; /* status in the SDT, in the form of eit_image.h; 0: not
			 * known */
	struct guide_event **events; /* in the order of their starts; they do
				      * not overlap */
	size_t n, room;
	/* for each table: the CRC_32 of each section that was read, 0: not
	 * read; NULL: no section of the table was read */
	uint32_t *seen[TABLES];
	/* [0]: source of present/following; [1]: source of the schedule */
	struct guide_source sources[2];
	/* Unix time from which on all sections are read again; 0: never */
	int64_t again_s;
	bool overlapped; /* an event has replaced others that it overlaps */
	uint64_t edited; /* guide.edits when the events last changed */
	bool imported; /* since the start an import had events of the service,
			* so that its imported events are not only from the
			* saved guide */
	uint64_t shown; /* hash of the present and following event that was
			 * reported last (guide_present.h); 0: no event */
};

struct guide_stream {
	LIST_ENTRY(guide_stream) link;
	LIST_ENTRY(guide_stream) in_chain;
	char *id;
	char *channel; /* id of its channel in XMLTV; NULL: the id of the
			* stream */
	enum text_table codepage; /* character table of texts that name none */
	bool known; /* the stream is configured */
	bool has_programs; /* its PAT is known */
	/* services whose EIT is generated from this guide, so that it is not
	 * read */
	struct own_services own;
	/* by section_number % SDT_SECTIONS: CRC_32 of the section of its SDT
	 * that was read last; 0: none was read since the services changed */
	uint32_t sdt_seen[SDT_SECTIONS];
	uint64_t serial; /* a number that no other stream has */
	/* a link of guide.by_network */
	LIST_ENTRY(guide_stream) in_network;
	bool has_network; /* tsid and onid are known from its SDT */
	uint16_t tsid, onid; /* identifiers in its SDT; 0: not known */
	enum eit_other own_other; /* the EIT other that are generated from this
				   * guide */
	/* guide.edits at the last change of the stream that is in no service:
	 * another id or original_network_id, the first PAT, a service that was
	 * removed from the PAT */
	uint64_t edited;
	/* another process sends the EIT of the stream (guide_show()) */
	bool shown;
	uint64_t shown_edit; /* guide.edits of the last change that was
			      * reported */
	int64_t shown_s; /* Unix time of the last report, or of guide_show() */
	uint32_t shown_round; /* guide.shown_round + 1 at the last report; 0:
			       * never reported */
	struct service *services[GUIDE_PROGRAMS_MAX];
	size_t n;
};

/* The position from which on guide_save_next() looks for the next event. */
struct guide_place {
	struct guide_stream *stream; /* NULL: all events are saved */
	unsigned number; /* lowest number of its next service */
	int64_t start_s;
};

struct guide {
	struct guide_limits limits;
	struct guide_counts counts;
	struct eit_facts facts; /* descriptors of the event that is being
				 * read */
	struct text_dictionary *dictionary; /* decodes compressed texts; NULL:
					     * none */
	uint32_t round; /* number of the section that is being read; each one
			 * gets a new number */
	size_t work; /* work since the last guide_take_work(), as a number of
		      * stream bytes like WORK_LOOK */
	uint64_t new_services; /* see guide_new_services() */
	uint64_t edits; /* changes of events, services and streams since the
			 * start */
	/* hidden services, the one that was hidden first in front: services
	 * with imported events that have disappeared from the PAT of their
	 * stream */
	TAILQ_HEAD(, service) absent;
	struct guide_place saving; /* position of guide_save_next() and
				    * guide_save_status() */
	LIST_HEAD(, guide_stream) streams;
	/* Number of the last complete round of guide_find_stale(), which
	 * reports each stream at most once in a round. */
	uint32_t shown_round;
	/* all streams, by the hash of their id */
	LIST_HEAD(guide_chain, guide_stream) by_id[ID_CHAINS];
	/* streams with an SDT, by a hash of its identifiers */
	LIST_HEAD(guide_network, guide_stream) by_network[ID_CHAINS];
	uint64_t last_serial; /* highest guide_stream.serial */
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
/* Frees a service that is no longer in any stream. */
void guide_free_service(struct guide *, struct service *);
/* The index of the first event that begins at start_s or later. */
size_t guide_place_of(const struct service *, int64_t start_s);
/* Adds the event to the service, or replaces an older event by it.  Takes the
 * event.  True: the service has changed. */
bool guide_take_event(struct guide *, struct service *, struct guide_event *,
		      int64_t now_s);

/* If this is section 0 of present/following, sets running_status of all other
 * running events of the service to "not running".  True: the service has
 * changed. */
bool guide_stop_others(struct guide *, struct service *, struct eit);

/* guide_event.source of this section of a schedule. */
uint16_t guide_source_of(const struct eit *, unsigned number);
/* Removes the future events that this section of a schedule contained before,
 * but no longer contains.  True: events were removed. */
bool guide_remove_gone(struct guide *, struct service *, const struct eit *,
		       int64_t now_s);

enum guide_removal { GUIDE_ALL, GUIDE_NOT_IMPORTED };
/* Removes the n events from index `at' on; GUIDE_NOT_IMPORTED: imported events
 * stay. */
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

/* Takes a section of EIT from the stream `from' for a service of the first
 * stream: of its EIT actual if both are the same stream, otherwise of EIT
 * other.  True: the service has changed. */
bool guide_take_from(struct guide *, struct guide_stream *,
		     const struct guide_stream *from, struct eit, uint32_t crc,
		     int64_t now_s);
/* Takes a section of EIT other for all streams that it names.  True: a service
 * has changed. */
bool guide_take_other(struct guide *, const struct guide_stream *from,
		      struct eit, uint32_t crc, int64_t now_s);
/* Does the guide take the events of this service from the stream `from'?  The
 * EIT of the service's own stream precede; otherwise one stream at a time is
 * the source.  True: `from' is stored as the source. */
bool guide_is_source(struct service *, const struct guide_stream *,
		     const struct guide_stream *from, const struct eit *,
		     int64_t now_s);
/* Sets the identifiers of the transport stream from its SDT.  True: they have
 * changed. */
bool guide_set_network(struct guide *, struct guide_stream *, uint16_t tsid,
		       uint16_t onid);
void guide_forget_network(struct guide_stream *);

/* --- services that a PAT lacks (guide_absent.c) --- */

/* Hides a service that is no longer in the PAT of its stream, and keeps its
 * imported events; frees it if it has none.  Takes the service. */
void guide_hide_service(struct guide *, struct guide_stream *,
			struct service *);
/* Finds a hidden service, which is then hidden no longer and belongs to the
 * caller; NULL: there is no such hidden service. */
struct service *guide_unhide_service(struct guide *,
				     const struct guide_stream *,
				     uint16_t number);
/* Frees the service that was hidden first, to get room; false: none is
 * hidden. */
bool guide_free_hidden(struct guide *);
void guide_free_hidden_of(struct guide *, const struct guide_stream *);
void guide_expire_hidden(struct guide *, int64_t now_s);

/* --- imports (guide_imported.c) --- */

/* Replaces the events of the service that end after the start of the first new
 * event by the n > 0 new events, which are taken.  True: the service has
 * changed. */
bool guide_take_imported(struct guide *, struct service *,
			 struct guide_event **, size_t n);
/* Call it when a stream gets another channel: its imported events then count as
 * events of the EIT, and the sources are imported again. */
void guide_import_again(struct guide *, struct guide_stream *);
/* True if the last event of the service is imported and not over.  Sections of
 * its EIT are then not read. */
bool guide_is_imported(const struct service *, int64_t now_s);
