/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands and questions of the control interface, as JSON. */
#pragma once

#include "ctl/client.h"
#include "ctl/ctl.h"

#include <jansson.h>

/* Sends a command; *ret is the answer of a status 200, a new reference.
 * request is taken. */
enum ctl_exit api_command(struct ctl *, json_t *request,
			  json_t **ret) MUST_CHECK;

/* The same where the answer tells nothing. */
enum ctl_exit api_do(struct ctl *, json_t *request) MUST_CHECK;

/* GET of a path. */
enum ctl_exit api_get(struct ctl *, const char *path, json_t **ret) MUST_CHECK;

/* The whole configuration. */
enum ctl_exit api_load(struct ctl *, json_t **ret) MUST_CHECK;

/* Judges an answer: CTL_OK with its JSON. */
enum ctl_exit api_judge(struct ctl *, const struct client_reply *,
			json_t **ret) MUST_CHECK;

/* A text in an answer; "" when it is not there. */
const char *api_text(const json_t *object, const char *key);

/* A path with text as its last part, escaped; to be freed. */
char *api_path(const char *before, const char *text, const char *after);
