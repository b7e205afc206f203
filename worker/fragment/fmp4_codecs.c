/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of codecs, as in a CODECS attribute (RFC 6381; ISO/IEC 14496-15
 * annex E). */
#include "worker/fragment/fmp4.h"
#include "worker/fragment/fmp4_track.h"

#include <errno.h>
#include <string.h>

enum {
	RECORD_AVC = 4,   /* bytes of avcC that name the codec */
	RECORD_HEVC = 13, /* likewise of hvcC */
	CONSTRAINTS = 6,  /* bytes of general constraint indicator flags */
};

static uint32_t reversed(const uint8_t *p)
{
	uint32_t bits = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
			(uint32_t)p[2] << 8 | p[3], ret = 0;

	for (unsigned i = 0; i < 32; i++)
		ret |= (bits >> i & 1) << (31 - i);
	return ret;
}

/* Behind the version: profile space, tier and profile; flags of compatibility;
 * constraints; level. */
static void name_hevc(struct buf *to, const uint8_t *record)
{
	static const char *const spaces[] = { "", "A", "B", "C" };
	const uint8_t *constraint = record + 6;
	unsigned n = CONSTRAINTS;

	buf_printf(to, "hvc1.%s%u.%x.%c%u", spaces[record[1] >> 6],
		   record[1] & 0x1fU, reversed(record + 2),
		   record[1] & 0x20 ? 'H' : 'L', record[12]);
	while (n > 0 && constraint[n - 1] == 0)
		n--;
	for (unsigned i = 0; i < n; i++)
		buf_printf(to, ".%X", constraint[i]);
}

/* False: the track has no description yet. */
static bool name_track(struct buf *to, const struct fmp4_track *t)
{
	const uint8_t *record = buf_head(&t->config);
	size_t len = buf_len(&t->config);

	if (buf_len(to) > 0)
		buf_printf(to, ",");
	if (t->coding == FMP4_AVC && len >= RECORD_AVC)
		buf_printf(to, "avc1.%02x%02x%02x", record[1], record[2],
			   record[3]);
	else if (t->coding == FMP4_HEVC && len >= RECORD_HEVC)
		name_hevc(to, record);
	else if (t->coding == FMP4_AAC && len > 0)
		buf_printf(to, "mp4a.40.%u", record[0] >> 3);
	else if (t->coding == FMP4_MPEG)
		buf_printf(to, t->rate < 32000 ? "mp4a.69" : "mp4a.6B");
	else if (t->coding == FMP4_AC3)
		buf_printf(to, "ac-3");
	else if (t->coding == FMP4_EAC3)
		buf_printf(to, "ec-3");
	else
		return false;
	return true;
}

static int describe_tracks(struct fmp4_track *list, size_t n,
			   const struct fmp4_source *s, struct fmp4_codecs *ret)
{
	struct buf text = { 0 };
	struct errmsg error;
	int err = 0;

	for (size_t i = 0; err == 0 && i < n; i++) {
		struct fmp4_track *t = &list[i];

		err = t->video ? fmp4_video(t, s, &error)
			       : fmp4_audio(t, s, &error);
		if (err < 0 || !name_track(&text, t))
			err = -EAGAIN;
		if (t->video && ret->width == 0) {
			ret->width = t->width;
			ret->height = t->height;
		}
	}
	if (err == 0 && buf_len(&text) < sizeof ret->text)
		memcpy(ret->text, buf_head(&text), buf_len(&text));
	else if (err == 0)
		err = -ENOTSUP;
	buf_done(&text);
	return err;
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
