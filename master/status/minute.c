/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/minute.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Returns the index of a second, counted backwards: back 1 is the last
 * second. */
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

/* --- as text: nine numbers a second, the oldest first --- */

enum { NUMBERS = 9 };

char *minute_format(const struct minute *m)
{
	struct buf b = { 0 };
	char *text;

	for (size_t back = m->n; back > 0; back--) {
		const struct second *s = &m->seconds[place(m, back)];

		buf_printf(&b, "%d %d %" PRIu32 " %" PRIu32 " %" PRIu32
			   " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
			   "\n", s->active, s->onair, s->bitrate_kbps,
			   s->packets, s->cc_error, s->pes_error, s->sc_error,
			   s->video_count, s->audio_count);
	}
	text = xstrndup(m->n > 0 ? (char *)buf_head(&b) : "", buf_len(&b));
	buf_done(&b);
	return text;
}

/* Reads a number and the character behind it; 0 or -EINVAL. */
static int take_number(const char **at, char end, uint32_t *ret)
{
	char *behind;
	unsigned long long n;

	if (**at < '0' || **at > '9')
		return -EINVAL;
	errno = 0;
	n = strtoull(*at, &behind, 10);
	if (errno != 0 || n > UINT32_MAX || *behind != end)
		return -EINVAL;
	*ret = (uint32_t)n;
	*at = behind + 1;
	return 0;
}

int minute_parse(const char *text, struct minute *ret)
{
	struct minute m = { 0 };

	for (size_t i = 0; *text != '\0'; i++) {
		uint32_t n[NUMBERS];

		for (size_t k = 0; k < NUMBERS; k++)
			if (take_number(&text, k < NUMBERS - 1 ? ' ' : '\n',
					&n[k]) < 0)
				return -EINVAL;
		if (i == MINUTE_SECONDS || n[0] > 1 || n[1] > 1)
			return -EINVAL;
		minute_add(&m, &(struct second){
			.active = n[0] == 1,
			.onair = n[1] == 1,
			.bitrate_kbps = n[2],
			.packets = n[3],
			.cc_error = n[4],
			.pes_error = n[5],
			.sc_error = n[6],
			.video_count = n[7],
			.audio_count = n[8],
		});
	}
	*ret = m;
	return 0;
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
