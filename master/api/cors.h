/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests of web pages of other origins that settings.web_origins lists: the
 * page of one headend shows other headends.
 *
 * Such a page authenticates with Basic or Bearer.  A cookie does not count,
 * because any page of that origin could make the browser send the cookie.
 */
#pragma once

#include <stdbool.h>

struct call;

/* True: a page of a listed origin sent the request, for a command, a path or
 * the event channel. */
bool cors_is_listed(const struct call *);

/* True: this is a preflight request (OPTIONS), by which a browser asks whether
 * a page may send its request. */
bool cors_is_preflight(const struct call *);
/* Answers a preflight request and frees the call. */
void cors_answer_preflight(struct call *);

/* Adds the header that lets a page of a listed origin read the answer. */
void cors_allow(struct call *);
