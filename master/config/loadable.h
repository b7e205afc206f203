/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads a configuration file with which the service can run. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "common/account/secret.h"
#include "common/document/document.h"

#include <jansson.h>

/* Returns 0 and the document; -EBADMSG: the file is no JSON, or has a fatal
 * fault; -ENOENT: there is no file; or another -errno: it cannot be read. */
int loadable_load(const char *path, json_t **ret, struct errmsg *error)
	MUST_CHECK;
/* As loadable_load(), with the document_digest() of the content that was read;
 * "": none was. */
int loadable_load_digest(const char *path, json_t **ret,
			 char ret_digest[DOCUMENT_DIGEST_TEXT],
			 struct errmsg *error) MUST_CHECK;

/* Writes a digest of the content, which does not depend on the layout of the
 * file. */
void loadable_digest(const json_t *document, char ret[SECRET_TEXT]);
