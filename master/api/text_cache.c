/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/text_cache.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/mono.h"
#include "master/api/call.h"
#include "master/http/static_answer.h"
#include "proto/wire/http_request.h"
#include "proto/wire/json_text.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
	/* A text of fewer bytes is not compressed (see also least of struct
	 * text_cache). */
	PACK_LEAST = 4096,
	GZIP_WINDOW = 15 + 16, /* selects the format gzip in zlib */
	PACK_MEMORY = 8,
};

static struct cached_text *text_for(struct text_cache *c,
				    const struct reply *reply)
{
	return call_is_reduced(reply->call) ? &c->reduced : &c->whole;
}

static void pack(struct cached_text *t)
{
	z_stream z = { 0 };
	uLong most;

	/* the fastest level is enough: JSON of many similar objects shrinks to
	 * a tenth */
	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, PACK_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	most = deflateBound(&z, t->len);
	t->packed = xcalloc(1, most);
	z.next_in = (Bytef *)t->text;
	z.avail_in = (uInt)t->len;
	z.next_out = t->packed;
	z.avail_out = (uInt)most;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	t->packed_len = z.total_out;
	(void)deflateEnd(&z);
	t->packed = xrealloc(t->packed, t->packed_len);
}

static void give(const struct text_cache *c, struct cached_text *t,
		 struct reply *reply)
{
	reply->status = 200;
	reply->text = t->text;
	reply->len = t->len;
	if (t->len < PACK_LEAST || t->len < c->least ||
	    t->len > UINT32_MAX / 2)
		return;
	reply_header(reply, "Vary", "Accept-Encoding");
	if (!static_accepts_gzip(http_request_header(reply->call->request,
						     "accept-encoding")))
		return;
	if (t->packed == NULL)
		pack(t);
	reply_header(reply, "Content-Encoding", "gzip");
	reply->text = t->packed;
	reply->len = t->packed_len;
}

static void forget(struct cached_text *t)
{
	free(t->text);
	free(t->packed);
	t->text = NULL;
	t->packed = NULL;
}

bool text_cache_reply(struct text_cache *c, uint64_t key, unsigned max_age_ms,
		      struct reply *reply)
{
	struct cached_text *t = text_for(c, reply);

	if (t->text == NULL || t->key != key || t->len < c->least ||
	    (max_age_ms > 0 && mono_ms() - t->made_ms > max_age_ms))
		return false;
	give(c, t, reply);
	return true;
}

/* Returns the text of a JSON object (taken, not empty) with one more member. */
static char *with_member(char *take_text, const char *name,
			 const struct buf *value)
{
	struct buf all = { 0 };

	(void)buf_reserve(&all, strlen(take_text) + strlen(name) +
					buf_len(value) + 8);
	buf_append(&all, take_text, strlen(take_text) - 1);
	buf_printf(&all, ",\"%s\":", name);
	buf_append(&all, buf_head(value), buf_len(value));
	buf_append(&all, "}", 2);
	free(take_text);
	return (char *)all.data;
}

void text_cache_put_text(struct text_cache *c, uint64_t key, char *take_text,
			 struct reply *reply)
{
	struct cached_text *t = text_for(c, reply);

	forget(t);
	t->text = take_text;
	t->len = strlen(t->text);
	t->key = key;
	t->made_ms = mono_ms();
	give(c, t, reply);
}

void text_cache_put_with(struct text_cache *c, uint64_t key, json_t *take_body,
			 const char *name, const struct buf *value,
			 struct reply *reply)
{
	char *text;

	reply_json(reply, take_body);
	call_reduce(reply->call);
	text = json_dumps(reply->body, JSON_COMPACT |
					       json_text_flags(reply->body));
	if (text == NULL)
		abort();
	if (value != NULL)
		text = with_member(text, name, value);
	json_decref(reply->body);
	reply->body = NULL;
	text_cache_put_text(c, key, text, reply);
}

void text_cache_put(struct text_cache *c, uint64_t key, json_t *take_body,
		    struct reply *reply)
{
	text_cache_put_with(c, key, take_body, NULL, NULL, reply);
}

uint64_t text_cache_key(struct text_cache *c, const struct reply *reply)
{
	const struct cached_text *t = text_for(c, reply);

	return t->text != NULL ? t->key : 0;
}

void text_cache_done(struct text_cache *c)
{
	forget(&c->whole);
	forget(&c->reduced);
}
