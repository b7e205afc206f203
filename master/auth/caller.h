/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sender of a request. */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/account/secret.h"
#include "common/account/user.h"

#include <stdbool.h>

struct caller {
	char login[USER_LOGIN_MAX + 1]; /* "-": --no-web-auth; "": unknown */
	/* USER_CONTROL or USER_OBSERVER; 0: unknown */
	int type;
	/* address of the client, not of its proxy */
	struct ip_address address;
	bool secure;                    /* the request came over TLS */
	char session[SECRET_TEXT];      /* "": not logged in by a session */
};
