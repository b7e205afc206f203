/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/text_cache.h"

#include "common/base/mono.h"
#include "master/api/call.h"
#include "proto/wire/json_text.h"

#include <stdlib.h>
#include <string.h>

/* An observer may get less of the body. */
static bool is_for(const struct reply *reply)
{
	return !call_is_reduced(reply->call);
}

static void give(const struct text_cache *c, struct reply *reply)
{
	reply->status = 200;
	reply->text = c->text;
	reply->len = c->len;
}

bool text_cache_reply(struct text_cache *c, uint64_t key, unsigned max_age_ms,
		      struct reply *reply)
{
	if (c->text == NULL || c->key != key || !is_for(reply) ||
	    (max_age_ms > 0 && mono_ms() - c->made_ms > max_age_ms))
		return false;
	give(c, reply);
	return true;
}

void text_cache_put(struct text_cache *c, uint64_t key, json_t *take_body,
		    struct reply *reply)
{
	if (!is_for(reply)) {
		reply_json(reply, take_body);
		return;
	}
	free(c->text);
	c->text = json_dumps(take_body, JSON_COMPACT |
						json_text_flags(take_body));
	if (c->text == NULL)
		abort();
	c->len = strlen(c->text);
	c->key = key;
	c->made_ms = mono_ms();
	json_decref(take_body);
	give(c, reply);
}

void text_cache_done(struct text_cache *c)
{
	free(c->text);
	c->text = NULL;
}
