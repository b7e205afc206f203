/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends commands and queries to the control interface, and returns the replies
 * as JSON. */
#pragma once

#include "ctl/client.h"
#include "ctl/ctl.h"

#include <jansson.h>
#include <stdbool.h>

/* Sends a command and takes request.  CTL_OK: *ret is a new reference to the
 * reply; other codes: ctl has the error. */
enum ctl_exit api_command(struct ctl *, json_t *request,
			  json_t **ret) MUST_CHECK;

/* Sends a command whose reply has no content; takes request. */
enum ctl_exit api_do(struct ctl *, json_t *request) MUST_CHECK;

/* Sends a GET for a path; *ret is the reply, a new reference. */
enum ctl_exit api_get(struct ctl *, const char *path, json_t **ret) MUST_CHECK;

/* Reads the whole configuration; *ret is a new reference. */
enum ctl_exit api_load(struct ctl *, json_t **ret) MUST_CHECK;

/* True if the login is an observer, from whom the service hides some commands
 * and a part of the configuration.  False also if the service does not
 * answer. */
bool api_is_observer(struct ctl *);

/* Checks a reply; CTL_OK with its JSON, a new reference, if the status is 200,
 * else another code with the error in ctl. */
enum ctl_exit api_judge(struct ctl *, const struct client_reply *,
			json_t **ret) MUST_CHECK;

/* A text member of object; "" if absent. */
const char *api_text(const json_t *object, const char *key);
/* A whole number of object; 0 if absent. */
json_int_t api_number(const json_t *object, const char *key);

/* Returns before + text + after, with text percent-encoded; the caller frees
 * it. */
char *api_path(const char *before, const char *text, const char *after);
