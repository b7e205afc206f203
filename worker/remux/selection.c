/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/selection.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum {
	TYPE_AAC_ADTS = 0x0f,
	TYPE_AAC_LATM = 0x11,
	TYPE_MPEG4_AUDIO = 0x1c,
	TYPE_USER_PRIVATE = 0x80,
	TYPE_AC3 = 0x81,
	TYPE_SCTE35 = 0x86,
	TYPE_EAC3 = 0x87,
	LANGUAGE_ENTRY = 4,
	SUBTITLING_ENTRY = 8,
	TELETEXT_ENTRY = 5,
	SUPPLEMENTARY_AUDIO = 0x06, /* descriptor_tag_extension */
};

bool stream_is_private(const struct pmt_stream *s)
{
	switch (s->class) {
	case PID_DATA:
		return s->type != TYPE_SCTE35;
	case PID_OTHER:
		return s->type >= TYPE_USER_PRIVATE;
	case PID_AIT:
		return true;
	default:
		return false;
	}
}

static bool has_desc(const struct pmt_stream *s, uint8_t tag)
{
	struct desc d;

	return desc_find(s->descriptors, tag, &d);
}

bool stream_is_ac3(const struct pmt_stream *s)
{
	if (s->class != PID_AUDIO)
		return false;
	return s->type == TYPE_AC3 || s->type == TYPE_EAC3 ||
	       has_desc(s, DESC_AC3) || has_desc(s, DESC_EAC3);
}

bool stream_is_aac(const struct pmt_stream *s)
{
	if (s->class != PID_AUDIO)
		return false;
	return s->type == TYPE_AAC_ADTS || s->type == TYPE_AAC_LATM ||
	       s->type == TYPE_MPEG4_AUDIO || has_desc(s, DESC_AAC);
}

size_t desc_languages(const struct desc *d, size_t *ret)
{
	*ret = 0;
	switch (d->tag) {
	case DESC_EXTENSION: /* EN 300 468 6.4.11 */
		*ret = 2;
		return d->len >= 5 && d->data[0] == SUPPLEMENTARY_AUDIO &&
				       d->data[1] & 0x01
			       ? d->len
			       : 0;
	case DESC_LANGUAGE:
		return LANGUAGE_ENTRY;
	case DESC_SUBTITLING:
		return SUBTITLING_ENTRY;
	case DESC_TELETEXT:
	case DESC_VBI_TELETEXT:
		return TELETEXT_ENTRY;
	default:
		return 0;
	}
}

bool stream_has_language(const struct pmt_stream *s, const char *language)
{
	struct desc_loop loop = s->descriptors;
	struct desc d;

	while (desc_next(&loop, &d)) {
		size_t at, step = desc_languages(&d, &at);

		for (; step > 0 && at + 3 <= d.len; at += step)
			if (strncasecmp((const char *)d.data + at, language,
					3) == 0)
				return true;
	}
	return false;
}

bool ca_is_kept(const struct remux_options *o, uint16_t pid)
{
	return !pid_set_has(&o->drop_ca, pid) && !pid_set_has(&o->drop, pid) &&
	       pid >= TS_PID_FREE && pid != TS_PID_NULL;
}

static bool is_kept(const struct remux_options *o, const struct pmt_stream *s)
{
	if (s->pid < TS_PID_FREE || s->pid == TS_PID_NULL ||
	    pid_set_has(&o->drop, s->pid))
		return false;
	if (o->keep.given && !pid_set_has(&o->keep, s->pid))
		return false;
	/* the generated AIT replaces that of the source */
	if (s->class == PID_AIT && o->hbbtv_url[0] != '\0')
		return false;
	if (!stream_is_private(s) || o->pass_data ||
	    pid_set_has(&o->keep, s->pid))
		return true;
	/* private data needs an option that names it */
	for (size_t i = 0; i < o->n_maps; i++) {
		const struct pid_map *m = &o->maps[i];

		if ((m->what == MAP_PID && m->source_pid == s->pid) ||
		    (m->what == MAP_AIT && s->class == PID_AIT))
			return true;
	}
	return false;
}

static void take(struct selection *ret, const struct remux_options *o,
		 const struct pmt_stream *s)
{
	const char *language = NULL;

	/* the option order may have taken the stream already */
	for (size_t i = 0; i < ret->n; i++)
		if (ret->list[i].stream == s)
			return;
	if (!is_kept(o, s))
		return;
	for (size_t i = 0; i < o->n_languages; i++)
		if (o->languages[i].pid == s->pid)
			language = o->languages[i].language;
	ret->list[ret->n++] = (struct selected){
		.stream = s, .language = language,
	};
}

int selection_make(struct selection *ret, const struct remux_options *o,
		   const uint8_t *section, size_t len)
{
	bool listed = false;

	ret->n = 0;
	ret->pcr_alone = false;
	ret->pcr_strip = false;
	if (pmt_decode(section, len, &ret->pmt) < 0)
		return -EBADMSG;
	for (size_t i = 0; i < o->n_order; i++)
		for (size_t k = 0; k < ret->pmt.n_streams; k++)
			if (ret->pmt.streams[k].pid == o->order[i])
				take(ret, o, &ret->pmt.streams[k]);
	for (size_t i = 0; i < ret->pmt.n_streams; i++)
		take(ret, o, &ret->pmt.streams[i]);
	ret->pcr_pid = o->set_pcr_pid != 0 ? o->set_pcr_pid
					   : ret->pmt.pcr_pid;
	if (ret->pcr_pid < TS_PID_FREE || ret->pcr_pid == TS_PID_NULL) {
		ret->pcr_pid = TS_PID_NULL;
		return 0;
	}
	for (size_t i = 0; i < ret->n; i++)
		if (ret->list[i].stream->pid == ret->pcr_pid)
			return 0;
	/* the PCRs are on a PID of no selected stream */
	for (size_t i = 0; i < ret->pmt.n_streams; i++)
		listed |= ret->pmt.streams[i].pid == ret->pcr_pid;
	ret->pcr_alone = true;
	ret->pcr_strip = listed || pid_set_has(&o->drop, ret->pcr_pid);
	return 0;
}
