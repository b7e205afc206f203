/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/m3u8_parser.h"

#include "common/base/alloc.h"
#include "common/base/hex.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int on_target(struct m3u8_parser *p, struct m3u8_text value)
{
	p->has_target = true;
	return m3u8_duration(p, value, &p->list.target_ms);
}

static int on_sequence(struct m3u8_parser *p, struct m3u8_text value)
{
	return m3u8_number(p, value, &p->list.sequence);
}

/* Counts the segments that a delta update skips; they are not listed. */
static int on_skip(struct m3u8_parser *p, struct m3u8_text value)
{
	static const struct m3u8_attribute known[] = {
		{ "SKIPPED-SEGMENTS", M3U8_NUMBER,
		  offsetof(struct m3u8_parser, skipped) },
		{ .name = NULL },
	};

	return m3u8_attributes(p, value, known, p);
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
	struct m3u8_text method, uri, format, iv;
};

static int on_key(struct m3u8_parser *p, struct m3u8_text value)
{
	static const struct m3u8_attribute known[] = {
		{ "METHOD", M3U8_TEXT, offsetof(struct key_tag, method) },
		{ "URI", M3U8_TEXT, offsetof(struct key_tag, uri) },
		{ "KEYFORMAT", M3U8_TEXT, offsetof(struct key_tag, format) },
		{ "IV", M3U8_TEXT, offsetof(struct key_tag, iv) },
		{ .name = NULL },
	};
	struct m3u8 *l = &p->list;
	struct key_tag tag = { .iv.data = NULL };
	struct m3u8_key key = { .method = M3U8_OTHER };
	int r = m3u8_attributes(p, value, known, &tag);
	bool of_key_system = tag.format.data != NULL &&
			     !m3u8_is(tag.format, "identity");

	key.name = tag.method;
	key.uri = tag.uri;
	key.has_iv = tag.iv.data != NULL;
	if (r == 0 && key.has_iv)
		r = read_iv(p, tag.iv, key.iv);
	if (r < 0)
		return r;
	if (m3u8_is(key.name, "NONE")) {
		p->key = 0;
		p->keyed = false;
		return 0;
	}
	/* a segment may have several keys: one in a known format is enough */
	if (p->keyed && of_key_system)
		return 0;
	if (m3u8_is(key.name, "AES-128") && !of_key_system) {
		if (key.uri.len == 0)
			return FAIL(p, -EINVAL, "a key without a URI");
		key.method = M3U8_AES_128;
		p->keyed = true;
	}
	if (l->n_keys == p->keys_size) {
		p->keys_size = MAX(2 * p->keys_size, (size_t)8);
		l->keys = xrealloc(l->keys, p->keys_size * sizeof *l->keys);
	}
	l->keys[l->n_keys++] = key;
	p->key = (uint32_t)l->n_keys;
	return 0;
}

/* --- variants --- */

static int on_variant(struct m3u8_parser *p, struct m3u8_text value)
{
	static const struct m3u8_attribute known[] = {
		{ "BANDWIDTH", M3U8_NUMBER,
		  offsetof(struct m3u8_variant, bandwidth) },
		{ "AUDIO", M3U8_TEXT, offsetof(struct m3u8_variant, audio) },
		{ .name = NULL },
	};

	p->variant = (struct m3u8_variant){ 0 };
	p->has_variant = true;
	p->list.master = true;
	return m3u8_attributes(p, value, known, &p->variant);
}

struct media_tag {
	struct m3u8_text type;
	struct m3u8_audio audio;
};

static int on_media(struct m3u8_parser *p, struct m3u8_text value)
{
#define AT(member) offsetof(struct media_tag, member)
	static const struct m3u8_attribute known[] = {
		{ "TYPE", M3U8_TEXT, AT(type) },
		{ "GROUP-ID", M3U8_TEXT, AT(audio.group) },
		{ "NAME", M3U8_TEXT, AT(audio.name) },
		{ "LANGUAGE", M3U8_TEXT, AT(audio.language) },
		{ "URI", M3U8_TEXT, AT(audio.uri) },
		{ "DEFAULT", M3U8_YES, AT(audio.is_default) },
		{ "AUTOSELECT", M3U8_YES, AT(audio.autoselect) },
		{ .name = NULL },
	};
#undef AT
	struct m3u8 *l = &p->list;
	struct media_tag m = { 0 };
	int r = m3u8_attributes(p, value, known, &m);

	if (r < 0 || !m3u8_is(m.type, "AUDIO") || m.audio.group.len == 0 ||
	    l->n_audios == M3U8_AUDIOS_MAX)
		return r;
	if (l->audios == NULL)
		l->audios = xcalloc(M3U8_AUDIOS_MAX, sizeof *l->audios);
	l->audios[l->n_audios++] = m.audio;
	return 0;
}

/* --- lines --- */

#define FLAG(member) offsetof(struct m3u8_parser, member)

static const struct {
	const char *name;
	int (*on_tag)(struct m3u8_parser *, struct m3u8_text value);
	/* used if on_tag is NULL: offset in m3u8_parser of the bool to set */
	size_t flag;
} tags[] = {
	{ "#EXTINF", .on_tag = on_duration },
	{ "#EXT-X-BYTERANGE", .on_tag = on_range },
	{ "#EXT-X-DISCONTINUITY", .flag = FLAG(next.discontinuity) },
	{ "#EXT-X-ENDLIST", .flag = FLAG(list.ended) },
	{ "#EXT-X-GAP", .flag = FLAG(next.gap) },
	{ "#EXT-X-I-FRAMES-ONLY", .on_tag = on_iframes_only },
	{ "#EXT-X-KEY", .on_tag = on_key },
	{ "#EXT-X-MAP", .flag = FLAG(list.fragmented) },
	{ "#EXT-X-MEDIA", .on_tag = on_media },
	{ "#EXT-X-MEDIA-SEQUENCE", .on_tag = on_sequence },
	{ "#EXT-X-PLAYLIST-TYPE", .on_tag = on_type },
	{ "#EXT-X-SKIP", .on_tag = on_skip },
	{ "#EXT-X-STREAM-INF", .on_tag = on_variant },
	{ "#EXT-X-TARGETDURATION", .on_tag = on_target },
};

static int add_segment(struct m3u8_parser *p, struct m3u8_text uri)
{
	struct m3u8 *l = &p->list;
	const struct m3u8_segment *last;

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
	last = l->n_segments > 0 ? &l->segments[l->n_segments - 1] : NULL;
	if (p->range_open) {
		if (last == NULL || last->range_len == 0 ||
		    !m3u8_is_same(last->uri, uri))
			return FAIL(p, -EINVAL,
				    "a byte range without an offset");
		p->next.range_at = last->range_at + last->range_len;
	}
	l->all_ms += p->next.duration_ms;
	l->segments[l->n_segments++] = p->next;
	p->next = (struct m3u8_segment){ 0 };
	p->has_duration = p->range_open = p->keyed = false;
	return 0;
}

static int read_line(struct m3u8_parser *p, struct m3u8_text line)
{
	struct m3u8 *l = &p->list;
	struct m3u8_text value, name;

	line = m3u8_trim(line);
	if (line.len == 0)
		return 0;
	if (line.len > M3U8_LINE_MAX)
		return FAIL(p, -EFBIG, "longer than %d bytes", M3U8_LINE_MAX);
	if (line.data[0] != '#') {
		if (!p->has_variant)
			return add_segment(p, line);
		p->has_variant = false;
		/* further variants are ignored */
		if (l->n_variants == M3U8_VARIANTS_MAX)
			return 0;
		if (l->variants == NULL)
			l->variants = xcalloc(M3U8_VARIANTS_MAX,
					      sizeof *l->variants);
		p->variant.uri = line;
		l->variants[l->n_variants++] = p->variant;
		return 0;
	}
	value = line;
	name = m3u8_cut(&value, ':');
	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		if (!m3u8_is(name, tags[i].name))
			continue;
		if (tags[i].on_tag != NULL)
			return tags[i].on_tag(p, m3u8_trim(value));
		*(bool *)((char *)p + tags[i].flag) = true;
	}
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

/* --- choice of a rendition --- */

/* True if the rendition has the wanted language or name: "de" matches "DE" and
 * "de-AT"; a name must be equal. */
static bool is_wanted(const struct m3u8_audio *s, const char *wanted)
{
	size_t len = strlen(wanted);
	struct m3u8_text l = s->language;

	if (len == 0)
		return false;
	if (m3u8_is(s->name, wanted))
		return true;
	return l.len >= len && strncasecmp(l.data, wanted, len) == 0 &&
	       (l.len == len || l.data[len] == '-');
}

const struct m3u8_audio *m3u8_audio_of(const struct m3u8 *l,
				       const struct m3u8_variant *v,
				       const char *wanted)
{
	const struct m3u8_audio *best = NULL;
	int best_points = -1;

	for (size_t i = 0; i < l->n_audios; i++) {
		const struct m3u8_audio *s = &l->audios[i];
		int points = (is_wanted(s, wanted) ? 4 : 0) +
			     (s->is_default ? 2 : 0) + (s->autoselect ? 1 : 0);

		if (m3u8_is_same(s->group, v->audio) && points > best_points) {
			best = s;
			best_points = points;
		}
	}
	return best;
}
