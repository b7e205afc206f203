/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/helpers/buffer_sizes.h"

/* Bit/s and bits of the coded picture buffer. */
static struct buffer_sizes size_video(double rate, double cpb)
{
	double most = rate > 2e6 ? rate : 2e6;

	/* BSmux and BSoh are in front of it */
	return (struct buffer_sizes){
		.tb_bps = rate,
		.bytes = (most * .004 + most / 750 + cpb) / 8,
	};
}

struct level {
	uint8_t level;
	double rate, cpb;
};

static const struct level *level_of(const struct level *list, size_t n,
				    uint8_t level)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].level == level)
			return &list[i];
	return NULL;
}

#define LEVEL_OF(list, level) \
	level_of(list, sizeof(list) / sizeof(list)[0], level)

static struct buffer_sizes of_h264(const uint8_t *sps)
{
	static const struct level levels[] = {
		{ 10, 64, 175 }, { 11, 192, 500 }, { 12, 384, 1000 },
		{ 13, 768, 2000 }, { 20, 2000, 2000 }, { 21, 4000, 4000 },
		{ 22, 4000, 4000 }, { 30, 10000, 10000 },
		{ 31, 14000, 14000 }, { 32, 20000, 20000 },
		{ 40, 20000, 25000 }, { 41, 50000, 62500 },
		{ 42, 50000, 62500 }, { 50, 135000, 135000 },
		{ 51, 240000, 240000 }, { 52, 240000, 240000 },
	};
	const struct level *l = LEVEL_OF(levels, sps[2]);
	double factor = sps[0] == 100 ? 1500 : 1200;

	return l != NULL ? size_video(l->rate * factor, l->cpb * factor)
			 : (struct buffer_sizes){ 0 };
}

static struct buffer_sizes of_mpeg2(const uint8_t *extension)
{
	static const struct level levels[] = {
		{ 10, 4e6, 475136 }, { 8, 15e6, 1835008 },
		{ 6, 60e6, 7340032 }, { 4, 80e6, 9781248 },
	};
	const struct level *l = LEVEL_OF(levels, extension[1] >> 4);

	struct buffer_sizes sizes = { 0 };

	/* the identifier of a sequence extension */
	if (extension[0] >> 4 == 1 && l != NULL) {
		sizes = size_video(l->rate, l->cpb);
		sizes.tb_bps *= 1.2;
	}
	return sizes;
}

static struct buffer_sizes of_hevc(const uint8_t *tier)
{
	static const struct level levels[] = {
		{ 30, 128, 350 }, { 60, 1500, 1500 }, { 63, 3000, 3000 },
		{ 90, 6000, 6000 }, { 93, 10000, 10000 },
		{ 120, 12000, 12000 }, { 123, 20000, 20000 },
		{ 150, 25000, 25000 }, { 153, 40000, 40000 },
		{ 156, 60000, 60000 },
	};
	uint8_t plain[12] = { 0 };
	size_t n = 0;

	/* without the bytes that prevent start codes */
	for (size_t i = 0; n < sizeof plain && i < 18; i++)
		if (i < 2 || tier[i] != 3 || tier[i - 1] != 0 ||
		    tier[i - 2] != 0)
			plain[n++] = tier[i];

	const struct level *l = LEVEL_OF(levels, plain[11]);
	double factor = tier[0] & 0x20 ? 2.5 * 1100 : 1100;

	return l != NULL ? size_video(l->rate * factor, l->cpb * factor)
			 : (struct buffer_sizes){ 0 };
}

bool buffer_sizes_video(uint8_t type, const uint8_t *data, size_t n,
			struct buffer_sizes *ret)
{
	*ret = (struct buffer_sizes){ 0 };
	for (size_t i = 0; i + 24 < n && ret->bytes == 0; i++) {
		const uint8_t *d = data + i;

		if (d[0] != 0 || d[1] != 0 || d[2] != 1)
			continue;
		if (type == 0x1b && (d[3] & 0x1f) == 7)
			*ret = of_h264(d + 4);
		else if (type == 0x02 && d[3] == 0xb5)
			*ret = of_mpeg2(d + 4);
		else if (type == 0x24 && (d[3] >> 1 & 0x3f) == 33)
			*ret = of_hevc(d + 6);
	}
	return ret->bytes > 0;
}

struct buffer_sizes buffer_sizes_audio(uint8_t type)
{
	switch (type) {
	case 0x03:
	case 0x04:
		return (struct buffer_sizes){ 2e6, 3584 };
	case 0x0f:
	case 0x11: /* eight channels at most */
		return (struct buffer_sizes){ 5529600, 8976 };
	case 0x81:
	case 0x87:
		return (struct buffer_sizes){ 2e6, 5696 };
	}
	return (struct buffer_sizes){ 0 };
}

bool buffer_sizes_adts(const uint8_t *data, size_t n, struct buffer_sizes *ret)
{
	unsigned channels;

	if (n < 4 || data[0] != 0xff || (data[1] & 0xf6) != 0xf0)
		return false;
	channels = (unsigned)(data[2] << 8 | data[3]) >> 6 & 7;
	if (channels == 1 || channels == 2)
		*ret = (struct buffer_sizes){ 2e6, 3584 };
	else
		*ret = (struct buffer_sizes){ 5529600, 8976 };
	return true;
}
