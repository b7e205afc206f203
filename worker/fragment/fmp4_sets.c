/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the size of the picture from parameter sets of H.264 and HEVC, and
 * writes the records avcC and hvcC (ISO/IEC 14496-15). */
#include "proto/si/bits.h"
#include "worker/fragment/fmp4_track.h"

#include <errno.h>
#include <string.h>

enum {
	SET_MAX = 1024,   /* most bytes that are read of a parameter set */
	SIDE_MAX = 16384, /* highest width and height in luma samples */
	AVC_SPS = 7,
	AVC_PPS = 8,
	HEVC_VPS = 32,
	HEVC_SPS = 33,
	HEVC_PPS = 34,
	TIER_LEVEL = 12,  /* bytes of general profile, tier and level */
};

/* Copies the parameter set without its emulation prevention bytes. */
static struct bits open_set(const struct fmp4_set *set, uint8_t ret[SET_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < set->len && n < SET_MAX; i++) {
		if (i >= 2 && set->data[i] == 3 && set->data[i - 1] == 0 &&
		    set->data[i - 2] == 0)
			continue;
		ret[n++] = set->data[i];
	}
	return bits_of(ret, n);
}

/* Reads an Exp-Golomb code: ue(v), or the code number of se(v). */
static uint32_t golomb(struct bits *b)
{
	unsigned zeros = 0;

	while (zeros < 31 && !b->cut && bits_take(b, 1) == 0)
		zeros++;
	return (uint32_t)((UINT64_C(1) << zeros) - 1 + bits_take(b, zeros));
}

static int32_t signed_golomb(struct bits *b)
{
	uint32_t n = golomb(b);

	return n % 2 == 1 ? (int32_t)(n / 2 + 1) : -(int32_t)(n / 2);
}

static void skip_scaling_list(struct bits *b, unsigned size)
{
	int32_t last = 8, next = 8;

	for (unsigned i = 0; i < size && !b->cut; i++) {
		if (next != 0)
			next = (last + signed_golomb(b) + 256) % 256;
		last = next == 0 ? last : next;
	}
}

struct picture {
	/* chroma: chroma_format_idc; luma_bits, chroma_bits: depth minus 8 */
	uint32_t chroma, luma_bits, chroma_bits;
	uint32_t width, height;
};

static bool has_high_profile(unsigned profile)
{
	static const uint8_t high[] = { 100, 110, 122, 244, 44, 83, 86, 118,
					128, 138, 139, 134, 135 };

	return memchr(high, (int)profile, sizeof high) != NULL;
}

static void read_chroma(struct bits *b, struct picture *p)
{
	bool separate = false;

	p->chroma = golomb(b);
	if (p->chroma == 3)
		separate = bits_take(b, 1);
	p->luma_bits = golomb(b);
	p->chroma_bits = golomb(b);
	bits_skip(b, 1); /* qpprime_y_zero_transform_bypass_flag */
	if (bits_take(b, 1))
		for (unsigned i = 0; i < (p->chroma == 3 ? 12U : 8U); i++)
			if (bits_take(b, 1))
				skip_scaling_list(b, i < 6 ? 16 : 64);
	if (separate)
		p->chroma = 0;
}

/* Reads the margins that are not shown, and subtracts them from the size of the
 * picture.  rows: 2 if the stream may have fields, which doubles the units of
 * the vertical margins; otherwise 1. */
static void crop(struct bits *b, struct picture *p, unsigned rows)
{
	unsigned x = p->chroma == 1 || p->chroma == 2 ? 2 : 1;
	unsigned y = p->chroma == 1 ? 2 * rows : rows;
	uint64_t left = golomb(b), right = golomb(b);
	uint64_t top = golomb(b), bottom = golomb(b);

	if ((left + right) * x < p->width)
		p->width -= (uint32_t)((left + right) * x);
	if ((top + bottom) * y < p->height)
		p->height -= (uint32_t)((top + bottom) * y);
}

/* Reads a sequence parameter set of H.264 (7.3.2.1.1).  False: it is malformed
 * or not supported. */
static bool read_avc_sps(const struct fmp4_set *set, struct picture *p)
{
	uint8_t bytes[SET_MAX];
	struct bits b = open_set(set, bytes);
	unsigned profile, frame_only;
	uint32_t order;

	*p = (struct picture){ .chroma = 1 };
	bits_skip(&b, 8);
	profile = (unsigned)bits_take(&b, 8);
	bits_skip(&b, 16);
	(void)golomb(&b);
	if (has_high_profile(profile))
		read_chroma(&b, p);
	(void)golomb(&b); /* log2_max_frame_num */
	order = golomb(&b);
	if (order == 0) {
		(void)golomb(&b);
	} else if (order == 1) {
		bits_skip(&b, 1);
		(void)golomb(&b);
		(void)golomb(&b);
		for (uint32_t n = golomb(&b); n > 0 && !b.cut; n--)
			(void)golomb(&b);
	}
	(void)golomb(&b); /* max_num_ref_frames */
	bits_skip(&b, 1);
	p->width = 16 * (golomb(&b) + 1);
	p->height = 16 * (golomb(&b) + 1);
	frame_only = (unsigned)bits_take(&b, 1);
	p->height *= 2 - frame_only;
	if (!frame_only)
		bits_skip(&b, 1);
	bits_skip(&b, 1);
	if (bits_take(&b, 1))
		crop(&b, p, 2 - frame_only);
	return !b.cut && p->width > 0 && p->width <= SIDE_MAX &&
	       p->height > 0 && p->height <= SIDE_MAX;
}

static const struct fmp4_set *first_of(const struct fmp4_sets *sets,
				       unsigned type)
{
	for (size_t i = 0; i < sets->n; i++)
		if (sets->list[i].type == type)
			return &sets->list[i];
	return NULL;
}

static unsigned count_of(const struct fmp4_sets *sets, unsigned type)
{
	unsigned n = 0;

	for (size_t i = 0; i < sets->n; i++)
		n += sets->list[i].type == type;
	return n;
}

static void put(struct buf *to, const void *data, size_t len)
{
	buf_append(to, data, len);
}

static void put_sets(struct buf *to, const struct fmp4_sets *sets,
		     unsigned type)
{
	for (size_t i = 0; i < sets->n; i++) {
		const struct fmp4_set *s = &sets->list[i];
		const uint8_t len[] = { (uint8_t)(s->len >> 8),
					(uint8_t)s->len };

		if (s->type != type)
			continue;
		put(to, len, sizeof len);
		put(to, s->data, s->len);
	}
}

int fmp4_avc_config(struct fmp4_track *t, const struct fmp4_sets *sets)
{
	const struct fmp4_set *sps = first_of(sets, AVC_SPS);
	struct picture p;
	uint8_t n;

	if (sps == NULL || sps->len < 4 || first_of(sets, AVC_PPS) == NULL ||
	    !read_avc_sps(sps, &p))
		return -ENOTSUP;
	t->width = p.width;
	t->height = p.height;
	put(&t->config, (const uint8_t[]){ 1, sps->data[1], sps->data[2],
					   sps->data[3], 0xff }, 5);
	n = (uint8_t)(0xe0 | count_of(sets, AVC_SPS));
	put(&t->config, &n, 1);
	put_sets(&t->config, sets, AVC_SPS);
	n = (uint8_t)count_of(sets, AVC_PPS);
	put(&t->config, &n, 1);
	put_sets(&t->config, sets, AVC_PPS);
	if (has_high_profile(sps->data[1]))
		put(&t->config, (const uint8_t[]){
			(uint8_t)(0xfc | (p.chroma & 3)),
			(uint8_t)(0xf8 | (p.luma_bits & 7)),
			(uint8_t)(0xf8 | (p.chroma_bits & 7)), 0 }, 4);
	return 0;
}

/* Reads a sequence parameter set of HEVC (7.3.2.2.1), up to the bit depths.
 * False: it is malformed or not supported. */
static bool read_hevc_sps(const struct fmp4_set *set, struct picture *p,
			  uint8_t ret_tier_level[TIER_LEVEL],
			  unsigned *ret_layers)
{
	uint8_t bytes[SET_MAX];
	struct bits b = open_set(set, bytes);
	struct bytes general;
	unsigned layers, flags[8] = { 0 };

	*p = (struct picture){ 0 };
	bits_skip(&b, 16 + 4);
	layers = (unsigned)bits_take(&b, 3); /* sps_max_sub_layers_minus1 */
	bits_skip(&b, 1);
	general = bits_bytes(&b, TIER_LEVEL);
	if (general.len < TIER_LEVEL)
		return false;
	memcpy(ret_tier_level, general.data, TIER_LEVEL);
	for (unsigned i = 0; i < layers; i++)
		flags[i] = (unsigned)bits_take(&b, 2);
	if (layers > 0)
		bits_skip(&b, 2 * (8 - layers));
	for (unsigned i = 0; i < layers; i++)
		bits_skip(&b, (flags[i] & 2 ? 88U : 0U) +
				  (flags[i] & 1 ? 8U : 0U));
	(void)golomb(&b);
	p->chroma = golomb(&b);
	if (p->chroma == 3)
		bits_skip(&b, 1);
	p->width = golomb(&b);
	p->height = golomb(&b);
	if (bits_take(&b, 1))
		crop(&b, p, 1);
	p->luma_bits = golomb(&b);
	p->chroma_bits = golomb(&b);
	*ret_layers = layers + 1;
	return !b.cut && p->width > 0 && p->width <= SIDE_MAX &&
	       p->height > 0 && p->height <= SIDE_MAX;
}

int fmp4_hevc_config(struct fmp4_track *t, const struct fmp4_sets *sets)
{
	const struct fmp4_set *sps = first_of(sets, HEVC_SPS);
	uint8_t tier_level[TIER_LEVEL];
	struct picture p;
	unsigned layers;

	if (sps == NULL || first_of(sets, HEVC_VPS) == NULL ||
	    first_of(sets, HEVC_PPS) == NULL ||
	    !read_hevc_sps(sps, &p, tier_level, &layers))
		return -ENOTSUP;
	t->width = p.width;
	t->height = p.height;
	put(&t->config, (const uint8_t[]){ 1 }, 1);
	put(&t->config, tier_level, TIER_LEVEL);
	put(&t->config, (const uint8_t[]){
		0xf0, 0, 0xfc, (uint8_t)(0xfc | (p.chroma & 3)),
		(uint8_t)(0xf8 | (p.luma_bits & 7)),
		(uint8_t)(0xf8 | (p.chroma_bits & 7)), 0, 0,
		(uint8_t)((layers & 7) << 3 | 3), 3 }, 10);
	for (unsigned type = HEVC_VPS; type <= HEVC_PPS; type++) {
		unsigned n = count_of(sets, type);

		/* 0x80 is array_completeness: all sets of the type are here */
		put(&t->config, (const uint8_t[]){ (uint8_t)(0x80 | type),
						   (uint8_t)(n >> 8),
						   (uint8_t)n }, 3);
		put_sets(&t->config, sets, type);
	}
	return 0;
}
