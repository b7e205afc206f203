/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/eit_answers.h"

#include "worker/epg/guide_eit.h"

#include <errno.h>
#include <string.h>

void eit_answers_done(struct eit_answers *e)
{
	while (e->n > 0)
		guide_eit_free(&e->list[--e->n].eit);
}

bool eit_answers_add(struct eit_answers *e, struct guide *guide,
		     const struct msg *m, int fd, int64_t now_s)
{
	const struct msg_epg_eit *ask = &m->epg_eit;
	struct guide_eit_config config = { .stream = ask->stream,
					   .events = ask->events };

	if (e->n == EIT_ANSWERS_MAX)
		return false;
	if (text_table_ok(ask->textcode))
		config.format.table = (enum text_table)ask->textcode;
	if (strlen(ask->country) == 3)
		memcpy(config.format.country, ask->country, 4);
	guide_show(guide, ask->stream, now_s);
	e->list[e->n].eit = guide_eit_new(fd, guide, &config, now_s);
	e->list[e->n++].seq = m->seq;
	return true;
}

uint32_t eit_answers_run(struct eit_answers *e, struct msg_epg_result *ret)
{
	struct guide_eit *eit = e->list[0].eit;
	uint32_t seq = e->list[0].seq;
	int more = guide_eit_run(eit);

	if (more > 0)
		return 0;
	*ret = (struct msg_epg_result){ .error = "" };
	if (more == 0) {
		ret->len = (uint32_t)guide_eit_len(eit);
		ret->hash = guide_eit_hash(eit);
	} else {
		ret->error = more == -ENOSPC ? "the answer is too large"
					     : strerror(-more);
	}
	guide_eit_free(&eit);
	e->n--;
	memmove(e->list, e->list + 1, e->n * sizeof e->list[0]);
	return seq;
}
