/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the programmes of a document of XMLTV (xmltv.dtd), a part at a time.
 *
 * The document is untrusted: it is refused if it is not well-formed, has
 * declarations in its DOCTYPE, names an entity, or exceeds a limit below.  A
 * programme with an impossible date, or without a channel, is refused alone.
 * Other elements, and the programmes of channels that are not wanted, are
 * skipped.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "worker/si/eit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	XMLTV_DEPTH_MAX = 16,
	XMLTV_TOKEN_MAX = 1 << 20, /* bytes of a tag or a text */
	XMLTV_PROGRAMMES_MAX = 2000000,
	XMLTV_CHANNELS_MAX = 50000,
	XMLTV_NAMES_MAX = 1000, /* of elements and attributes */
	XMLTV_NAME_MAX = 255, /* bytes */
};

struct xmltv_found {
	int64_t start_s, stop_s;
	bool has_stop;
	const struct eit_facts *facts; /* until the call returns */
};

struct xmltv_reader_events {
	/* Are programmes of this channel wanted? */
	bool (*wants)(const char *channel, void *arg);
	void (*on_programme)(const char *channel, const struct xmltv_found *,
			     void *arg);
};

struct xmltv_reader;

struct xmltv_reader *xmltv_reader_new(const struct xmltv_reader_events *,
				      void *arg);
/* NULL-safe; sets *r to NULL. */
void xmltv_reader_free(struct xmltv_reader **);

/* Takes the next bytes; last: the document ends with them.  0, or -EINVAL with
 * a sentence that begins with the line; then no call may follow. */
int xmltv_reader_feed(struct xmltv_reader *, const void *bytes, size_t len,
		      bool last, struct errmsg *error) MUST_CHECK;

/* Programmes that were refused, and why the first one was; "": none. */
uint64_t xmltv_reader_refused(const struct xmltv_reader *);
const char *xmltv_reader_first_refusal(const struct xmltv_reader *);
