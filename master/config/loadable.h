/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A configuration file that the service can run with. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "common/account/secret.h"

#include <jansson.h>

/* 0; -EBADMSG when it is no JSON or has a fatal fault, -ENOENT when there is
 * none, another -errno when it cannot be read. */
int loadable_load(const char *path, json_t **ret, struct errmsg *error)
	MUST_CHECK;

/* Depends on the content only, not on the layout of the file. */
void loadable_digest(const json_t *document, char ret[SECRET_TEXT]);
