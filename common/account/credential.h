/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the login, password or session id from the headers of a request.
 *
 * Pure.  The header values are hostile.
 */
#pragma once

#include "common/base/util.h"
#include "common/account/secret.h"
#include "common/account/user.h"

#include <stdbool.h>

#define SESSION_COOKIE "svc_session"

enum {
	/* bytes; crypt(3) takes no longer passwords */
	PASSWORD_MAX = 511,
};

enum credential_kind {
	CREDENTIAL_NONE,    /* the request has no credential */
	CREDENTIAL_BAD,     /* malformed, or an unknown scheme */
	CREDENTIAL_SESSION, /* a session id */
	CREDENTIAL_BASIC,   /* login and password */
};

struct credential {
	enum credential_kind kind;
	char session[SECRET_TEXT];
	char login[USER_LOGIN_MAX + 1];
	char password[PASSWORD_MAX + 1];
};

/*
 * Reads the header Authorization (NULL when there is none): Basic or Bearer.
 * Another scheme or a malformed header is CREDENTIAL_BAD.  Call
 * credential_wipe() after use.
 */
void credential_read(const char *authorization, struct credential *ret);

/* The session id in the header Cookie (NULL: no header); false without a
 * valid one. */
bool credential_cookie(const char *cookie, char ret[SECRET_TEXT]);

void credential_wipe(struct credential *);
