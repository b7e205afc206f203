/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Previews: users of the web interface watch streams on the page, with a token
 * instead of a login. */
#include "common/account/secret.h"
#include "common/account/user.h"
#include "master/config/config.h"
#include "master/viewers/backend_cache.h"
#include "master/viewers/viewers_state.h"

#include <stdio.h>
#include <string.h>

static const char prefix[] = "preview-";

/* Makes the token of a login: a keyed hash of the login and of its account
 * (user_stamp()).  Only this process has the key.  False: the user may not log
 * in. */
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

static struct preview *find(struct viewers *v, const struct digest *token)
{
	for (size_t i = 0; i < ARRAY_LEN(v->previews); i++)
		if (v->previews[i].login[0] != '\0' &&
		    digest_equal(&v->previews[i].token, token))
			return &v->previews[i];
	return NULL;
}

bool viewers_preview_token(struct viewers *v, const char *login,
			   char ret[VIEWER_PREVIEW_TOKEN])
{
	struct preview *p;
	struct digest d;

	if (v == NULL || !sign(v, login, ret))
		return false;
	d = digest_of(ret);
	if (find(v, &d) != NULL)
		return true;
	p = &v->previews[v->next_preview++ % ARRAY_LEN(v->previews)];
	p->token = d;
	(void)snprintf(p->login, sizeof p->login, "%s", login);
	return true;
}

/* Any client may call this: a token that was never issued costs only a hash. */
const char *viewers_preview_login(struct viewers *v, const char *token)
{
	char own[VIEWER_PREVIEW_TOKEN];
	struct preview *p;
	struct digest d;

	if (strncmp(token, prefix, sizeof prefix - 1) != 0 ||
	    strlen(token) != VIEWER_PREVIEW_TOKEN - 1)
		return NULL;
	d = digest_of(token);
	p = find(v, &d);
	if (p == NULL)
		return NULL;
	/* valid only while the account and its password are the same */
	if (sign(v, p->login, own) && strcmp(own, token) == 0)
		return p->login;
	p->login[0] = '\0';
	return NULL;
}
