/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests of pages of other origins that settings.web_origins lists: the page
 * of one headend shows others.
 *
 * Such a page sends Basic or Bearer.  Its cookie does not count, because every
 * page of its origin could make the browser send it.
 */
#pragma once

#include <stdbool.h>

struct call;

/* True when the request comes from a page of a listed origin, and is for a
 * command, a path or the event channel. */
bool cors_is_listed(const struct call *);

/* True when a browser asks whether a page may send a request. */
bool cors_is_preflight(const struct call *);
/* Answers it and frees the call. */
void cors_answer_preflight(struct call *);

/* Lets the page read the answer.  Call it for a listed origin. */
void cors_allow(struct call *);
