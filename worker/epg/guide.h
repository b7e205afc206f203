/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The programme guide: the events of the services of all streams.
 *
 * A service has the programs of the PAT of its stream only.  Its events are in
 * the order of their start and do not overlap.  A section that has not changed
 * is not read again.  The rules:
 *  - An event replaces the event with the same id, and each event that it
 *    overlaps, which is counted.  When it moves or goes, all sections are read
 *    again, so that what it replaced returns.
 *  - A future event goes when a new version of its section of the schedule
 *    lacks it.
 *  - If present or following has the same id, start and title, and less text,
 *    the old text stays: they often have no details.
 *  - An event without start or duration is dropped and counted.
 *  - A gap stays a gap.
 *  - The EIT other of a stream have the events of services of other streams,
 *    whose SDT names their transport stream.  The EIT of these streams precede,
 *    and one stream at a time has those of a service.
 *  - A service that leaves the PAT is not in the guide.  Its imported events
 *    return with it within GUIDE_PAST_S, unless a limit needs their room.
 *  - An event that ended GUIDE_PAST_S ago is removed.  An event that begins
 *    after the days of the limit, or exceeds the services or bytes of the
 *    limit, is dropped and counted; its section is read again later.
 *
 * Pure: no clock, no I/O.
 */
#pragma once

#include "common/base/util.h"
#include "proto/si/text.h"
#include "proto/si/text_dictionary.h"
#include "proto/spec/own_services.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GUIDE_PAST_S = 3 * 3600,
	GUIDE_PROGRAMS_MAX = 256, /* of a stream */
	GUIDE_EVENTS_MAX = 4096, /* of a service */
	/* Between two reports of a stream, in seconds. */
	GUIDE_STALE_S = 3,
};

struct guide;

struct guide_limits {
	unsigned services, days;
	size_t bytes;
	bool imports; /* guide_import.h is used */
};

struct guide_counts {
	size_t services, events, bytes;
	/* since the start */
	uint64_t replaced;  /* events that overlapped a newer one */
	uint64_t undefined; /* events without start or duration */
	uint64_t dropped;   /* events beyond a limit */
	uint64_t broken;    /* sections, descriptors and texts that were cut */
	uint64_t compressed; /* texts that the dictionary cannot read */
};

struct guide_span {
	int64_t from_s, to_s, now_s;
	uint16_t pnr; /* this service only; 0: all */
	size_t max;   /* events of a service */
	size_t bytes; /* of the answer in JSON */
};

struct guide *guide_new(const struct guide_limits *);
/* NULL-safe; sets *g to NULL. */
void guide_free(struct guide **);

/* Sets the programs of the PAT of the stream.  The guide has only their
 * events. */
void guide_set_programs(struct guide *, const char *stream,
			const uint16_t *numbers, size_t n);
/* Takes a whole section of EIT with a valid CRC_32.  True: events of the stream
 * have changed, or those of another stream if the section is EIT other. */
bool guide_take_section(struct guide *, const char *stream,
			const uint8_t *section, size_t len, int64_t now_s);
/* Takes a whole section of the PID of the SDT, with a valid CRC_32.  True: the
 * identifiers of the stream, or names or status of its services, have
 * changed. */
bool guide_take_sdt(struct guide *, const char *stream,
		    const uint8_t *section, size_t len);
/* The name of the service in the SDT, borrowed until the next SDT; NULL:
 * unknown. */
const char *guide_service_name(const struct guide *, const char *stream,
			       uint16_t number);
/* The work on sections since the last call, as the number of bytes of a stream
 * that could have been read in that time. */
size_t guide_take_work(struct guide *);
void guide_remove_stream(struct guide *, const char *stream);
/* Gives the guide of the stream `from' to the stream `to', whose own is
 * removed. */
void guide_rename_stream(struct guide *, const char *from, const char *to);
/* Notes that the stream is configured.  channel: its id in XMLTV; "": the id of
 * the stream. */
void guide_know_stream(struct guide *, const char *stream,
		       const char *channel);
/* Sets the character table of texts in the EIT and SDT of the stream that name
 * no table (text_table_ok()). */
void guide_set_codepage(struct guide *, const char *stream,
			enum text_table codepage);
/* Sets the services of the stream whose EIT is made from this guide.  Their
 * events come from imports only: an event that was read from the output would
 * outlive its source. */
void guide_set_own(struct guide *, const char *stream,
		   const struct own_services *);
/* Sets which EIT other of the stream are made from this guide.  They are not
 * read. */
void guide_set_own_other(struct guide *, const char *stream, enum eit_other);
/* Sets the dictionary for compressed texts, which the guide takes; NULL:
 * none. */
void guide_set_dictionary(struct guide *, struct text_dictionary *);
/* Removes the streams that are not configured. */
void guide_remove_unknown(struct guide *);

/* Counts, since the start, services that appeared in the PAT of a stream, and
 * streams that got another channel. */
uint64_t guide_new_services(const struct guide *);
/* After all sources were imported: saved events of an import that are in no
 * source any more count as events of the EIT, so that the EIT may replace
 * them. */
void guide_release_imported(struct guide *);

/* Notes that another process has the present events of the stream.
 * guide_find_stale() then reports changes of them. */
void guide_show(struct guide *, const char *stream, int64_t now_s);
/* Reports at most max streams whose events have changed since guide_show() or
 * their last report.  Each is reported at most once in GUIDE_STALE_S, and in
 * turn with the others. */
void guide_find_stale(struct guide *, int64_t now_s, unsigned max,
		      void (*report)(const char *stream, void *arg), void *arg);

/* Removes the events of the past. */
void guide_expire(struct guide *, int64_t now_s);

struct guide_counts guide_count(const struct guide *);

/*
 * The events of the stream that are not over at from_s and begin before to_s,
 * within the bounds of the span:
 * {"services": [{"pnr", "now", "next", "events": […], "cut": true}]}, a new
 * reference.  cut: the service has more.  NULL: the stream has no services.
 */
json_t *guide_read(const struct guide *, const char *stream,
		   const struct guide_span *);

struct guide_event;

/* A service in the saved guide, as the SDT of its stream has it. */
struct guide_status {
	const char *stream;
	uint16_t tsid, onid;
	uint16_t number; /* of a service */
	uint8_t status;  /* as eit_image.h has it; 0: the SDT lacks it */
};

/* Saves the guide in pieces, between which it may change.  First
 * guide_save_next() returns the events from the first one on, with their
 * services, borrowed; NULL: there are no more.  Then guide_save_status()
 * returns the services whose stream has an SDT, borrowed; false: there are no
 * more. */
void guide_save_begin(struct guide *);
const struct guide_event *guide_save_next(struct guide *,
					  const char **ret_stream,
					  uint16_t *ret_number);
bool guide_save_status(struct guide *, struct guide_status *ret);
/* Adds a service of a saved guide.  It is valid until the SDT of the stream is
 * read. */
void guide_load_status(struct guide *, const struct guide_status *);
/* Adds an event of a saved guide.  Takes the event. */
void guide_load(struct guide *, const char *stream, uint16_t number,
		struct guide_event *, int64_t now_s);
/* Adds an event in the JSON of a former program: {"stream", "pnr", "event"}.
 * False: the value, which may have any content, is no event. */
bool guide_load_event(struct guide *, const json_t *saved, int64_t now_s);
