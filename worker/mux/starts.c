/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/starts.h"

static void add(struct starts *s, uint64_t place)
{
	if (s->n < STARTS_MAX)
		s->places[s->n++] = place;
}

void starts_follow(struct starts *s, const struct pmt_stream *video)
{
	uint8_t coding = pmt_coding(video);

	if (s->rap.pid == video->pid && s->rap.stream_type == coding)
		return;
	*s = (struct starts){ 0 };
	rap_follow(&s->rap, video->pid, coding, video->class);
}

void starts_feed(struct starts *s, const uint8_t *packet, uint64_t place)
{
	enum rap_sign sign;

	if (ts_pid(packet) != s->rap.pid)
		return;
	sign = rap_feed(&s->rap, packet);
	if (sign == RAP_YES && s->open)
		add(s, s->open_at);
	if (sign != RAP_NONE)
		s->open = sign == RAP_OPEN;
	if (sign == RAP_OPEN)
		s->open_at = place;
	if (sign == RAP_HERE)
		add(s, place);
}

bool starts_take(struct starts *s, uint64_t place)
{
	size_t n = 0;

	while (n < s->n && s->places[n] < place)
		n++;
	s->n -= n;
	for (size_t i = 0; i < s->n && n > 0; i++)
		s->places[i] = s->places[i + n];
	return s->n > 0 && s->places[0] == place;
}
