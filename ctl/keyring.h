/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sessions of this user, by service and login, in
 * $XDG_STATE_HOME/sluicectl/sessions.json, readable for this user only.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

/*
 * Finds the session of login at the service, of the last login if login is
 * NULL.  The caller frees *ret and *ret_login (may be NULL); both are NULL if
 * there is no session.  0, or -errno with error: a file that other users may
 * read, or that is damaged, is rejected.
 */
int keyring_find(const char *url, const char *login, char **ret,
		 char **ret_login, struct errmsg *error) MUST_CHECK;

/* Stores a session, and its login becomes the last one; session NULL removes
 * that of the login.  0, or -errno with error. */
int keyring_put(const char *url, const char *login, const char *session,
		struct errmsg *error) MUST_CHECK;
