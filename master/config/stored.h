/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the configuration file at the start of the service, and an older
 * version if the file is unusable.  Alarms: {subject: sentence}. */
#pragma once

#include "common/base/errmsg.h"
#include "common/document/document.h"

#include <jansson.h>

/* Logs a sentence (from malloc(), taken) and adds it to the alarms. */
void stored_alarm(json_t *alarms, const char *subject, char *take_sentence);

/* Returns the document of the file, or of the newest usable version if the file
 * is unusable; an empty document if there is no file, or path is NULL.
 * ret_digest: the document_digest() of the content that is in effect now; "":
 * none is.  NULL with error: there is no usable version, or the file cannot be
 * read. */
json_t *stored_load(const char *path, json_t *alarms,
		    char ret_digest[DOCUMENT_DIGEST_TEXT],
		    struct errmsg *error);

/* Returns the newest usable version, preferably that with the digest good, but
 * never that with the digest bad; *ret_source is its name (from malloc()).
 * NULL: there is none. */
json_t *stored_fallback(const char *path, const char *good, const char *bad,
			char **ret_source);

/* Replaces an unusable file by the document, whose digest as a file it returns.
 * The unusable file is kept under another name, which is in an alarm. */
void stored_replace(const char *path, const json_t *document, json_t *alarms,
		    char ret_digest[DOCUMENT_DIGEST_TEXT]);

/* Removes the rights of other users to the file, because it contains hashes,
 * passphrases and keys; logs that, or that it failed. */
void stored_close(const char *path);
