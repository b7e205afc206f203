/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sender of a request. */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/account/secret.h"
#include "common/account/user.h"

#include <stdbool.h>

struct caller {
	char login[USER_LOGIN_MAX + 1]; /* "-": --no-web-auth; "": unknown */
	int type;                       /* USER_CONTROL, USER_OBSERVER; 0 */
	struct ip_address address;      /* the client's, not its proxy's */
	bool secure;                    /* the request came over TLS */
	char session[SECRET_TEXT];      /* "": not admitted by a session */
};
