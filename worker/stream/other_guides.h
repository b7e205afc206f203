/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The streams of nit_other, with the events and the SDT that the guide has sent
 * for each of them (tables/eit_image.h).
 *
 * Embedded.  Owns the events.
 */
#pragma once

#include "proto/spec/io_spec.h"
#include "proto/spec/tables_spec.h"
#include "worker/tables/eit_image.h"

struct msg_stream_guide;

struct other_guide {
	/* name of the stream in messages stream.guide */
	char id[IO_ID_MAX + 1];
	uint16_t tsid;
	/* key onid in the configuration of the stream; 0: absent */
	uint16_t key_onid;
	/* key_onid; without it that of the SDT of this stream (in `image'); if
	 * that is not known either, 1 */
	uint16_t onid;
	/* events and SDT from the guide; NULL: none yet */
	struct eit_image *image;
	/* how many services of the image, from its first one on, have EIT that
	 * own_eit.h sends */
	size_t n_sent;
};

struct other_guides {
	size_t n;
	struct other_guide list[NIT_OTHER_MAX];
	/* the previous list, until other_guides_end() */
	size_t n_kept;
	struct other_guide kept[NIT_OTHER_MAX];
	/* next serial number for the events of a service */
	uint64_t next_serial;
	bool absent; /* no guide runs: the tables do not wait for it */
};

void other_guides_init(struct other_guides *);
void other_guides_done(struct other_guides *);

/* Begins a new list of streams.  A stream whose id is in the previous list
 * keeps the data that the guide sent.  The data of other streams is freed at
 * the end of the list. */
void other_guides_begin(struct other_guides *);
void other_guides_add(struct other_guides *, const char *id, uint16_t tsid,
		      uint16_t key_onid);
void other_guides_end(struct other_guides *);

/* The stream with this id; NULL: it is not in the list. */
struct other_guide *other_guides_find(struct other_guides *, const char *id);

enum {
	/* The first tables with these streams wait at most this time for the
	 * guide, as own EIT wait for the SDT: a later change of the tables
	 * would make receivers read them again. */
	OTHERS_WAIT_MS = 4000,
};

/* Does the guide have the SDT of all these streams?  True also if no guide
 * runs. */
bool other_guides_complete(const struct other_guides *);
/* Are the original networks of all these streams known, from keys or from the
 * guide?  True also if no guide runs. */
bool other_guides_have_networks(const struct other_guides *);

/* A hash of the values that an SDT other takes from these streams: identifiers,
 * the status of the services, and which have EIT. */
uint64_t other_guides_hash(const struct other_guides *);

enum {
	OTHER_GUIDE_TAKEN = 1, /* the events replace the previous ones */
	OTHER_GUIDE_ONID = 2, /* the original_network_id has changed as well */
};

/* Replaces the events of a stream in the list by those in the memory fd
 * (borrowed).  If the guide has no SDT, the SDT of the previous events stays
 * (eit_image_keep()).  Returns the bits OTHER_GUIDE_*; 0: the previous events
 * stay. */
unsigned other_guides_take(struct other_guides *,
			   const struct msg_stream_guide *, int fd);

/* The events in the memory of a message; NULL: they are refused, and the log
 * has the reason. */
struct eit_image *guide_image_read(const struct msg_stream_guide *, int fd);
