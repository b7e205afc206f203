/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests of pages of other origins that settings.web_origins lists: the page
 * of one headend shows other headends.
 *
 * Such a page authenticates with Basic or Bearer.  Its cookie does not count,
 * because every page of its origin could make the browser send it.
 */
#pragma once

#include <stdbool.h>

struct call;

/* True: a page of a listed origin sent the request, for a command, a path or
 * the event channel. */
bool cors_is_listed(const struct call *);

/* True: with this request a browser asks whether a page may send another one
 * (preflight). */
bool cors_is_preflight(const struct call *);
/* Answers a preflight request and frees the call. */
void cors_answer_preflight(struct call *);

/* Adds the header that lets a page of a listed origin read the answer. */
void cors_allow(struct call *);
