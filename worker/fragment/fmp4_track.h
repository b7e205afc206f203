/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of fmp4.h share: the tracks of a segment and their samples. */
#pragma once

#include "common/base/buf.h"
#include "worker/fragment/fmp4.h"
#include "worker/ts/pes_head.h"

/* No frame of audio has more bytes. */
enum { FMP4_FRAME_MAX = 8 << 10 };

enum fmp4_coding {
	FMP4_NONE, /* not known yet */
	FMP4_AVC,
	FMP4_HEVC,
	FMP4_AAC,
	FMP4_MPEG,
	FMP4_AC3,
	FMP4_EAC3,
};

/* A PES, or a unit in the first of them. */
struct fmp4_pes {
	size_t at;         /* in es */
	bool own;          /* begins in the segment, or in the part ... */
	bool front;        /* ... or in an earlier part of the segment */
	bool has_time;
	uint64_t pts, dts; /* 33 bits */
};

struct fmp4_sample {
	uint32_t size;
	uint32_t duration; /* in the scale of the track */
	uint32_t offset;   /* of the composition */
	bool sync;
};

struct fmp4_track {
	uint16_t pid;
	bool video;
	uint8_t type; /* pmt_coding() */
	bool known;   /* it has what the initialization needs */
	enum fmp4_coding coding;
	struct buf es;   /* payload of all PES, from the first one on */
	struct buf pes;  /* of struct fmp4_pes */
	size_t own_len;  /* of es: in front of the bytes behind the segment */
	unsigned beyond; /* PES that begin behind the segment */
	struct pes_skip header; /* of the last PES */
	bool waits;      /* the times of the last PES are not complete */
	size_t lacking;  /* bytes of the last frame */
	struct buf samples; /* of struct fmp4_sample */
	struct buf data;    /* their bytes */
	uint64_t time;   /* of the first sample, in the scale */
	uint32_t scale;  /* ticks per second */
	/* for the next part */
	struct buf sets; /* of video: parameter sets with start codes */
	size_t own_skip; /* skip behind the own bytes */
	struct pes_skip own_header; /* header behind them */
	size_t skip;     /* bytes in front of the next frame of audio ... */
	size_t next_at;  /* ... which is here in es, ... */
	uint64_t next_time; /* ... and its time ... */
	bool timed;      /* ... is known */
	size_t n_used;   /* PES whose frames have begun */
	uint32_t before; /* duration of the sample in front of it; 0: none */
	/* for the initialization */
	struct buf config; /* avcC, hvcC, the AudioSpecificConfig, dac3, dec3 */
	unsigned width, height, channels, rate;
};

/* The objectTypeIndication of MPEG audio (ISO/IEC 14496-1): rates below 32 kHz
 * are those of MPEG-2. */
static inline uint8_t fmp4_mpeg_object(const struct fmp4_track *t)
{
	return t->rate < 32000 ? 0x69 : 0x6b;
}

static inline size_t fmp4_n_pes(const struct fmp4_track *t)
{
	return buf_len(&t->pes) / sizeof(struct fmp4_pes);
}

static inline struct fmp4_pes *fmp4_pes_at(const struct fmp4_track *t, size_t i)
{
	return (struct fmp4_pes *)(void *)buf_head(&t->pes) + i;
}

static inline size_t fmp4_n_samples(const struct fmp4_track *t)
{
	return buf_len(&t->samples) / sizeof(struct fmp4_sample);
}

static inline struct fmp4_sample *fmp4_sample_at(const struct fmp4_track *t,
						 size_t i)
{
	return (struct fmp4_sample *)(void *)buf_head(&t->samples) + i;
}

/* The end of the payload of a PES. */
static inline size_t fmp4_pes_end(const struct fmp4_track *t, size_t i)
{
	return i + 1 < fmp4_n_pes(t) ? fmp4_pes_at(t, i + 1)->at
				     : buf_len(&t->es);
}

/* The 64-bit time nearest to `near' that has these 33 bits. */
uint64_t fmp4_unwrap(uint64_t time, uint64_t near);

/* Collects the payload of the tracks of the main program, FMP4_TRACKS_MAX at
 * most.  Returns as fmp4_make(); the caller ends each of the n tracks. */
int fmp4_demux(const struct fmp4_source *, struct fmp4_track *list, size_t *n,
	       struct errmsg *error) MUST_CHECK;
void fmp4_track_done(struct fmp4_track *);

/* Make the samples of a track, and what its initialization needs.  Returns as
 * fmp4_make(); a track that gets no samples is left out, unless its description
 * is known. */
int fmp4_video(struct fmp4_track *, const struct fmp4_source *,
	       struct errmsg *error) MUST_CHECK;
int fmp4_audio(struct fmp4_track *, const struct fmp4_source *,
	       struct errmsg *error) MUST_CHECK;

/* Parameter sets, without start codes: fill width, height and config. */
struct fmp4_sets {
	size_t n;
	struct fmp4_set {
		const uint8_t *data;
		size_t len;
		unsigned type; /* nal_unit_type */
	} list[32];
};
int fmp4_avc_config(struct fmp4_track *, const struct fmp4_sets *) MUST_CHECK;
int fmp4_hevc_config(struct fmp4_track *, const struct fmp4_sets *) MUST_CHECK;

/* fmp4_keep() stores the tracks as they are behind the own bytes of a fragment.
 * fmp4_continue() copies them into a list for the next fragment, and returns
 * their number. */
void fmp4_keep(struct fmp4_state *, struct fmp4_track *, size_t n);
size_t fmp4_continue(const struct fmp4_state *, bool rest,
		     struct fmp4_track list[FMP4_TRACKS_MAX]);

/* Remembers the descriptions of tracks with samples.  Gives tracks without
 * samples the description that they had before. */
void fmp4_recall(struct fmp4_past *, struct fmp4_track *, size_t n);

/* Writes the initialization.  The number of a track is its place in the list,
 * also if tracks in front of it are left out. */
void fmp4_write_init(struct buf *, const struct fmp4_track *, size_t n);
void fmp4_write_media(struct buf *, const struct fmp4_track *, size_t n,
		      uint32_t number);
