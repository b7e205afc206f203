/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/m3u8_parser.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- variants --- */

static int take_variant(struct m3u8_parser *p, struct m3u8_text name,
			struct m3u8_text value, void *arg)
{
	struct m3u8_variant *v = arg;

	if (m3u8_is(name, "BANDWIDTH"))
		return m3u8_number(p, value, &v->bandwidth);
	if (m3u8_is(name, "AUDIO"))
		v->audio = value;
	return 0;
}

int m3u8_on_variant(struct m3u8_parser *p, struct m3u8_text value)
{
	p->variant = (struct m3u8_variant){ 0 };
	p->has_variant = true;
	p->list.master = true;
	return m3u8_attributes(p, value, take_variant, &p->variant);
}

void m3u8_add_variant(struct m3u8_parser *p, struct m3u8_text uri)
{
	struct m3u8 *l = &p->list;

	p->has_variant = false;
	/* further variants are ignored */
	if (l->n_variants == M3U8_VARIANTS_MAX)
		return;
	if (l->variants == NULL)
		l->variants = xcalloc(M3U8_VARIANTS_MAX, sizeof *l->variants);
	p->variant.uri = uri;
	l->variants[l->n_variants++] = p->variant;
}

/* --- renditions --- */

struct media_tag {
	struct m3u8_text type;
	struct m3u8_audio audio;
};

static int take_media(struct m3u8_parser *p, struct m3u8_text name,
		      struct m3u8_text value, void *arg)
{
	struct media_tag *m = arg;

	(void)p;
	if (m3u8_is(name, "TYPE"))
		m->type = value;
	else if (m3u8_is(name, "GROUP-ID"))
		m->audio.group = value;
	else if (m3u8_is(name, "NAME"))
		m->audio.name = value;
	else if (m3u8_is(name, "LANGUAGE"))
		m->audio.language = value;
	else if (m3u8_is(name, "URI"))
		m->audio.uri = value;
	else if (m3u8_is(name, "DEFAULT"))
		m->audio.is_default = m3u8_is(value, "YES");
	else if (m3u8_is(name, "AUTOSELECT"))
		m->audio.autoselect = m3u8_is(value, "YES");
	return 0;
}

int m3u8_on_media(struct m3u8_parser *p, struct m3u8_text value)
{
	struct m3u8 *l = &p->list;
	struct media_tag m = { 0 };
	int r = m3u8_attributes(p, value, take_media, &m);

	if (r < 0 || !m3u8_is(m.type, "AUDIO") || m.audio.group.len == 0 ||
	    l->n_audios == M3U8_AUDIOS_MAX)
		return r;
	if (l->audios == NULL)
		l->audios = xcalloc(M3U8_AUDIOS_MAX, sizeof *l->audios);
	l->audios[l->n_audios++] = m.audio;
	return 0;
}

/* "de" matches "DE" and "de-AT"; a name must be equal. */
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
