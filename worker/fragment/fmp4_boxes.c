/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the boxes of ISO/IEC 14496-12 and 14496-14. */
#include "worker/fragment/fmp4_track.h"

#include <string.h>

enum {
	FULL = 0x01000000,  /* version 1 of a full box, no flags */
	BASE_IS_MOOF = 0x020000, /* tf_flags: default-base-is-moof */
	/* tr_flags: data offset; each sample has duration, size, flags and
	 * composition time offset */
	TRUN_FIELDS = 0x000f01,
	SYNC = 0x02000000,      /* sample flags: depends on no other sample */
	NO_SYNC = 0x01010000,   /* sample flags: depends on others, no sync */
	ES_TAG = 3, CONFIG_TAG = 4, SPECIFIC_TAG = 5, SL_TAG = 6,
	OBJECT_AAC = 0x40,
	AUDIO_STREAM = 0x15,
};

static void put32(struct buf *to, uint32_t n)
{
	const uint8_t b[] = { (uint8_t)(n >> 24), (uint8_t)(n >> 16),
			      (uint8_t)(n >> 8), (uint8_t)n };

	buf_append(to, b, sizeof b);
}

static void put16(struct buf *to, unsigned n)
{
	const uint8_t b[] = { (uint8_t)(n >> 8), (uint8_t)n };

	buf_append(to, b, sizeof b);
}

static void put_zeros(struct buf *to, size_t n)
{
	static const uint8_t zeros[64];

	buf_append(to, zeros, n);
}

static void set32(struct buf *to, size_t at, uint32_t n)
{
	const uint8_t b[] = { (uint8_t)(n >> 24), (uint8_t)(n >> 16),
			      (uint8_t)(n >> 8), (uint8_t)n };

	memcpy(buf_at(to, at), b, sizeof b);
}

/* Begins a box.  Returns its offset, which end_box() needs to write its
 * length. */
static size_t begin_box(struct buf *to, const char type[5])
{
	size_t at = buf_len(to);

	put32(to, 0);
	buf_append(to, type, 4);
	return at;
}

static size_t begin_full(struct buf *to, const char type[5], uint32_t flags)
{
	size_t at = begin_box(to, type);

	put32(to, flags);
	return at;
}

static void end_box(struct buf *to, size_t at)
{
	set32(to, at, (uint32_t)(buf_len(to) - at));
}

static void put_matrix(struct buf *to)
{
	static const uint32_t unity[9] = { 0x10000, 0, 0, 0, 0x10000, 0, 0, 0,
					   0x40000000 };

	for (size_t i = 0; i < 9; i++)
		put32(to, unity[i]);
}

static void write_config(struct buf *to, const struct fmp4_track *t,
			 const char type[5])
{
	size_t at = begin_box(to, type);

	buf_append(to, buf_head(&t->config), buf_len(&t->config));
	end_box(to, at);
}

static void put_descriptor(struct buf *to, uint8_t tag, size_t len)
{
	const uint8_t head[] = { tag, (uint8_t)len };

	buf_append(to, head, sizeof head);
}

/* Writes the ES descriptor (ISO/IEC 14496-1 7.2.6.5).  Every length is less
 * than 128, so it takes one byte. */
static void write_esds(struct buf *to, const struct fmp4_track *t)
{
	size_t at = begin_full(to, "esds", 0), own = buf_len(&t->config);
	size_t specific = own > 0 ? 2 + own : 0;
	uint8_t object = t->coding == FMP4_AAC ? OBJECT_AAC
					       : fmp4_mpeg_object(t);

	put_descriptor(to, ES_TAG, 3 + 2 + 13 + specific + 3);
	put_zeros(to, 3);
	put_descriptor(to, CONFIG_TAG, 13 + specific);
	buf_append(to, (const uint8_t[]){ object, AUDIO_STREAM }, 2);
	put_zeros(to, 11);
	if (own > 0) {
		put_descriptor(to, SPECIFIC_TAG, own);
		buf_append(to, buf_head(&t->config), own);
	}
	put_descriptor(to, SL_TAG, 1);
	buf_append(to, "\x02", 1);
	end_box(to, at);
}

static void write_video_entry(struct buf *to, const struct fmp4_track *t)
{
	bool avc = t->coding == FMP4_AVC;
	size_t at = begin_box(to, avc ? "avc1" : "hvc1");

	put_zeros(to, 6);
	put16(to, 1);
	put_zeros(to, 16);
	put16(to, t->width);
	put16(to, t->height);
	put32(to, 0x480000);
	put32(to, 0x480000);
	put32(to, 0);
	put16(to, 1);
	put_zeros(to, 32);
	put16(to, 24);
	put16(to, 0xffff);
	write_config(to, t, avc ? "avcC" : "hvcC");
	end_box(to, at);
}

static void write_audio_entry(struct buf *to, const struct fmp4_track *t)
{
	size_t at = begin_box(to, t->coding == FMP4_AC3 ? "ac-3"
			      : t->coding == FMP4_EAC3 ? "ec-3" : "mp4a");

	put_zeros(to, 6);
	put16(to, 1);
	put_zeros(to, 8);
	put16(to, t->channels);
	put16(to, 16);
	put32(to, 0);
	put32(to, t->rate < 65536 ? t->rate << 16 : 0);
	if (t->coding == FMP4_AC3)
		write_config(to, t, "dac3");
	else if (t->coding == FMP4_EAC3)
		write_config(to, t, "dec3");
	else
		write_esds(to, t);
	end_box(to, at);
}

/* Writes the sample table with the description of the track, and without
 * samples, which are in fragments. */
static void write_stbl(struct buf *to, const struct fmp4_track *t)
{
	static const char *const empty[] = { "stts", "stsc", "stco" };
	size_t table = begin_box(to, "stbl"), at = begin_full(to, "stsd", 0);

	put32(to, 1);
	if (t->video)
		write_video_entry(to, t);
	else
		write_audio_entry(to, t);
	end_box(to, at);
	for (size_t i = 0; i < ARRAY_LEN(empty); i++) {
		at = begin_full(to, empty[i], 0);
		put32(to, 0);
		end_box(to, at);
	}
	at = begin_full(to, "stsz", 0);
	put_zeros(to, 8);
	end_box(to, at);
	end_box(to, table);
}

static void write_minf(struct buf *to, const struct fmp4_track *t)
{
	size_t info = begin_box(to, "minf"), at, inner, url;

	at = begin_full(to, t->video ? "vmhd" : "smhd", t->video);
	put_zeros(to, t->video ? 8 : 4);
	end_box(to, at);
	at = begin_box(to, "dinf");
	inner = begin_full(to, "dref", 0);
	put32(to, 1);
	url = begin_full(to, "url ", 1); /* flag: data is in this file */
	end_box(to, url);
	end_box(to, inner);
	end_box(to, at);
	write_stbl(to, t);
	end_box(to, info);
}

static void write_trak(struct buf *to, const struct fmp4_track *t, uint32_t id)
{
	size_t track = begin_box(to, "trak"), media, at;

	/* flags: track_enabled, track_in_movie */
	at = begin_full(to, "tkhd", 3);
	put_zeros(to, 8);
	put32(to, id);
	put_zeros(to, 4 + 4 + 8 + 4);
	put16(to, t->video ? 0 : 0x100);
	put16(to, 0);
	put_matrix(to);
	put32(to, t->width << 16);
	put32(to, t->height << 16);
	end_box(to, at);

	media = begin_box(to, "mdia");
	at = begin_full(to, "mdhd", 0);
	put_zeros(to, 8);
	put32(to, t->scale);
	put32(to, 0);
	put16(to, 0x55c4); /* language: und */
	put16(to, 0);
	end_box(to, at);
	at = begin_full(to, "hdlr", 0);
	put32(to, 0);
	buf_append(to, t->video ? "vide" : "soun", 4);
	put_zeros(to, 12 + 1);
	end_box(to, at);
	write_minf(to, t);
	end_box(to, media);
	end_box(to, track);
}

void fmp4_write_init(struct buf *to, const struct fmp4_track *list, size_t n)
{
	size_t at = begin_box(to, "ftyp"), movie, track;

	buf_append(to, "iso6\0\0\0\0iso6cmfcmp41", 20);
	end_box(to, at);
	movie = begin_box(to, "moov");
	at = begin_full(to, "mvhd", 0);
	put_zeros(to, 8);
	put32(to, 1000);
	put32(to, 0);
	put32(to, 0x10000);
	put16(to, 0x100);
	put_zeros(to, 10);
	put_matrix(to);
	put_zeros(to, 24);
	put32(to, (uint32_t)n + 1);
	end_box(to, at);
	for (size_t i = 0; i < n; i++)
		if (list[i].known)
			write_trak(to, &list[i], (uint32_t)i + 1);
	at = begin_box(to, "mvex");
	for (size_t i = 0; i < n; i++) {
		if (!list[i].known)
			continue;
		track = begin_full(to, "trex", 0);
		put32(to, (uint32_t)i + 1);
		put32(to, 1);
		put_zeros(to, 12);
		end_box(to, track);
	}
	end_box(to, at);
	end_box(to, movie);
}

/* Writes the traf box of a track.  Returns the offset of data_offset, which is
 * set when the position of the samples in mdat is known. */
static size_t write_traf(struct buf *to, const struct fmp4_track *t,
			 uint32_t id)
{
	size_t fragment = begin_box(to, "traf"), at, offset;
	size_t n = fmp4_n_samples(t);

	at = begin_full(to, "tfhd", BASE_IS_MOOF);
	put32(to, id);
	end_box(to, at);
	at = begin_full(to, "tfdt", FULL);
	put32(to, (uint32_t)(t->time >> 32));
	put32(to, (uint32_t)t->time);
	end_box(to, at);
	at = begin_full(to, "trun", TRUN_FIELDS);
	put32(to, (uint32_t)n);
	offset = buf_len(to);
	put32(to, 0);
	for (size_t i = 0; i < n; i++) {
		const struct fmp4_sample *x = fmp4_sample_at(t, i);

		put32(to, x->duration);
		put32(to, x->size);
		put32(to, x->sync ? SYNC : NO_SYNC);
		put32(to, x->offset);
	}
	end_box(to, at);
	end_box(to, fragment);
	return offset;
}

void fmp4_write_media(struct buf *to, const struct fmp4_track *list, size_t n,
		      uint32_t number)
{
	size_t at = begin_box(to, "styp"), movie, offsets[FMP4_TRACKS_MAX];

	buf_append(to, "msdh\0\0\0\0msdhcmfs", 16);
	end_box(to, at);
	movie = begin_box(to, "moof");
	at = begin_full(to, "mfhd", 0);
	put32(to, number);
	end_box(to, at);
	for (size_t i = 0; i < n; i++)
		if (fmp4_n_samples(&list[i]) > 0)
			offsets[i] = write_traf(to, &list[i], (uint32_t)i + 1);
	end_box(to, movie);
	at = begin_box(to, "mdat");
	for (size_t i = 0; i < n; i++) {
		if (fmp4_n_samples(&list[i]) == 0)
			continue;
		set32(to, offsets[i], (uint32_t)(buf_len(to) - movie));
		buf_append(to, buf_head(&list[i].data), buf_len(&list[i].data));
	}
	end_box(to, at);
}
