/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/minute.h"

/* back: 1 is the last one added. */
static size_t place(const struct minute *m, size_t back)
{
	return (m->next + MINUTE_SECONDS - back) % MINUTE_SECONDS;
}

void minute_add(struct minute *m, const struct second *s)
{
	m->seconds[m->next] = *s;
	m->next = (m->next + 1) % MINUTE_SECONDS;
	m->n = MIN(m->n + 1, (size_t)MINUTE_SECONDS);
}

void minute_amend(struct minute *m, const struct second *s)
{
	if (m->n == 0)
		minute_add(m, s);
	else
		m->seconds[place(m, 1)] = *s;
}

struct minute_sum minute_sum(const struct minute *m, size_t n)
{
	struct minute_sum sum = { 0 };
	const struct second *last;

	n = MIN(n, m->n);
	if (n == 0)
		return sum;
	for (size_t back = 1; back <= n; back++) {
		const struct second *s = &m->seconds[place(m, back)];

		sum.bitrate_kbps += s->bitrate_kbps;
		sum.packets += s->packets;
		sum.cc_error += s->cc_error;
		sum.pes_error += s->pes_error;
		sum.sc_error += s->sc_error;
	}
	sum.bitrate_kbps = (sum.bitrate_kbps + n / 2) / n;
	last = &m->seconds[place(m, 1)];
	sum.active = last->active;
	sum.onair = last->onair;
	sum.video_count = last->video_count;
	sum.audio_count = last->audio_count;
	return sum;
}
