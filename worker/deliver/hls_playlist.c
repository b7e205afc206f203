/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_playlist.h"

#include "common/base/hash.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { ENOUGH = 3 }; /* segments that a player needs to start */

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

		/* room for n listed segments and n + 1 later ones */
		if (used / n * (2 * n + 1) <= bytes)
			break;
		/* a short playlist needs less room: that of two more segments
		 * with the size of the last one */
		if (n <= ENOUGH && used + 2 * last <= bytes)
			break;
	}
	return n;
}

/* Writes a path with the characters escaped that a URI must not have. */
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

/* True if the segment of the part is complete and the part is its last. */
static bool ends_segment(const struct ring_part *p,
			 const struct ring_segments *s)
{
	for (size_t i = s->n; i > 0; i--)
		if (s->list[i - 1].number == p->number)
			return s->list[i - 1].end == p->end;
	return false;
}

/* True if the list has part 0 of this segment.  Without it no part of the
 * segment is listed, because an index counts all parts of a segment (RFC
 * 8216bis 6.2.5.2). */
static bool has_first(const struct ring_parts *parts, uint64_t number)
{
	for (size_t i = parts->n; i > 0; i--)
		if (parts->list[i - 1].number == number &&
		    parts->list[i - 1].index == 0)
			return true;
	return false;
}

bool hls_parts_are_live(const struct ring_parts *parts,
			const struct ring_segments *s)
{
	const struct ring_part *last;
	uint64_t next;

	if (parts->n == 0 || parts->ended || s->n == 0)
		return false;
	last = &parts->list[parts->n - 1];
	next = s->has_open ? s->open.number : s->list[s->n - 1].number + 1;
	if (last->number == next)
		return s->has_open && last->end >= s->open.pos &&
		       has_first(parts, next);
	return last->number + 1 == next && ends_segment(last, s);
}

uint64_t hls_segment_hash(const struct ring_segment *s)
{
	/* the values that are known when the segment begins */
	const uint64_t of[] = { s->number, s->base, s->pos, s->pcr, s->pts,
				(uint64_t)s->wall_ms };

	return MAX(hash_add(HASH_INIT, of, sizeof of), UINT64_C(1));
}

static void write_name(struct buf *out, const struct hls_playlist *p,
		       const struct ring_segment *s)
{
	write_path(out, p->folder);
	if (p->hashed)
		buf_printf(out, HLS_HASH_LETTER "%0*" PRIx64, HLS_HASH_DIGITS,
			   hls_segment_hash(s));
	else
		buf_printf(out, "%ju", (uintmax_t)s->number);
}

static void write_query(struct buf *out, const struct hls_playlist *p)
{
	buf_printf(out, "%s%s", p->query[0] != '\0' ? "?" : "", p->query);
}

static void write_part_uri(struct buf *out, const struct hls_playlist *p,
			   const struct ring_segment *s, uint32_t index)
{
	buf_printf(out, ",URI=\"");
	write_name(out, p, s);
	buf_printf(out, ".%u.%s", index, p->maps != NULL ? "m4s" : "ts");
	write_query(out, p);
	buf_printf(out, "\"");
}

/* Writes the parts of a segment if the list has all of them; s->end 0: the open
 * segment.  Returns the index of the next part; 0: nothing was written. */
static uint32_t write_parts(struct buf *out, const struct hls_playlist *p,
			    const struct ring_segment *s)
{
	const struct ring_part *list = p->parts->list;
	size_t from = 0, to;

	while (from < p->parts->n && list[from].number < s->number)
		from++;
	for (to = from; to < p->parts->n && list[to].number == s->number; to++)
		;
	if (from == to || list[from].index != 0 || list[from].pos != s->pos ||
	    (s->end > 0 && list[to - 1].end != s->end))
		return 0;
	for (size_t i = from; i < to; i++) {
		buf_printf(out, "#EXT-X-PART:DURATION=%u.%03u",
			   list[i].duration_ms / 1000,
			   list[i].duration_ms % 1000);
		write_part_uri(out, p, s, list[i].index);
		buf_printf(out, "%s\n",
			   list[i].independent ? ",INDEPENDENT=YES" : "");
	}
	return list[to - 1].index + 1;
}

static void write_open(struct buf *out, const struct hls_playlist *p)
{
	uint32_t next;

	if (p->open == NULL)
		return;
	if (p->n > 0 && p->open->base != p->segments[p->n - 1].base)
		buf_printf(out, "#EXT-X-DISCONTINUITY\n");
	write_date(out, p->open->wall_ms);
	next = write_parts(out, p, p->open);
	buf_printf(out, "#EXT-X-PRELOAD-HINT:TYPE=PART");
	write_part_uri(out, p, p->open, next);
	buf_printf(out, "\n");
}

static void write_control(struct buf *out, const struct hls_playlist *p)
{
	unsigned target = p->parts->target_ms, back = 3 * target + 100;

	buf_printf(out, "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,"
		   "PART-HOLD-BACK=%u.%03u\n", back / 1000, back % 1000);
	buf_printf(out, "#EXT-X-PART-INF:PART-TARGET=%u.%03u\n",
		   target / 1000, target % 1000);
}

/* Writes the EXT-X-MAP of segment i. */
static void write_map(struct buf *out, const struct hls_playlist *p, size_t i)
{
	buf_printf(out, "#EXT-X-MAP:URI=\"");
	write_path(out, p->folder);
	buf_printf(out, HLS_INIT_LETTER "%0*" PRIx64 ".mp4", HLS_HASH_DIGITS,
		   p->maps[i]);
	write_query(out, p);
	buf_printf(out, "\"\n");
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

	uint64_t ms = 0, parts_ms = HLS_PARTS_TARGETS * 1000 *
				    (uint64_t)p->target_s;

	buf_printf(out, "#EXTM3U\n#EXT-X-VERSION:%u\n"
		   "#EXT-X-TARGETDURATION:%u\n",
		   p->maps != NULL ? 7 : p->parts != NULL ? 6 : 3,
		   MAX(p->target_s, 1U));
	if (p->parts != NULL)
		write_control(out, p);
	for (size_t i = 0; i < p->n; i++)
		ms += p->segments[i].duration_ms;
	for (size_t i = 0; p->parts != NULL && i < p->parts->n; i++)
		if (p->open != NULL &&
		    p->parts->list[i].number == p->open->number)
			ms += p->parts->list[i].duration_ms;
	if (p->n > 0)
		buf_printf(out, "#EXT-X-MEDIA-SEQUENCE:%ju\n"
			   "#EXT-X-DISCONTINUITY-SEQUENCE:%ju\n",
			   (uintmax_t)first->number, (uintmax_t)first->base);
	if (are_independent(p))
		buf_printf(out, "#EXT-X-INDEPENDENT-SEGMENTS\n");
	for (size_t i = 0; i < p->n; i++) {
		const struct ring_segment *s = &p->segments[i];

		bool map = p->maps != NULL &&
			   (i == 0 || p->maps[i] != p->maps[i - 1]);

		if (i > 0 && s->base != s[-1].base)
			buf_printf(out, "#EXT-X-DISCONTINUITY\n");
		if (map)
			write_map(out, p, i);
		write_date(out, s->wall_ms);
		/* parsers accept parts in the last HLS_PARTS_TARGETS segments
		 * only, whatever the durations of the segments */
		if (p->parts != NULL && ms <= parts_ms &&
		    p->n - i + (p->open != NULL) <= HLS_PARTS_TARGETS)
			(void)write_parts(out, p, s);
		ms -= s->duration_ms;
		buf_printf(out, "#EXTINF:%u.%03u,\n", s->duration_ms / 1000,
			   s->duration_ms % 1000);
		write_name(out, p, s);
		buf_printf(out, "%s", p->maps != NULL ? ".m4s" : ".ts");
		write_query(out, p);
		buf_printf(out, "\n");
	}
	if (p->parts != NULL)
		write_open(out, p);
}
