/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The API with a configuration of its own, and no other part: requests in,
 * answers and consequences out. */
#pragma once

#include "master/api/api.h"
#include "master/config/config.h"
#include "master/setup/options.h"
#include "tests/unit/master/fakes.h"

#include <stddef.h>

struct world {
	struct ev_loop *loop;
	struct config *config;
	struct options options;
	struct api *api;
	struct api_config parts;
	char path[32];     /* of the configuration */
	char log[8192];    /* warnings and errors, one line each */
	unsigned restarts; /* that were wanted */
	unsigned trials;
	const char *trial_error; /* of the next trials; NULL: none */
	unsigned set_logs;
};

extern struct world w;

/* document: with ' for ". */
void open_world(const char *document);
/* Saves, and leaves no file behind.  Only worlds that wrote need it. */
void close_world(void);

/* The content of the configuration file; a new reference. */
json_t *world_file(void);

/* Runs the loop until the answer came; its status. */
int wait_answer(void);
void run_for_ms(unsigned ms);

void request(const char *method, const char *path, const char *query,
	     const char *body);

/* The answer, with ' for ". */
const char *said(void);

/* POSTs a command with ' for "; clears the earlier events.  0 when there is no
 * answer yet, or none at all. */
int post(const char *command);
/* POSTs a command and waits for an answer that comes later. */
int post_through(const char *command);
int get(const char *path, const char *query);

void expect_ok(const char *command, const char *name);
/* The same with the events to clients and to the reconciler. */
void expect_told(const char *command, const char *name, const char *told);
/* Rejected with this sentence, and nothing was changed. */
void expect_error(const char *command, int status, const char *why);
/* The connection is closed without an answer, and nothing was changed. */
void expect_drop(const char *command);
/* The member of the document, with ' for "; "" when there is none. */
void expect_section(const char *key, const char *text);
