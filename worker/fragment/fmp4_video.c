/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes samples of pictures: replaces the start code of each NAL unit by the
 * length of the unit. */
#include "worker/fragment/fmp4_track.h"
#include "worker/ts/pcr.h"

#include <errno.h>
#include <string.h>

enum {
	SCALE = 90000,
	/* A longer duration of a picture is an error of the source. */
	DURATION_MAX = 10 * SCALE,
	/* The duration of a picture if the source does not show it. */
	DURATION_USUAL = SCALE / 25,
	AVC_IDR = 5,
	AVC_SPS = 7,
	AVC_PPS = 8,
	AVC_AUD = 9,
	AVC_END_SEQUENCE = 10,
	AVC_END_STREAM = 11,
	AVC_FILLER = 12,
	HEVC_IRAP_FIRST = 16,
	HEVC_IRAP_LAST = 23,
	HEVC_VPS = 32,
	HEVC_SPS = 33,
	HEVC_PPS = 34,
	HEVC_AUD = 35,
	HEVC_END_SEQUENCE = 36,
	HEVC_END_STREAM = 37,
	HEVC_FILLER = 38,
};

/* Finds the next NAL unit from *at on, without its start code.  Moves *at to
 * its end.  False: there is no further NAL unit. */
static bool next_nal(const uint8_t *data, size_t len, size_t *at,
		     struct fmp4_set *ret)
{
	size_t from = *at, to;

	while (from + 3 < len && (data[from] != 0 || data[from + 1] != 0 ||
				  data[from + 2] != 1))
		from++;
	if (from + 3 >= len)
		return false;
	from += 3;
	to = from;
	while (to + 2 < len && (data[to] != 0 || data[to + 1] != 0 ||
				data[to + 2] > 1))
		to++;
	if (to + 2 >= len)
		to = len;
	*at = to;
	/* trailing_zero_8bits */
	while (to > from && data[to - 1] == 0)
		to--;
	ret->data = data + from;
	ret->len = to - from;
	return true;
}

static unsigned nal_type(const struct fmp4_track *t, const struct fmp4_set *nal)
{
	return t->coding == FMP4_AVC ? nal->data[0] & 0x1f
				     : nal->data[0] >> 1 & 0x3f;
}

static bool is_set(const struct fmp4_track *t, unsigned type)
{
	return t->coding == FMP4_AVC
		? type == AVC_SPS || type == AVC_PPS
		: type >= HEVC_VPS && type <= HEVC_PPS;
}

/* True for NAL units that a file does not store: delimiters, ends of a sequence
 * or stream, and filler. */
static bool is_useless(const struct fmp4_track *t, unsigned type)
{
	if (t->coding == FMP4_AVC)
		return type >= AVC_AUD && type <= AVC_FILLER;
	return type >= HEVC_AUD && type <= HEVC_FILLER;
}

/* True if decoding can begin here: at a random access picture, or at an SPS, as
 * in rap.h, because an open group of pictures has no IDR.  A PPS may be in
 * front of any picture. */
static bool is_random_access(const struct fmp4_track *t, unsigned type)
{
	if (t->coding == FMP4_AVC)
		return type == AVC_IDR || type == AVC_SPS;
	return type == HEVC_SPS ||
	       (type >= HEVC_IRAP_FIRST && type <= HEVC_IRAP_LAST);
}

static bool has_set(const struct fmp4_sets *sets, const struct fmp4_set *nal)
{
	for (size_t i = 0; i < sets->n; i++)
		if (sets->list[i].len == nal->len &&
		    memcmp(sets->list[i].data, nal->data, nal->len) == 0)
			return true;
	return false;
}

/* Lists the parameter sets among these NAL units. */
static void read_sets(const struct fmp4_track *t, const uint8_t *data,
		      size_t len, struct fmp4_sets *ret)
{
	struct fmp4_set nal;
	size_t at = 0;

	ret->n = 0;
	while (next_nal(data, len, &at, &nal)) {
		nal.type = nal.len > 2 ? nal_type(t, &nal) : 0;
		if (nal.len > 2 && nal.len < UINT16_MAX &&
		    is_set(t, nal.type) && !has_set(ret, &nal) &&
		    ret->n < ARRAY_LEN(ret->list))
			ret->list[ret->n++] = nal;
	}
}

/* Lists the parameter sets that were kept from an earlier part.  If there are
 * none, lists those of the first PES that has some. */
static void collect_sets(struct fmp4_track *t, struct fmp4_sets *ret)
{
	static const uint8_t start_code[] = { 0, 0, 1 };

	read_sets(t, buf_head(&t->sets), buf_len(&t->sets), ret);
	for (size_t i = 0; i < fmp4_n_pes(t) && ret->n == 0; i++) {
		const struct fmp4_pes *p = fmp4_pes_at(t, i);

		read_sets(t, buf_at(&t->es, p->at),
			  fmp4_pes_end(t, i) - p->at, ret);
		if (!p->own && !p->front)
			continue;
		for (size_t k = 0; k < ret->n; k++) {
			buf_append(&t->sets, start_code, sizeof start_code);
			buf_append(&t->sets, ret->list[k].data,
				   ret->list[k].len);
		}
	}
}

/* Appends the NAL units of a PES to data, without the listed parameter sets.
 * Returns the number of bytes appended.  *ret_sync: decoding can begin here. */
static uint32_t add_units(struct fmp4_track *t, size_t i,
			  const struct fmp4_sets *sets, bool *ret_sync)
{
	const uint8_t *data = buf_at(&t->es, fmp4_pes_at(t, i)->at);
	size_t len = fmp4_pes_end(t, i) - fmp4_pes_at(t, i)->at, at = 0;
	uint32_t size = 0;
	struct fmp4_set nal;

	*ret_sync = false;
	while (next_nal(data, len, &at, &nal)) {
		unsigned type = nal.len > 0 ? nal_type(t, &nal) : 0;
		uint8_t head[4] = { (uint8_t)(nal.len >> 24),
				    (uint8_t)(nal.len >> 16),
				    (uint8_t)(nal.len >> 8),
				    (uint8_t)nal.len };

		if (nal.len == 0 || is_useless(t, type))
			continue;
		*ret_sync = *ret_sync || is_random_access(t, type);
		if (is_set(t, type) && has_set(sets, &nal))
			continue;
		buf_append(&t->data, head, sizeof head);
		buf_append(&t->data, nal.data, nal.len);
		size += (uint32_t)(sizeof head + nal.len);
	}
	return size;
}

/* The duration of a picture (90 kHz): the step of the DTS to the next PES with
 * a time stamp; `before' if that step is unknown or wrong. */
static uint32_t duration_of(const struct fmp4_track *t, size_t i,
			    uint32_t before)
{
	const struct fmp4_pes *p = fmp4_pes_at(t, i);

	for (size_t k = i + 1; k < fmp4_n_pes(t); k++) {
		const struct fmp4_pes *next = fmp4_pes_at(t, k);
		int64_t diff = wrap_diff(next->dts, p->dts, PES_TIME_WRAP);

		if (next->has_time)
			return diff > 0 && diff <= DURATION_MAX
				? (uint32_t)diff : before;
	}
	return before;
}

int fmp4_video(struct fmp4_track *t, const struct fmp4_source *s,
	       struct errmsg *error)
{
	uint32_t duration = DURATION_USUAL;
	struct fmp4_sets sets;
	int err;

	t->scale = SCALE;
	collect_sets(t, &sets);
	err = t->coding == FMP4_AVC ? fmp4_avc_config(t, &sets)
				    : fmp4_hevc_config(t, &sets);
	if (err < 0)
		return errmsg_fail(error, err, "PID %u: the video has no "
				   "readable SPS", t->pid);
	for (size_t i = 0; i < fmp4_n_pes(t); i++) {
		const struct fmp4_pes *p = fmp4_pes_at(t, i);
		struct fmp4_sample x = { 0 };
		size_t n = fmp4_n_samples(t);

		if (p->front) {
			t->known = t->known || p->has_time;
			continue;
		}
		if (!p->own || n == FMP4_SAMPLES_MAX)
			break;
		/* without a time stamp, a PES continues the sample before; the
		 * first sample needs a time stamp */
		if (!p->has_time && n == 0)
			continue;
		x.size = add_units(t, i, &sets, &x.sync);
		if (!p->has_time) {
			fmp4_sample_at(t, n - 1)->size += x.size;
			continue;
		}
		if (x.size == 0)
			continue;
		x.duration = duration = duration_of(t, i, duration);
		x.offset = (uint32_t)MAX(wrap_diff(p->pts, p->dts,
						   PES_TIME_WRAP), INT64_C(0));
		if (n == 0)
			t->time = fmp4_unwrap(p->dts, s->near);
		buf_append(&t->samples, &x, sizeof x);
	}
	return 0;
}
