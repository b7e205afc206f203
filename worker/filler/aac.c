/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes silent frames of AAC in LATM, and the silent block of AAC for ADTS. */
#include "common/base/util.h"
#include "proto/si/bits.h"
#include "worker/filler/silent.h"

#include <string.h>

/* syntactic elements, 14496-3 table 4.85 */
enum { ID_SCE = 0, ID_CPE = 1, ID_LFE = 3, ID_END = 7 };

/* Writes ics_info: a long window without scale factor bands. */
static void put_ics_info(struct bit_writer *w)
{
	bits_put(w, 1, 0); /* reserved */
	bits_put(w, 2, 0); /* window_sequence */
	bits_put(w, 1, 0); /* window_shape */
	bits_put(w, 6, 0); /* max_sfb */
	bits_put(w, 1, 0); /* predictor_data_present */
}

static void put_channel(struct bit_writer *w, bool common_window)
{
	bits_put(w, 8, 0); /* global_gain */
	if (!common_window)
		put_ics_info(w);
	bits_put(w, 3, 0); /* no pulse data, TNS data, gain control */
}

bool aac_put_silence(struct bit_writer *w, unsigned channel_configuration)
{
	static const char *const elements[] = {
		NULL, "S", "C", "SC", "SCS", "SCC", "SCCL", "SCCCL",
	};
	unsigned tags[ID_LFE + 1] = { 0 };

	if (channel_configuration == 0 ||
	    channel_configuration >= ARRAY_LEN(elements))
		return false;
	for (const char *e = elements[channel_configuration]; *e != '\0'; e++) {
		unsigned id = *e == 'S' ? ID_SCE : *e == 'C' ? ID_CPE : ID_LFE;

		bits_put(w, 3, id);
		bits_put(w, 4, tags[id]++);
		if (id != ID_CPE) {
			put_channel(w, false);
			continue;
		}
		bits_put(w, 1, 1); /* common_window */
		put_ics_info(w);
		bits_put(w, 2, 0); /* ms_mask_present */
		put_channel(w, true);
		put_channel(w, true);
	}
	bits_put(w, 3, ID_END);
	return true;
}

/* --- LATM --- */

struct config {
	unsigned object, channels;
	uint32_t rate;
	uint32_t samples;
};

static bool get_rate(struct bits *r, uint32_t *ret)
{
	static const uint32_t rates[13] = {
		96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000,
		12000, 11025, 8000, 7350,
	};
	unsigned index = (unsigned)bits_take(r, 4);

	if (index == 15)
		*ret = (uint32_t)bits_take(r, 24);
	else if (index < ARRAY_LEN(rates))
		*ret = rates[index];
	else
		return false;
	/* an explicit rate may be invalid, and would make endless frames */
	return *ret > 0 && *ret <= rates[0];
}

/* Reads an AudioSpecificConfig (14496-3 1.6.2.1).  False: it is not
 * supported. */
static bool get_specific(struct bits *r, struct config *c)
{
	enum { AAC_MAIN = 1, AAC_LC = 2, SBR = 5, PS = 29 };
	uint32_t extended;

	c->object = (unsigned)bits_take(r, 5);
	if (!get_rate(r, &c->rate))
		return false;
	c->channels = (unsigned)bits_take(r, 4);
	if (c->object == SBR || c->object == PS) {
		if (!get_rate(r, &extended))
			return false;
		c->object = (unsigned)bits_take(r, 5);
	}
	if (c->object != AAC_MAIN && c->object != AAC_LC)
		return false;
	c->samples = bits_take(r, 1) ? 960 : 1024;
	if (bits_take(r, 1)) /* dependsOnCoreCoder */
		bits_skip(r, 14);
	return bits_take(r, 1) == 0; /* extensionFlag */
}

/* Reads a StreamMuxConfig (14496-3 1.7.3.1).  False: it has more than one
 * program or layer, or is not supported for another reason. */
static bool get_mux_config(struct bits *r, struct config *c)
{
	enum { VERSION = 1, SAME_FRAMING = 1, SUBFRAMES = 6, PROGRAMS = 4,
	       LAYERS = 3 };

	if (bits_take(r, VERSION) != 0 || bits_take(r, SAME_FRAMING) != 1 ||
	    bits_take(r, SUBFRAMES + PROGRAMS + LAYERS) != 0 ||
	    !get_specific(r, c) || bits_take(r, 3) != 0)
		return false;
	bits_skip(r, 8);     /* latmBufferFullness */
	if (bits_take(r, 1)) /* otherDataPresent */
		return false;
	if (bits_take(r, 1)) /* crcCheckPresent */
		bits_skip(r, 8);
	return !r->cut;
}

static void copy_bits(struct bit_writer *w, const uint8_t *data, size_t from,
		      size_t to)
{
	for (size_t i = from; i < to; i++)
		bits_put(w, 1, (uint32_t)data[i / 8] >> (7 - i % 8) & 1);
}

bool silent_make_latm(const uint8_t *sample, size_t len, struct silent *ret)
{
	enum { HEAD = 3 };
	struct bits r = { .data = sample, .len = len, .pos = HEAD * 8 };
	struct bit_writer w = { .data = ret->frame, .size = sizeof ret->frame,
				.at = HEAD * 8 };
	uint8_t block[64] = { 0 };
	struct bit_writer raw = { .data = block, .size = sizeof block };
	struct config c;

	/* useSameStreamMux 1: the configuration is in another frame, and this
	 * one cannot be used */
	if (bits_take(&r, 1) != 0 || !get_mux_config(&r, &c) ||
	    !aac_put_silence(&raw, c.channels))
		return false;
	bits_align(&raw);
	memset(ret->frame, 0, sizeof ret->frame);
	copy_bits(&w, sample, HEAD * 8, r.pos);
	bits_put(&w, 8, (uint32_t)(raw.at / 8)); /* PayloadLengthInfo */
	copy_bits(&w, block, 0, raw.at);
	bits_align(&w);
	ret->len = w.at / 8;
	ret->frame[0] = 0x56;
	ret->frame[1] = (uint8_t)(0xe0 | (ret->len - HEAD) >> 8);
	ret->frame[2] = (uint8_t)(ret->len - HEAD);
	ret->samples = c.samples;
	ret->rate = c.rate;
	return true;
}
