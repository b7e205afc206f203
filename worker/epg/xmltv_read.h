/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the programmes of a document of XMLTV (xmltv.dtd), a part at a time.
 *
 * The document is untrusted: it is rejected if it is not well-formed, has
 * declarations in its DOCTYPE, names an undefined entity, or exceeds a limit
 * below.  A programme with an impossible date, with an end that is not after
 * the start, or without a channel, is rejected alone.  Other elements, and
 * programmes of channels that are not wanted, are skipped.
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
	XMLTV_DEPTH_MAX = 16, /* nested elements */
	XMLTV_TOKEN_MAX = 1 << 20, /* bytes of a tag or a comment */
	XMLTV_PROGRAMMES_MAX = 2000000,
	XMLTV_CHANNELS_MAX = 50000,
	XMLTV_NAMES_MAX = 1000, /* different names of elements and attributes */
	XMLTV_NAME_MAX = 255, /* bytes of such a name */
};

struct xmltv_found {
	int64_t start_s, stop_s; /* Unix times */
	bool has_stop;
	const struct eit_facts *facts; /* texts, contents and age; valid until
					* the call returns */
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

/* Takes the next bytes of the document; last: it ends with them.  Returns 0, or
 * -EINVAL with an error that begins with the number of the line: the document
 * is rejected, and the only call that may follow is xmltv_reader_free(). */
int xmltv_reader_feed(struct xmltv_reader *, const void *bytes, size_t len,
		      bool last, struct errmsg *error) MUST_CHECK;

/* xmltv_reader_refused() returns the number of programmes that were rejected;
 * xmltv_reader_first_refusal() returns why the first one was, "": none was. */
uint64_t xmltv_reader_refused(const struct xmltv_reader *);
const char *xmltv_reader_first_refusal(const struct xmltv_reader *);
