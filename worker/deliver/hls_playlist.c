/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_playlist.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

enum { ENOUGH = 3 }; /* segments that players want */

size_t hls_playlist_count(const struct ring_segments *s, size_t quantity,
			  uint64_t bytes)
{
	size_t n = MIN(s->n, quantity);
	uint64_t end = s->n > 0 ? s->list[s->n - 1].end : 0, last;

	if (n == 0)
		return 0;
	last = end - s->list[s->n - 1].pos;
	for (; n > 1; n--) {
		uint64_t used = end - s->list[s->n - n].pos;

		/* as many segments again, and one */
		if (used / n * (2 * n + 1) <= bytes)
			break;
		/* rather late than never */
		if (n <= ENOUGH && used + 2 * last <= bytes)
			break;
	}
	return n;
}

/* A path as it is in an URI. */
static void write_path(struct buf *out, const char *path)
{
	for (; *path != '\0'; path++) {
		unsigned char c = (unsigned char)*path;

		if (isalnum(c) || strchr("-._~/", c) != NULL)
			buf_append(out, path, 1);
		else
			buf_printf(out, "%%%02X", c);
	}
}

static void write_date(struct buf *out, int64_t wall_ms)
{
	time_t s = (time_t)(wall_ms / 1000);
	char text[32];
	struct tm tm;

	(void)gmtime_r(&s, &tm);
	(void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
	buf_printf(out, "#EXT-X-PROGRAM-DATE-TIME:%s.%03uZ\n", text,
		   (unsigned)(wall_ms % 1000));
}

static bool are_independent(const struct hls_playlist *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->segments[i].independent)
			return false;
	return p->n > 0;
}

void hls_playlist_write(struct buf *out, const struct hls_playlist *p)
{
	const struct ring_segment *first = p->segments;

	buf_printf(out, "#EXTM3U\n#EXT-X-VERSION:3\n"
		   "#EXT-X-TARGETDURATION:%u\n", MAX(p->target_s, 1U));
	if (p->n > 0)
		buf_printf(out, "#EXT-X-MEDIA-SEQUENCE:%ju\n"
			   "#EXT-X-DISCONTINUITY-SEQUENCE:%ju\n",
			   (uintmax_t)first->number, (uintmax_t)first->base);
	if (are_independent(p))
		buf_printf(out, "#EXT-X-INDEPENDENT-SEGMENTS\n");
	for (size_t i = 0; i < p->n; i++) {
		const struct ring_segment *s = &p->segments[i];

		if (i > 0 && s->base != s[-1].base)
			buf_printf(out, "#EXT-X-DISCONTINUITY\n");
		write_date(out, s->wall_ms);
		buf_printf(out, "#EXTINF:%u.%03u,\n", s->duration_ms / 1000,
			   s->duration_ms % 1000);
		write_path(out, p->folder);
		buf_printf(out, "%ju.ts%s%s\n", (uintmax_t)s->number,
			   p->query[0] != '\0' ? "?" : "", p->query);
	}
}
