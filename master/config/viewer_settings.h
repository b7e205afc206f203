/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what the authorization of viewers needs besides its rules: keys of the
 * section `auth', and allow_real_ip.  Pure. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	VIEWER_URL_MAX = 1024,
	VIEWER_LOCATION_MAX = 1024,
	VIEWER_SECRET_MAX = 256, /* bytes of securetoken */
};

/* Makes the URL of the backend, with its path, from the keys of `auth'; "": no
 * backend.  Returns 0, or -EINVAL: the URL cannot be used. */
int viewer_backend_url(const json_t *auth, char url[VIEWER_URL_MAX],
		       struct errmsg *error) MUST_CHECK;

struct viewer_settings {
	char url[VIEWER_URL_MAX]; /* URL of the backend; "": none */
	bool real_ip;      /* x_real_ip or allow_real_ip is true */
	bool fails_closed; /* backend_unreachable is set, and not to "allow" */
	bool ends_oldest;  /* conlimit_mode is "oldest" */
};

/* Reads the settings; both sections may be NULL (absent). */
void viewer_settings_read(const json_t *settings, const json_t *auth,
			  struct viewer_settings *ret);

/* True: the text can be sent in the header Location. */
bool viewer_location_is_valid(const char *text);
