/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration file at the start of the service, and the older versions
 * that replace an unusable one.  Alarms are sentences by their subjects. */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>

/* Logs the sentence (from malloc(), freed) and adds it to the alarms. */
void stored_alarm(json_t *alarms, const char *subject, char *take_sentence);

/* The document of the file, or of the newest usable version where the file is
 * unusable; an empty one without a file or a path (NULL).  NULL with error:
 * there is none, or the file cannot be read. */
json_t *stored_load(const char *path, json_t *alarms, struct errmsg *error);

/* The newest usable version, preferably that with the digest good, never that
 * with the digest bad; its name (from malloc()) is in ret_source.  NULL: there
 * is none. */
json_t *stored_fallback(const char *path, const char *good, const char *bad,
			char **ret_source);

/* Replaces an unusable file by the document.  The file is kept under another
 * name: an alarm names it. */
void stored_replace(const char *path, const json_t *document, json_t *alarms);

/* Removes the rights of other users: hashes, passphrases and keys are in the
 * file. */
void stored_close(const char *path);
