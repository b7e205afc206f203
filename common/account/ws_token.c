/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/ws_token.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct token {
	TAILQ_ENTRY(token) link;
	struct digest digest;
	uint64_t issued_ms;
	struct ws_token owner; /* owner.login points to the member login */
	char login[];
};

struct ws_tokens {
	TAILQ_HEAD(, token) list; /* the oldest first */
};

struct ws_tokens *ws_tokens_new(void)
{
	struct ws_tokens *t = xcalloc(1, sizeof *t);

	TAILQ_INIT(&t->list);
	return t;
}

static void drop(struct ws_tokens *t, struct token *token)
{
	TAILQ_REMOVE(&t->list, token, link);
	free(token);
}

void ws_tokens_free(struct ws_tokens **tp)
{
	struct ws_tokens *t = *tp;

	*tp = NULL;
	if (t == NULL)
		return;
	while (!TAILQ_EMPTY(&t->list))
		drop(t, TAILQ_FIRST(&t->list));
	free(t);
}

static void drop_old(struct ws_tokens *t, uint64_t now_ms)
{
	struct token *token;

	while ((token = TAILQ_FIRST(&t->list)) != NULL &&
	       now_ms - token->issued_ms >= WS_TOKEN_LIFE_MS)
		drop(t, token);
}

void ws_tokens_issue(struct ws_tokens *t, const struct ws_token *owner,
		     uint64_t now_ms, char text[SECRET_TEXT])
{
	size_t len = strlen(owner->login) + 1, n = 0;
	struct token *token, *oldest = NULL;

	drop_old(t, now_ms);
	TAILQ_FOREACH(token, &t->list, link) {
		if (strcmp(token->login, owner->login) != 0)
			continue;
		if (oldest == NULL)
			oldest = token;
		n++;
	}
	if (n >= WS_TOKENS_PER_LOGIN)
		drop(t, oldest);
	token = xcalloc(1, sizeof *token + len);
	secret_new(text);
	token->digest = digest_of(text);
	token->issued_ms = now_ms;
	memcpy(token->login, owner->login, len);
	token->owner.login = token->login;
	token->owner.stamp = owner->stamp;
	TAILQ_INSERT_TAIL(&t->list, token, link);
}

bool ws_tokens_redeem(struct ws_tokens *t, const char *text, uint64_t now_ms,
		      struct ws_token *ret)
{
	struct digest digest = digest_of(text);
	struct token *token;

	drop_old(t, now_ms);
	TAILQ_FOREACH(token, &t->list, link)
		if (digest_equal(&token->digest, &digest))
			break;
	if (token == NULL)
		return false;
	ret->login = xstrdup(token->login);
	ret->stamp = token->owner.stamp;
	drop(t, token);
	return true;
}

void ws_tokens_sift(struct ws_tokens *t,
		    bool (*keep)(const struct ws_token *, void *arg),
		    void *arg)
{
	struct token *token, *behind;

	for (token = TAILQ_FIRST(&t->list); token != NULL; token = behind) {
		behind = TAILQ_NEXT(token, link);
		if (!keep(&token->owner, arg))
			drop(t, token);
	}
}
