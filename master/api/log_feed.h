/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends new lines of the log to the event clients that asked for them.
 *
 *	{"scope": "log", "lines": [{"n": …, "level": …, …}], "dropped": 7}
 *
 * At most 40 lines every 200 ms; the others are dropped and counted.
 */
#pragma once

#include <jansson.h>

struct api;
struct log_feed;
struct log_line;

/* Borrows the API. */
struct log_feed *log_feed_new(struct api *);
/* NULL-safe; sets *f to NULL. */
void log_feed_free(struct log_feed **);

/* A client of the scope `log' is about to connect: sends lines from now on,
 * until no such client is connected. */
void log_feed_start(struct log_feed *);

/* Returns a line in the form of GET api/log, a new reference. */
json_t *log_line_json(const struct log_line *);
