/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Previews: streams that users of the web interface watch on its page. */
#include "common/account/secret.h"
#include "common/account/user.h"
#include "master/config/config.h"
#include "master/viewers/backend_cache.h"
#include "master/viewers/viewers_state.h"

#include <stdio.h>
#include <string.h>

static const char prefix[] = "preview-";

/* The keyed hash of a login and its password, under a key that this process
 * alone has; false: the user may not enter. */
static bool sign(const struct viewers *v, const char *login,
		 char ret[VIEWER_PREVIEW_TOKEN])
{
	char stamp[SECRET_TEXT], text[SECRET_TEXT];
	const char *texts[] = { prefix, login, stamp };
	struct digest d;
	struct user u;

	if (!user_find(config_document(v->cfg.config), login, &u) ||
	    !user_may_enter(&u))
		return false;
	d = user_stamp(&u);
	digest_format(&d, stamp);
	d = backend_cache_key(v->cache, texts, ARRAY_LEN(texts));
	digest_format(&d, text);
	(void)snprintf(ret, VIEWER_PREVIEW_TOKEN, "%s%s", prefix, text);
	return true;
}

bool viewers_preview_token(const struct viewers *v, const char *login,
			   char ret[VIEWER_PREVIEW_TOKEN])
{
	return v != NULL && sign(v, login, ret);
}

const char *viewers_preview_login(const struct viewers *v, const char *token)
{
	const json_t *users = config_section(v->cfg.config, "users");
	char own[VIEWER_PREVIEW_TOKEN];
	const char *login;
	json_t *entry;

	if (strncmp(token, prefix, sizeof prefix - 1) != 0 ||
	    strlen(token) != VIEWER_PREVIEW_TOKEN - 1)
		return NULL;
	json_object_foreach((json_t *)(uintptr_t)users, login, entry) {
		struct digest a, b;

		/* most users are viewers, and have no such token */
		if (json_number_value(json_object_get(entry, "type")) ==
			    USER_REGULAR || !sign(v, login, own))
			continue;
		a = digest_of(own);
		b = digest_of(token);
		if (digest_equal(&a, &b))
			return login;
	}
	return NULL;
}
