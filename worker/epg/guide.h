/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The programme guide: the events of the services of all streams.
 *
 * A stream has a service in the guide for each program in its PAT.  The events
 * of a service are in the order of their start and do not overlap.  A section
 * that has not changed is not read again.  The rules:
 *
 *	- An event replaces the event with the same id, and each event that it
 *	  overlaps, which is counted.  When it moves or is removed, all sections
 *	  of the service are read again, so that an event that it replaced
 *	  returns.
 *	- A future event is removed when a new version of its section of the
 *	  schedule lacks it.
 *	- If an event of present/following has the same id, start and title as
 *	  an event of the guide, and less text, the old text stays: present/
 *	  following often has no details.
 *	- An event without start or duration is dropped and counted.
 *	- A gap stays a gap.
 *	- The EIT other of a stream have the events of services of other
 *	  streams, whose SDT names their transport stream.  The EIT of the own
 *	  stream of a service precede; of other streams only one at a time is
 *	  the source of the service's events.
 *	- A service that leaves the PAT is not in the guide.  Its imported
 *	  events return with it within GUIDE_PAST_S, unless a limit needs their
 *	  room.
 *	- An event that ended GUIDE_PAST_S ago is removed.
 *	- An event that begins after the days of the limit, or exceeds
 *	  GUIDE_EVENTS_MAX or the bytes of the limit, is dropped and counted;
 *	  its section is read again later.
 *	- A service beyond the services of the limit is not in the guide.
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
	GUIDE_PROGRAMS_MAX = 256, /* services of a stream */
	GUIDE_EVENTS_MAX = 4096, /* events of a service */
	/* seconds between two reports of a stream by guide_find_stale() */
	GUIDE_STALE_S = 3,
};

struct guide;

struct guide_limits {
	unsigned services, days;
	size_t bytes;
	bool imports; /* there are sources that are imported (guide_import.h) */
};

struct guide_counts {
	size_t services, events, bytes;
	/* The following counts begin with guide_new(). */
	uint64_t replaced;  /* events that were removed because a newer event
			     * overlaps them */
	uint64_t undefined; /* events without start or duration */
	uint64_t dropped;   /* events beyond a limit */
	uint64_t broken;    /* malformed sections and descriptors, and texts
			     * that were cut */
	uint64_t compressed; /* compressed texts that the dictionary cannot
			      * decode */
};

struct guide_span {
	int64_t from_s, to_s, now_s; /* Unix times */
	uint16_t pnr; /* number of the only service to read; 0: all services */
	size_t max;   /* most events of each service */
	size_t bytes; /* most bytes of the answer in JSON */
};

struct guide *guide_new(const struct guide_limits *);
/* NULL-safe; sets *g to NULL. */
void guide_free(struct guide **);

/* Sets the programs in the PAT of the stream.  The guide has events of these
 * programs only. */
void guide_set_programs(struct guide *, const char *stream,
			const uint16_t *numbers, size_t n);
/* Takes a whole section of EIT with a valid CRC_32.  True: events of the stream
 * have changed, or, if the section is EIT other, of another stream. */
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
/* Returns the work on sections since the last call, measured as the number of
 * stream bytes that could have been read in that time. */
size_t guide_take_work(struct guide *);
void guide_remove_stream(struct guide *, const char *stream);
/* Renames the stream `from' to `to'; a stream that is called `to' is
 * removed. */
void guide_rename_stream(struct guide *, const char *from, const char *to);
/* Call it for each stream that is configured, and when its channel changes.
 * channel: id of its channel in XMLTV; "": the id of the stream. */
void guide_know_stream(struct guide *, const char *stream,
		       const char *channel);
/* Sets the character table of texts in the EIT and SDT of the stream that name
 * no table (text_table_ok()). */
void guide_set_codepage(struct guide *, const char *stream,
			enum text_table codepage);
/* Sets the services of the stream whose EIT is generated from this guide.
 * Their events come from imports only: an event that was read from the output
 * would stay after its source had removed it. */
void guide_set_own(struct guide *, const char *stream,
		   const struct own_services *);
/* Sets which EIT other of the stream are generated from this guide; these are
 * not read. */
void guide_set_own_other(struct guide *, const char *stream, enum eit_other);
/* Sets the dictionary that decodes compressed texts, and takes it; NULL:
 * none. */
void guide_set_dictionary(struct guide *, struct text_dictionary *);
/* Removes the streams for which guide_know_stream() was not called. */
void guide_remove_unknown(struct guide *);

/* The number of services that appeared in the PAT of a stream, plus the number
 * of streams that were configured or got another channel of XMLTV, since
 * guide_new(). */
uint64_t guide_new_services(const struct guide *);
/* Call it after all sources were imported: imported events of the saved guide
 * that no source has any more then count as events of the EIT, so that the EIT
 * may replace them. */
void guide_release_imported(struct guide *);

/* Call it when another process reads the events of the stream.
 * guide_find_stale() then reports later changes of these events. */
void guide_show(struct guide *, const char *stream, int64_t now_s);
/* Reports at most max streams whose events have changed since guide_show() or
 * their last report.  A stream is reported at most once in GUIDE_STALE_S, and
 * again only after the other streams. */
void guide_find_stale(struct guide *, int64_t now_s, unsigned max,
		      void (*report)(const char *stream, void *arg), void *arg);

/* Removes the events that ended GUIDE_PAST_S ago. */
void guide_expire(struct guide *, int64_t now_s);

struct guide_counts guide_count(const struct guide *);

/*
 * The events of the stream that are not over at from_s and begin before to_s,
 * within the bounds of the span: {"services": [{"pnr", "now", "next", "events":
 * […], "cut": true}]}, a new reference.  "cut" is present if the service has
 * more events.  NULL: the stream has no services.
 */
json_t *guide_read(const struct guide *, const char *stream,
		   const struct guide_span *);

struct guide_event;

/* The status of a service in the SDT of its stream, in the saved guide. */
struct guide_status {
	const char *stream;
	uint16_t tsid, onid;
	uint16_t number; /* number of the service */
	uint8_t status;  /* in the form of eit_image.h; 0: the SDT does not list
			  * the service */
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
/* Adds the status of a service from a saved guide.  It is valid until the SDT
 * of the stream is read. */
void guide_load_status(struct guide *, const struct guide_status *);
/* Adds an event of a saved guide.  Takes the event. */
void guide_load(struct guide *, const char *stream, uint16_t number,
		struct guide_event *, int64_t now_s);
/* Adds an event in the JSON of a former version: {"stream", "pnr", "event"}.
 * False: the value, which may be of any form, is not an event. */
bool guide_load_event(struct guide *, const json_t *saved, int64_t now_s);
