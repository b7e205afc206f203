/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the names of codecs for a CODECS attribute (RFC 6381; ISO/IEC 14496-15
 * annex E). */
#include "worker/fragment/fmp4.h"
#include "worker/fragment/fmp4_track.h"

#include <errno.h>
#include <string.h>

enum {
	RECORD_AVC = 4,   /* bytes of avcC that name the codec */
	RECORD_HEVC = 13, /* bytes of hvcC that name the codec */
	CONSTRAINTS = 6,  /* bytes of general constraint indicator flags */
};

/* Writes "hvc1." and the fields of the record: profile space, profile,
 * compatibility flags, tier, level and constraints. */
static void name_hevc(struct buf *to, const uint8_t *record)
{
	static const char *const spaces[] = { "", "A", "B", "C" };
	const uint8_t *constraint = record + 6;
	uint32_t flags = (uint32_t)record[2] << 24 |
			 (uint32_t)record[3] << 16 |
			 (uint32_t)record[4] << 8 | record[5], reversed = 0;
	unsigned n = CONSTRAINTS;

	for (unsigned i = 0; i < 32; i++)
		reversed |= (flags >> i & 1) << (31 - i);
	buf_printf(to, "hvc1.%s%u.%x.%c%u", spaces[record[1] >> 6],
		   record[1] & 0x1fU, reversed,
		   record[1] & 0x20 ? 'H' : 'L', record[12]);
	while (n > 0 && constraint[n - 1] == 0)
		n--;
	for (unsigned i = 0; i < n; i++)
		buf_printf(to, ".%X", constraint[i]);
}

/* Appends the name of the track's codec.  False: the track has no description
 * yet. */
static bool name_track(struct buf *to, const struct fmp4_track *t)
{
	const uint8_t *record = buf_head(&t->config);
	size_t len = buf_len(&t->config);
	const char *comma = buf_len(to) > 0 ? "," : "";

	if (t->coding == FMP4_AVC && len >= RECORD_AVC)
		buf_printf(to, "avc1.%02x%02x%02x", record[1], record[2],
			   record[3]);
	else if (t->coding == FMP4_HEVC && len >= RECORD_HEVC)
		name_hevc(to, record);
	else if (t->coding == FMP4_AAC && len > 0)
		buf_printf(to, "%smp4a.40.%u", comma, record[0] >> 3);
	else if (t->coding == FMP4_MPEG)
		buf_printf(to, "%smp4a.%X", comma, fmp4_mpeg_object(t));
	else if (t->coding == FMP4_AC3)
		buf_printf(to, "%sac-3", comma);
	else if (t->coding == FMP4_EAC3)
		buf_printf(to, "%sec-3", comma);
	else
		return false;
	return true;
}

static int describe_tracks(struct fmp4_track *list, size_t n,
			   const struct fmp4_source *s, struct fmp4_codecs *ret)
{
	struct fmp4_track *video = NULL;
	struct buf text = { 0 };
	struct errmsg error;
	bool sound = false;

	for (size_t i = 0; i < n && video == NULL; i++)
		if (list[i].video)
			video = &list[i];
	if (video != NULL && fmp4_video(video, s, &error) == 0 &&
	    name_track(&text, video)) {
		ret->width = video->width;
		ret->height = video->height;
	}
	/* the first audio track that has a frame */
	for (size_t i = 0; i < n && !sound; i++)
		sound = !list[i].video &&
			fmp4_audio(&list[i], s, &error) == 0 &&
			name_track(&text, &list[i]);
	ret->silent = !sound && n > (video != NULL);
	/* a player needs the name of the video: without it, no text is
	 * returned */
	if (buf_len(&text) > 0 && (video == NULL || ret->width > 0))
		memcpy(ret->text, buf_head(&text),
		       MIN(buf_len(&text), sizeof ret->text - 1));
	buf_done(&text);
	return ret->text[0] != '\0' ? 0 : -EAGAIN;
}

int fmp4_describe(const uint8_t *data, size_t len, struct fmp4_codecs *ret)
{
	struct fmp4_source s = { .data = data, .len = len, .own = len,
				 .last = true };
	struct fmp4_track list[FMP4_TRACKS_MAX] = { 0 };
	struct errmsg error;
	size_t n;
	int err = fmp4_demux(&s, list, &n, &error);

	*ret = (struct fmp4_codecs){ 0 };
	if (err == 0)
		err = describe_tracks(list, n, &s, ret);
	for (size_t i = 0; i < n; i++)
		fmp4_track_done(&list[i]);
	return err;
}
