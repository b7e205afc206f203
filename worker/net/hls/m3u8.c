/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/m3u8_parser.h"

#include "common/base/alloc.h"
#include "common/base/hex.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int on_target(struct m3u8_parser *p, struct m3u8_text value)
{
	p->has_target = true;
	return m3u8_duration(p, value, &p->list.target_ms);
}

static int on_sequence(struct m3u8_parser *p, struct m3u8_text value)
{
	return m3u8_number(p, value, &p->list.sequence);
}

/* Segments that a delta update skips are counted, not listed. */
static int take_skip(struct m3u8_parser *p, struct m3u8_text name,
		     struct m3u8_text value, void *arg)
{
	return m3u8_is(name, "SKIPPED-SEGMENTS") ? m3u8_number(p, value, arg)
						 : 0;
}

static int on_skip(struct m3u8_parser *p, struct m3u8_text value)
{
	return m3u8_attributes(p, value, take_skip, &p->skipped);
}

static int on_duration(struct m3u8_parser *p, struct m3u8_text value)
{
	p->has_duration = true;
	return m3u8_duration(p, m3u8_trim(m3u8_cut(&value, ',')),
			     &p->next.duration_ms);
}

static int on_type(struct m3u8_parser *p, struct m3u8_text value)
{
	p->list.ended |= m3u8_is(value, "VOD");
	return 0;
}

static int on_iframes_only(struct m3u8_parser *p, struct m3u8_text value)
{
	(void)value;
	return FAIL(p, -ENOTSUP, "I-frame playlists are not supported");
}

static int on_range(struct m3u8_parser *p, struct m3u8_text value)
{
	struct m3u8_text len = m3u8_cut(&value, '@');
	int r = m3u8_number(p, len, &p->next.range_len);

	if (r == 0 && p->next.range_len == 0)
		return FAIL(p, -EINVAL, "an empty byte range");
	p->range_open = value.len == 0;
	if (r == 0 && !p->range_open)
		r = m3u8_number(p, value, &p->next.range_at);
	return r;
}

static int read_iv(struct m3u8_parser *p, struct m3u8_text t,
		   uint8_t iv[M3U8_IV])
{
	size_t digits = t.len - MIN(t.len, (size_t)2);

	if (digits == 0 || digits > 2 * (size_t)M3U8_IV || t.data[0] != '0' ||
	    (t.data[1] | 0x20) != 'x')
		return FAIL(p, -EINVAL, "IV: \"%.*s\" is not 128 bits",
			    SHOWN(t));
	memset(iv, 0, M3U8_IV);
	for (size_t i = 0; i < digits; i++) {
		int digit = hex_digit(t.data[t.len - 1 - i]);

		if (digit < 0)
			return FAIL(p, -EINVAL, "IV: \"%.*s\" is not "
				    "hexadecimal", SHOWN(t));
		iv[M3U8_IV - 1 - i / 2] |= (uint8_t)(digit << (i % 2 * 4));
	}
	return 0;
}

struct key_tag {
	struct m3u8_key key;
	bool foreign; /* a key system */
};

static int take_key(struct m3u8_parser *p, struct m3u8_text name,
		    struct m3u8_text value, void *arg)
{
	struct key_tag *tag = arg;

	if (m3u8_is(name, "METHOD"))
		tag->key.name = value;
	else if (m3u8_is(name, "URI"))
		tag->key.uri = value;
	else if (m3u8_is(name, "KEYFORMAT"))
		tag->foreign = !m3u8_is(value, "identity");
	else if (m3u8_is(name, "IV")) {
		tag->key.has_iv = true;
		return read_iv(p, value, tag->key.iv);
	}
	return 0;
}

static void add_key(struct m3u8_parser *p, const struct m3u8_key *key)
{
	struct m3u8 *l = &p->list;

	if (l->n_keys == p->keys_size) {
		p->keys_size = MAX(2 * p->keys_size, (size_t)8);
		l->keys = xrealloc(l->keys, p->keys_size * sizeof *l->keys);
	}
	l->keys[l->n_keys++] = *key;
	p->key = (uint32_t)l->n_keys;
}

static int on_key(struct m3u8_parser *p, struct m3u8_text value)
{
	struct key_tag tag = { .key.method = M3U8_OTHER };
	int r = m3u8_attributes(p, value, take_key, &tag);

	if (r < 0)
		return r;
	if (m3u8_is(tag.key.name, "NONE")) {
		p->key = 0;
		p->keyed = false;
		return 0;
	}
	/* one usable key of several is enough */
	if (p->keyed && tag.foreign)
		return 0;
	if (m3u8_is(tag.key.name, "AES-128") && !tag.foreign) {
		tag.key.method = M3U8_AES_128;
		p->keyed = true;
	}
	if (tag.key.method == M3U8_AES_128 && tag.key.uri.len == 0)
		return FAIL(p, -EINVAL, "a key without a URI");
	add_key(p, &tag.key);
	return 0;
}

/* --- lines --- */

#define FLAG(member) offsetof(struct m3u8_parser, member)

static const struct {
	const char *name;
	int (*on_tag)(struct m3u8_parser *, struct m3u8_text value);
	size_t flag; /* without on_tag: place of the bool to set */
} tags[] = {
	{ "#EXTINF", .on_tag = on_duration },
	{ "#EXT-X-BYTERANGE", .on_tag = on_range },
	{ "#EXT-X-DISCONTINUITY", .flag = FLAG(next.discontinuity) },
	{ "#EXT-X-ENDLIST", .flag = FLAG(list.ended) },
	{ "#EXT-X-GAP", .flag = FLAG(next.gap) },
	{ "#EXT-X-I-FRAMES-ONLY", .on_tag = on_iframes_only },
	{ "#EXT-X-KEY", .on_tag = on_key },
	{ "#EXT-X-MAP", .flag = FLAG(list.fragmented) },
	{ "#EXT-X-MEDIA", .on_tag = m3u8_on_media },
	{ "#EXT-X-MEDIA-SEQUENCE", .on_tag = on_sequence },
	{ "#EXT-X-PLAYLIST-TYPE", .on_tag = on_type },
	{ "#EXT-X-SKIP", .on_tag = on_skip },
	{ "#EXT-X-STREAM-INF", .on_tag = m3u8_on_variant },
	{ "#EXT-X-TARGETDURATION", .on_tag = on_target },
};

static int read_tag(struct m3u8_parser *p, struct m3u8_text line)
{
	struct m3u8_text value = line, name = m3u8_cut(&value, ':');

	value = m3u8_trim(value);
	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		if (!m3u8_is(name, tags[i].name))
			continue;
		if (tags[i].on_tag != NULL)
			return tags[i].on_tag(p, value);
		*(bool *)((char *)p + tags[i].flag) = true;
		return 0;
	}
	return 0;
}

static int close_range(struct m3u8_parser *p)
{
	const struct m3u8 *l = &p->list;
	const struct m3u8_segment *last;

	if (!p->range_open)
		return 0;
	last = l->n_segments > 0 ? &l->segments[l->n_segments - 1] : NULL;
	if (last == NULL || last->range_len == 0 ||
	    !m3u8_is_same(last->uri, p->next.uri))
		return FAIL(p, -EINVAL, "a byte range without an offset");
	p->next.range_at = last->range_at + last->range_len;
	return 0;
}

static int add_segment(struct m3u8_parser *p, struct m3u8_text uri)
{
	struct m3u8 *l = &p->list;
	int r;

	if (!p->has_duration)
		return FAIL(p, -EINVAL, "a URI without a duration: this "
			    "is not an HLS playlist");
	if (l->n_segments == M3U8_SEGMENTS_MAX)
		return FAIL(p, -EFBIG, "more than %d segments",
			    M3U8_SEGMENTS_MAX);
	if (l->n_segments == p->segments_size) {
		p->segments_size = MAX(2 * p->segments_size, (size_t)16);
		l->segments = xrealloc(l->segments, p->segments_size *
						    sizeof *l->segments);
	}
	p->next.uri = uri;
	p->next.key = p->key;
	p->next.begin_ms = l->all_ms;
	r = close_range(p);
	if (r < 0)
		return r;
	l->all_ms += p->next.duration_ms;
	l->segments[l->n_segments++] = p->next;
	p->next = (struct m3u8_segment){ 0 };
	p->has_duration = p->range_open = p->keyed = false;
	return 0;
}

static int read_line(struct m3u8_parser *p, struct m3u8_text line)
{
	line = m3u8_trim(line);
	if (line.len == 0)
		return 0;
	if (line.len > M3U8_LINE_MAX)
		return FAIL(p, -EFBIG, "longer than %d bytes", M3U8_LINE_MAX);
	if (line.data[0] == '#')
		return read_tag(p, line);
	if (!p->has_variant)
		return add_segment(p, line);
	m3u8_add_variant(p, line);
	return 0;
}

/* --- parser --- */

static int finish(struct m3u8_parser *p)
{
	struct m3u8 *l = &p->list;
	uint32_t longest = 0;

	if (l->master && l->n_segments > 0)
		return FAIL(p, -EINVAL,
			    "segments and variants in one playlist");
	if (l->master && l->n_variants == 0)
		return FAIL(p, -EINVAL, "no variant");
	if (!l->master && !p->has_target && l->n_segments == 0)
		return FAIL(p, -EINVAL, "neither segments nor variants");
	for (size_t i = 0; i < l->n_segments; i++)
		longest = MAX(longest, l->segments[i].duration_ms);
	if (!p->has_target)
		l->target_ms = longest;
	l->sequence += p->skipped;
	return 0;
}

static const char mark[] = "#EXTM3U";
static const char bom[] = "\xef\xbb\xbf";

bool m3u8_begins(const void *data, size_t len)
{
	const char *text = data;
	size_t mark_len = strlen(mark), bom_len = strlen(bom);

	if (memcmp(text, bom, MIN(len, bom_len)) == 0) {
		text += MIN(len, bom_len);
		len -= MIN(len, bom_len);
	}
	return memcmp(text, mark, MIN(len, mark_len)) == 0;
}

static int read_lines(struct m3u8_parser *p, struct m3u8_text rest)
{
	struct m3u8_text line;
	int r = 0;

	if (rest.len < strlen(mark) || !m3u8_begins(rest.data, rest.len))
		return errmsg_fail(p->error, -EINVAL,
				   "the reply does not begin as a playlist");
	if (rest.len > M3U8_SIZE_MAX)
		return errmsg_fail(p->error, -EFBIG,
				   "the playlist is longer than %d bytes",
				   M3U8_SIZE_MAX);
	if (memchr(rest.data, '\0', rest.len) != NULL)
		return errmsg_fail(p->error, -EINVAL,
				   "the playlist is not text");
	(void)m3u8_cut(&rest, '\n');
	for (p->line_number = 2; rest.len > 0 && r == 0; p->line_number++) {
		line = m3u8_cut(&rest, '\n');
		r = read_line(p, line);
	}
	return r == 0 ? finish(p) : r;
}

int m3u8_parse(const char *text, size_t len, struct m3u8 *ret,
	       struct errmsg *error)
{
	struct m3u8_parser *p = xcalloc(1, sizeof *p);
	int r;

	p->error = error;
	r = read_lines(p, (struct m3u8_text){ .data = text, .len = len });
	if (r == 0)
		*ret = p->list;
	else
		m3u8_done(&p->list);
	free(p);
	return r;
}

void m3u8_done(struct m3u8 *l)
{
	free(l->variants);
	free(l->audios);
	free(l->segments);
	free(l->keys);
	*l = (struct m3u8){ 0 };
}
