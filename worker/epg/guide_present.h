/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the services whose present or following event has changed.
 *
 * Pure.
 */
#pragma once

#include "worker/epg/guide.h"

/* events: {"now", "next"} as guide_read() has them, without details; an absent
 * one: none.  At most 16 KiB of JSON each: more texts are cut.  Borrowed.
 * False: there is no room now. */
typedef bool guide_present_fn(const char *stream, uint16_t number,
			      const json_t *events, void *arg);

/* Takes the events of this moment as known: guide_present_find() reports later
 * changes. */
void guide_present_begin(struct guide *, int64_t now_s);
/* Calls found for each service with other events, at most max, until it returns
 * false: the next call continues. */
void guide_present_find(struct guide *, int64_t now_s, size_t max,
			guide_present_fn *found, void *arg);
