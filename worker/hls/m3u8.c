/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/hls/m3u8.h"

#include "common/alloc.h"
#include "common/hex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	NUMBER_DIGITS = 18, /* always fit 64 bits */
	ATTRIBUTES_MAX = 64,
};

/* A group of EXT-X-MEDIA:TYPE=AUDIO. */
struct group {
	struct m3u8_text id;
	bool within; /* one of it is in the variant's own segments */
};

struct parser {
	struct m3u8 list;
	struct errmsg *why;
	unsigned line_number;
	size_t segments_size, keys_size; /* that there is room for */

	/* of the segment to come */
	bool has_duration;
	struct m3u8_segment next;
	bool range_open; /* it begins where the last one ended */
	uint32_t key;
	bool keyed; /* by a key of this segment in a form that we know */
	bool has_target;
	uint64_t skipped; /* segments that are not listed */

	/* of the variant to come */
	bool has_variant;
	struct m3u8_variant variant;
	struct m3u8_text audio[M3U8_VARIANTS_MAX]; /* the group of each */
	struct m3u8_text next_audio;
	size_t n_groups;
	struct group groups[M3U8_GROUPS_MAX];
};

#define FAIL(p, err, format, ...)                                             \
	errmsg_fail((p)->why, (err), "playlist line %u: " format,            \
		    (p)->line_number, ##__VA_ARGS__)

static bool is_text(struct m3u8_text t, const char *text)
{
	return t.len == strlen(text) && memcmp(t.data, text, t.len) == 0;
}

static bool is_same(struct m3u8_text a, struct m3u8_text b)
{
	return a.len == b.len && a.len > 0 &&
	       memcmp(a.data, b.data, a.len) == 0;
}

/* What of a text can be shown in a sentence. */
#define SHOWN(t) (int)MIN((t).len, (size_t)32), (t).data

static struct m3u8_text trim(struct m3u8_text t)
{
	while (t.len > 0 && (t.data[0] == ' ' || t.data[0] == '\t')) {
		t.data++;
		t.len--;
	}
	while (t.len > 0 && strchr(" \t\r", t.data[t.len - 1]) != NULL)
		t.len--;
	return t;
}

/* Takes what stands before the mark, or all, off *rest. */
static struct m3u8_text cut_at(struct m3u8_text *rest, char mark)
{
	const char *end = memchr(rest->data, mark, rest->len);
	struct m3u8_text part = *rest;

	if (end == NULL) {
		rest->data += rest->len;
		rest->len = 0;
		return part;
	}
	part.len = (size_t)(end - rest->data);
	rest->data = end + 1;
	rest->len -= part.len + 1;
	return part;
}

static int read_number(struct parser *p, struct m3u8_text t, uint64_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t.len; i++) {
		if (t.data[i] < '0' || t.data[i] > '9' || i >= NUMBER_DIGITS)
			return FAIL(p, -EINVAL, "\"%.*s\" is not a number",
				    SHOWN(t));
		n = n * 10 + (uint64_t)(t.data[i] - '0');
	}
	if (t.len == 0)
		return FAIL(p, -EINVAL, "a number is missing");
	*ret = n;
	return 0;
}

/* Seconds with a fraction. */
static int read_duration(struct parser *p, struct m3u8_text t, uint32_t *ret)
{
	struct m3u8_text fraction = t;
	struct m3u8_text whole = cut_at(&fraction, '.');
	uint64_t s, ms = 0;
	int r = read_number(p, whole, &s);

	if (r < 0)
		return r;
	for (size_t i = 0, scale = 100; i < fraction.len; i++, scale /= 10) {
		if (fraction.data[i] < '0' || fraction.data[i] > '9')
			return FAIL(p, -EINVAL, "\"%.*s\" is not a duration",
				    SHOWN(t));
		ms += (uint64_t)(fraction.data[i] - '0') * scale;
	}
	if (s > M3U8_DURATION_MAX_MS / 1000)
		return FAIL(p, -EINVAL, "\"%.*s\" is longer than an hour",
			    SHOWN(t));
	*ret = (uint32_t)(s * 1000 + ms);
	return 0;
}

/* --- attributes: NAME=value,NAME="value" (4.2) --- */

/* Takes the next one off *rest; 1, 0 at the end, or -EINVAL. */
static int next_attribute(struct parser *p, struct m3u8_text *rest,
			  struct m3u8_text *ret_name,
			  struct m3u8_text *ret_value)
{
	if (rest->len == 0)
		return 0;
	if (memchr(rest->data, '=', rest->len) == NULL)
		return FAIL(p, -EINVAL, "\"%.*s\" is no attribute",
			    SHOWN(*rest));
	*ret_name = trim(cut_at(rest, '='));
	if (rest->len == 0 || rest->data[0] != '"') {
		*ret_value = trim(cut_at(rest, ','));
		return 1;
	}
	rest->data++;
	rest->len--;
	if (memchr(rest->data, '"', rest->len) == NULL)
		return FAIL(p, -EINVAL, "a quotation mark is missing");
	*ret_value = cut_at(rest, '"');
	(void)cut_at(rest, ',');
	return 1;
}

typedef int attribute_fn(struct parser *, struct m3u8_text name,
			 struct m3u8_text value, void *arg);

static int each_attribute(struct parser *p, struct m3u8_text rest,
			  attribute_fn *take, void *arg)
{
	struct m3u8_text name, value;
	int r;

	for (unsigned i = 0; i < ATTRIBUTES_MAX; i++) {
		r = next_attribute(p, &rest, &name, &value);
		if (r <= 0)
			return r;
		r = take(p, name, value, arg);
		if (r < 0)
			return r;
	}
	return FAIL(p, -EINVAL, "more than %d attributes", ATTRIBUTES_MAX);
}

/* --- tags of a media playlist --- */

static int on_target(struct parser *p, struct m3u8_text value)
{
	p->has_target = true;
	return read_duration(p, value, &p->list.target_ms);
}

static int on_sequence(struct parser *p, struct m3u8_text value)
{
	return read_number(p, value, &p->list.sequence);
}

/* Of a delta that nobody asked for: they count, and are not listed. */
static int take_skip(struct parser *p, struct m3u8_text name,
		     struct m3u8_text value, void *arg)
{
	return is_text(name, "SKIPPED-SEGMENTS") ? read_number(p, value, arg)
						 : 0;
}

static int on_skip(struct parser *p, struct m3u8_text value)
{
	return each_attribute(p, value, take_skip, &p->skipped);
}

static int on_duration(struct parser *p, struct m3u8_text value)
{
	p->has_duration = true;
	return read_duration(p, trim(cut_at(&value, ',')),
			     &p->next.duration_ms);
}

static int on_discontinuity(struct parser *p, struct m3u8_text value)
{
	(void)value;
	p->next.discontinuity = true;
	return 0;
}

static int on_gap(struct parser *p, struct m3u8_text value)
{
	(void)value;
	p->next.gap = true;
	return 0;
}

static int on_end(struct parser *p, struct m3u8_text value)
{
	(void)value;
	p->list.ended = true;
	return 0;
}

static int on_type(struct parser *p, struct m3u8_text value)
{
	p->list.ended |= is_text(value, "VOD");
	return 0;
}

static int on_map(struct parser *p, struct m3u8_text value)
{
	(void)value;
	p->list.fragmented = true;
	return 0;
}

static int on_pictures_only(struct parser *p, struct m3u8_text value)
{
	(void)value;
	return FAIL(p, -ENOTSUP, "a playlist of single pictures is not "
		    "played");
}

static int on_range(struct parser *p, struct m3u8_text value)
{
	struct m3u8_text len = cut_at(&value, '@');
	int r = read_number(p, len, &p->next.range_len);

	if (r == 0 && p->next.range_len == 0)
		return FAIL(p, -EINVAL, "a range of no bytes");
	p->range_open = value.len == 0;
	if (r == 0 && !p->range_open)
		r = read_number(p, value, &p->next.range_at);
	return r;
}

static int read_iv(struct parser *p, struct m3u8_text t, uint8_t iv[M3U8_IV])
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
	bool foreign; /* a key system of somebody's */
};

static int take_key(struct parser *p, struct m3u8_text name,
		    struct m3u8_text value, void *arg)
{
	struct key_tag *tag = arg;

	if (is_text(name, "METHOD"))
		tag->key.name = value;
	else if (is_text(name, "URI"))
		tag->key.uri = value;
	else if (is_text(name, "KEYFORMAT"))
		tag->foreign = !is_text(value, "identity");
	else if (is_text(name, "IV")) {
		tag->key.has_iv = true;
		return read_iv(p, value, tag->key.iv);
	}
	return 0;
}

static void add_key(struct parser *p, const struct m3u8_key *key)
{
	struct m3u8 *l = &p->list;

	if (l->n_keys == p->keys_size) {
		p->keys_size = MAX(2 * p->keys_size, (size_t)8);
		l->keys = xrealloc(l->keys, p->keys_size * sizeof *l->keys);
	}
	l->keys[l->n_keys++] = *key;
	p->key = (uint32_t)l->n_keys;
}

static int on_key(struct parser *p, struct m3u8_text value)
{
	struct key_tag tag = { .key.method = M3U8_OTHER };
	int r = each_attribute(p, value, take_key, &tag);

	if (r < 0)
		return r;
	if (is_text(tag.key.name, "NONE")) {
		p->key = 0;
		p->keyed = false;
		return 0;
	}
	/* one of several for the same segments will do */
	if (p->keyed && tag.foreign)
		return 0;
	if (is_text(tag.key.name, "AES-128") && !tag.foreign) {
		tag.key.method = M3U8_AES_128;
		p->keyed = true;
	}
	if (tag.key.method == M3U8_AES_128 && tag.key.uri.len == 0)
		return FAIL(p, -EINVAL, "a key without an URI");
	add_key(p, &tag.key);
	return 0;
}

/* --- tags of a master playlist --- */

static int take_variant(struct parser *p, struct m3u8_text name,
			struct m3u8_text value, void *arg)
{
	struct m3u8_variant *v = arg;

	if (is_text(name, "BANDWIDTH"))
		return read_number(p, value, &v->bandwidth);
	if (is_text(name, "AUDIO"))
		p->next_audio = value;
	return 0;
}

static int on_variant(struct parser *p, struct m3u8_text value)
{
	p->variant = (struct m3u8_variant){ 0 };
	p->next_audio = (struct m3u8_text){ 0 };
	p->has_variant = true;
	p->list.master = true;
	return each_attribute(p, value, take_variant, &p->variant);
}

struct media_tag {
	struct m3u8_text type, group, uri;
};

static int take_media(struct parser *p, struct m3u8_text name,
		      struct m3u8_text value, void *arg)
{
	struct media_tag *m = arg;

	(void)p;
	if (is_text(name, "TYPE"))
		m->type = value;
	else if (is_text(name, "GROUP-ID"))
		m->group = value;
	else if (is_text(name, "URI"))
		m->uri = value;
	return 0;
}

static int on_media(struct parser *p, struct m3u8_text value)
{
	struct media_tag m = { 0 };
	int r = each_attribute(p, value, take_media, &m);
	size_t i = 0;

	if (r < 0 || !is_text(m.type, "AUDIO") || m.group.len == 0)
		return r;
	while (i < p->n_groups && !is_same(p->groups[i].id, m.group))
		i++;
	if (i == M3U8_GROUPS_MAX)
		return 0;
	if (i == p->n_groups)
		p->groups[p->n_groups++] = (struct group){ .id = m.group };
	p->groups[i].within |= m.uri.len == 0;
	return 0;
}

/* --- lines --- */

static const struct {
	const char *name;
	int (*on_tag)(struct parser *, struct m3u8_text value);
} tags[] = {
	{ "#EXTINF", on_duration },
	{ "#EXT-X-BYTERANGE", on_range },
	{ "#EXT-X-DISCONTINUITY", on_discontinuity },
	{ "#EXT-X-ENDLIST", on_end },
	{ "#EXT-X-GAP", on_gap },
	{ "#EXT-X-I-FRAMES-ONLY", on_pictures_only },
	{ "#EXT-X-KEY", on_key },
	{ "#EXT-X-MAP", on_map },
	{ "#EXT-X-MEDIA", on_media },
	{ "#EXT-X-MEDIA-SEQUENCE", on_sequence },
	{ "#EXT-X-PLAYLIST-TYPE", on_type },
	{ "#EXT-X-SKIP", on_skip },
	{ "#EXT-X-STREAM-INF", on_variant },
	{ "#EXT-X-TARGETDURATION", on_target },
};

static int read_tag(struct parser *p, struct m3u8_text line)
{
	struct m3u8_text value = line, name = cut_at(&value, ':');

	value = trim(value);
	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (is_text(name, tags[i].name))
			return tags[i].on_tag(p, value);
	return 0;
}

static int close_range(struct parser *p)
{
	const struct m3u8 *l = &p->list;
	const struct m3u8_segment *last;

	if (!p->range_open)
		return 0;
	last = l->n_segments > 0 ? &l->segments[l->n_segments - 1] : NULL;
	if (last == NULL || last->range_len == 0 ||
	    !is_same(last->uri, p->next.uri))
		return FAIL(p, -EINVAL, "a range that begins nowhere");
	p->next.range_at = last->range_at + last->range_len;
	return 0;
}

static int add_segment(struct parser *p, struct m3u8_text uri)
{
	struct m3u8 *l = &p->list;
	int r;

	if (!p->has_duration)
		return FAIL(p, -EINVAL, "an address without a duration: this "
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
	r = close_range(p);
	if (r < 0)
		return r;
	l->segments[l->n_segments++] = p->next;
	p->next = (struct m3u8_segment){ 0 };
	p->has_duration = p->range_open = p->keyed = false;
	return 0;
}

static int add_variant(struct parser *p, struct m3u8_text uri)
{
	struct m3u8 *l = &p->list;

	p->has_variant = false;
	/* the others are as good as not there */
	if (l->n_variants == M3U8_VARIANTS_MAX)
		return 0;
	if (l->variants == NULL)
		l->variants = xcalloc(M3U8_VARIANTS_MAX, sizeof *l->variants);
	p->variant.uri = uri;
	p->audio[l->n_variants] = p->next_audio;
	l->variants[l->n_variants++] = p->variant;
	return 0;
}

static int read_line(struct parser *p, struct m3u8_text line)
{
	line = trim(line);
	if (line.len == 0)
		return 0;
	if (line.len > M3U8_LINE_MAX)
		return FAIL(p, -EFBIG, "longer than %d bytes", M3U8_LINE_MAX);
	if (line.data[0] == '#')
		return read_tag(p, line);
	return p->has_variant ? add_variant(p, line) : add_segment(p, line);
}

/* --- all of it --- */

static int finish(struct parser *p)
{
	struct m3u8 *l = &p->list;
	uint32_t longest = 0;

	if (l->master && l->n_segments > 0)
		return FAIL(p, -EINVAL, "segments and variants in one");
	if (l->master && l->n_variants == 0)
		return FAIL(p, -EINVAL, "no variant");
	if (!l->master && !p->has_target && l->n_segments == 0)
		return FAIL(p, -EINVAL, "neither segments nor variants");
	for (size_t i = 0; i < l->n_variants; i++)
		for (size_t k = 0; k < p->n_groups; k++)
			if (is_same(p->groups[k].id, p->audio[i]))
				l->variants[i].audio_apart =
					!p->groups[k].within;
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

static int read_lines(struct parser *p, struct m3u8_text rest)
{
	struct m3u8_text line;
	int r = 0;

	if (rest.len < strlen(mark) || !m3u8_begins(rest.data, rest.len))
		return errmsg_fail(p->why, -EINVAL,
				   "it does not begin as a playlist does");
	if (rest.len > M3U8_SIZE_MAX)
		return errmsg_fail(p->why, -EFBIG,
				   "the playlist is longer than %d bytes",
				   M3U8_SIZE_MAX);
	if (memchr(rest.data, '\0', rest.len) != NULL)
		return errmsg_fail(p->why, -EINVAL,
				   "the playlist is no text");
	(void)cut_at(&rest, '\n');
	for (p->line_number = 2; rest.len > 0 && r == 0; p->line_number++) {
		line = cut_at(&rest, '\n');
		r = read_line(p, line);
	}
	return r == 0 ? finish(p) : r;
}

int m3u8_parse(const char *text, size_t len, struct m3u8 *ret,
	       struct errmsg *why)
{
	struct parser *p = xcalloc(1, sizeof *p);
	int r;

	p->why = why;
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
	free(l->segments);
	free(l->keys);
	*l = (struct m3u8){ 0 };
}
