/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the descriptions of tracks for the initialization of later segments. */
#include "common/base/alloc.h"
#include "worker/fragment/fmp4_track.h"

#include <stdlib.h>

struct fmp4_past {
	size_t n;
	/* tracks without samples: only their descriptions */
	struct fmp4_track list[FMP4_TRACKS_MAX];
};

struct fmp4_past *fmp4_past_new(void)
{
	return xcalloc(1, sizeof(struct fmp4_past));
}

static void forget_all(struct fmp4_past *p)
{
	for (size_t i = 0; i < p->n; i++)
		buf_done(&p->list[i].config);
	p->n = 0;
}

void fmp4_past_free(struct fmp4_past **p)
{
	if (*p != NULL)
		forget_all(*p);
	free(*p);
	*p = NULL;
}

static void describe_as(struct fmp4_track *t, const struct fmp4_track *as)
{
	t->known = true;
	t->pid = as->pid;
	t->video = as->video;
	t->type = as->type;
	t->coding = as->coding;
	t->scale = as->scale;
	t->width = as->width;
	t->height = as->height;
	t->channels = as->channels;
	t->rate = as->rate;
	buf_reset(&t->config, 0);
	buf_append(&t->config, buf_head(&as->config), buf_len(&as->config));
}

void fmp4_recall(struct fmp4_past *p, struct fmp4_track *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; !list[i].known && k < p->n; k++)
			if (p->list[k].pid == list[i].pid &&
			    p->list[k].type == list[i].type)
				describe_as(&list[i], &p->list[k]);
	/* drops the descriptions of tracks that the PMT no longer lists */
	forget_all(p);
	for (size_t i = 0; i < n; i++) {
		if (!list[i].known)
			continue;
		p->list[p->n] = (struct fmp4_track){ .known = true };
		describe_as(&p->list[p->n++], &list[i]);
	}
}
