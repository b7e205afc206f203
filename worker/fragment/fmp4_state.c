/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the tracks that is kept from one part of a segment to the
 * next. */
#include "common/base/alloc.h"
#include "worker/fragment/fmp4_track.h"

#include <stdlib.h>

struct fmp4_state {
	size_t n;
	/* tracks without samples; es and pes of audio begin with the next
	 * frame */
	struct fmp4_track list[FMP4_TRACKS_MAX];
};

struct fmp4_state *fmp4_state_new(void)
{
	return xcalloc(1, sizeof(struct fmp4_state));
}

static void forget_all(struct fmp4_state *s)
{
	for (size_t i = 0; i < s->n; i++)
		fmp4_track_done(&s->list[i]);
	s->n = 0;
}

void fmp4_state_free(struct fmp4_state **s)
{
	if (*s != NULL)
		forget_all(*s);
	free(*s);
	*s = NULL;
}

static void copy(struct buf *to, const struct buf *from)
{
	buf_append(to, buf_head(from), buf_len(from));
}

/* Keeps the audio that the next part needs: the PES from the next frame on, and
 * their bytes up to the end of this part. */
static void keep_sound(struct fmp4_track *to, const struct fmp4_track *t)
{
	size_t n = fmp4_n_pes(t), i = 0;
	/* the offset in es from which bytes are kept: that of the next frame,
	 * but at most the last FMP4_FRAME_MAX bytes of the part */
	size_t least = t->own_len - MIN(t->own_len, (size_t)FMP4_FRAME_MAX);
	size_t at = MIN(MAX(t->next_at, least), t->own_len);

	/* without the PES behind the part */
	while (n > 0 && !fmp4_pes_at(t, n - 1)->own &&
	       !fmp4_pes_at(t, n - 1)->front)
		n--;
	while (i + 1 < n && fmp4_pes_at(t, i + 1)->at <= at)
		i++;
	for (size_t k = i; k < n; k++) {
		struct fmp4_pes p = *fmp4_pes_at(t, k);

		/* no frame begins in a PES without bytes */
		if (k + 1 < n && fmp4_pes_at(t, k + 1)->at == p.at)
			continue;
		/* the PTS of a PES is that of its first frame only */
		p.has_time = p.has_time && k >= t->n_used;
		p.at -= MIN(p.at, at);
		buf_append(&to->pes, &p, sizeof p);
	}
	buf_append(&to->es, buf_at(&t->es, at), t->own_len - at);
	to->header = t->own_header;
	to->skip = t->own_skip + t->next_at - MIN(t->next_at, at);
	to->time = t->next_time;
	to->timed = t->timed;
	to->before = t->before;
	copy(&to->config, &t->config);
}

size_t fmp4_state_len(const struct fmp4_state *s)
{
	size_t len = 0;

	for (size_t i = 0; s != NULL && i < s->n; i++)
		len += buf_len(&s->list[i].es) + buf_len(&s->list[i].pes) +
		       buf_len(&s->list[i].sets);
	return len;
}

static struct fmp4_track kept(const struct fmp4_track *t)
{
	return (struct fmp4_track){
		.pid = t->pid, .video = t->video, .type = t->type,
		.known = t->known, .coding = t->coding, .scale = t->scale,
		.width = t->width, .height = t->height,
		.channels = t->channels, .rate = t->rate,
	};
}

void fmp4_keep(struct fmp4_state *s, struct fmp4_track *list, size_t n)
{
	forget_all(s);
	s->n = n;
	for (size_t i = 0; i < n; i++) {
		s->list[i] = kept(&list[i]);
		if (list[i].video)
			copy(&s->list[i].sets, &list[i].sets);
		else
			keep_sound(&s->list[i], &list[i]);
	}
}

size_t fmp4_continue(const struct fmp4_state *s, bool rest,
		     struct fmp4_track list[FMP4_TRACKS_MAX])
{
	for (size_t i = 0; i < s->n; i++) {
		const struct fmp4_track *t = &s->list[i];

		list[i] = kept(t);
		copy(&list[i].sets, &t->sets);
		if (t->video)
			continue;
		list[i].header = list[i].own_header = t->header;
		list[i].skip = list[i].own_skip = t->skip;
		list[i].time = list[i].next_time = t->time;
		list[i].timed = t->timed;
		list[i].before = t->before;
		list[i].own_len = buf_len(&t->es);
		copy(&list[i].es, &t->es);
		copy(&list[i].config, &t->config);
		for (size_t k = 0; k < fmp4_n_pes(t); k++) {
			struct fmp4_pes p = *fmp4_pes_at(t, k);

			p.own = rest;
			p.front = !rest;
			buf_append(&list[i].pes, &p, sizeof p);
		}
	}
	return s->n;
}
