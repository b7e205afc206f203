/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The credential in the query of a viewer: token=TOKEN, or auth=LOGIN:PASSWORD.
 *
 * Pure: reads a query, which is hostile.
 */
#pragma once

#include "common/account/credential.h"
#include "common/account/user.h"
#include "common/base/util.h"

#include <stdbool.h>

enum { VIEWER_TOKEN_MAX = 256 }; /* bytes of a token */

struct viewer_credential {
	char token[VIEWER_TOKEN_MAX + 1]; /* "": none */
	char login[USER_LOGIN_MAX + 1];   /* "": none */
	char password[PASSWORD_MAX + 1];
};

/* Reads the credential.  False: a parameter is malformed or too long, or occurs
 * twice, so that two programs could read the query differently.  The caller
 * calls viewer_credential_wipe() at the end. */
bool viewer_credential_read(const char *query, struct viewer_credential *ret);

void viewer_credential_wipe(struct viewer_credential *);
