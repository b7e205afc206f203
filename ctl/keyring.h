/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stores the sessions of this user, by service and login, in the file
 * $XDG_STATE_HOME/sluicectl/sessions.json, which only this user may read.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

/*
 * Finds the session of a login at the service; login NULL: that of the last
 * login.  *ret is the session and *ret_login (may be NULL) the login, which the
 * caller frees; NULL: there is no session.  0, or -errno with error.  A file
 * that other users may read, or that is damaged, is an error.
 */
int keyring_find(const char *url, const char *login, char **ret,
		 char **ret_login, struct errmsg *error) MUST_CHECK;

/* Stores the session of a login, which becomes the last login; session NULL:
 * removes the session of the login.  0, or -errno with error. */
int keyring_put(const char *url, const char *login, const char *session,
		struct errmsg *error) MUST_CHECK;
