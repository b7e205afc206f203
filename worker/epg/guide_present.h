/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the services whose present or following event has changed.
 *
 * Pure.
 */
#pragma once

#include "worker/epg/guide.h"

/* events: {"now", "next"} in the form of guide_read(), without details; an
 * absent key: there is no such event.  Each event has at most 16 KiB of JSON;
 * longer texts are cut.  Borrowed.  False: the receiver has no room now. */
typedef bool guide_present_fn(const char *stream, uint16_t number,
			      const json_t *events, void *arg);

/* The present and following events of this moment count as reported:
 * guide_present_find() reports later changes. */
void guide_present_begin(struct guide *, int64_t now_s);
/* Calls found() for each service with other events than reported, for at most
 * max services, until found() returns false.  The next call reports the
 * remaining services. */
void guide_present_find(struct guide *, int64_t now_s, size_t max,
			guide_present_fn *found, void *arg);
