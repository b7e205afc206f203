/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracks of a segment and their samples; only for the fmp4*.c files. */
#pragma once

#include "common/base/buf.h"
#include "worker/fragment/fmp4.h"
#include "worker/ts/pes_head.h"

/* The most bytes that a frame of audio has. */
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

/* A PES of a track.  The first one may lack its beginning. */
struct fmp4_pes {
	size_t at;         /* offset of its payload in fmp4_track.es */
	bool own;          /* the PES begins in the segment or part, and is
			    * written to the fragment */
	bool front;        /* the PES begins in an earlier part of the
			    * segment */
	bool has_time;     /* pts and dts are valid */
	uint64_t pts, dts; /* 90 kHz, 33 bits */
};

struct fmp4_sample {
	uint32_t size;
	uint32_t duration; /* in the scale of the track */
	uint32_t offset;   /* PTS minus DTS, in the scale of the track */
	bool sync;         /* decoding can begin with this sample */
};

struct fmp4_track {
	uint16_t pid;
	bool video;
	uint8_t type; /* pmt_coding() */
	bool known;   /* the track has what the initialization needs */
	enum fmp4_coding coding;
	struct buf es;   /* elementary stream: payload of all PES in pes */
	struct buf pes;  /* array of struct fmp4_pes */
	size_t own_len;  /* bytes of es up to the end of the segment or part */
	unsigned beyond; /* number of PES that begin behind that end */
	struct pes_skip header; /* state of the header of the last PES */
	bool waits;      /* the time stamps of the last PES are incomplete */
	size_t lacking;  /* bytes of the last frame that have not arrived */
	struct buf samples; /* array of struct fmp4_sample */
	struct buf data;    /* the bytes of the samples */
	uint64_t time;   /* time of the first sample, in ticks of the scale */
	uint32_t scale;  /* ticks per second */
	/* --- for the next part of the segment --- */
	struct buf sets; /* video: parameter sets with start codes */
	size_t own_skip; /* value of skip at the end of the segment or part */
	/* value of header at the end of the segment or part */
	struct pes_skip own_header;
	size_t skip;     /* bytes to skip in front of the next audio frame */
	size_t next_at;  /* offset of the next audio frame in es */
	uint64_t next_time; /* time of the next audio frame */
	bool timed;      /* the times of the audio frames are known */
	/* number of PES up to that in which the last audio frame begins */
	size_t n_used;
	uint32_t before; /* duration of the last sample so far; 0: none */
	/* --- for the initialization --- */
	/* content of avcC, hvcC, dac3 or dec3; AAC: AudioSpecificConfig */
	struct buf config;
	/* width and height in luma samples; rate in samples per second */
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

/* Returns the 64-bit time nearest to `near' whose lowest 33 bits are `time'. */
uint64_t fmp4_unwrap(uint64_t time, uint64_t near);

/* Collects the payload of the tracks of the main program, FMP4_TRACKS_MAX at
 * most.  Returns as fmp4_make(); the caller ends each of the n tracks. */
int fmp4_demux(const struct fmp4_source *, struct fmp4_track *list, size_t *n,
	       struct errmsg *error) MUST_CHECK;
void fmp4_track_done(struct fmp4_track *);

/* fmp4_video() and fmp4_audio() make the samples of a track, and what its
 * initialization needs.  They return the same errors as fmp4_make().  A track
 * without samples is not written, unless its description is known. */
int fmp4_video(struct fmp4_track *, const struct fmp4_source *,
	       struct errmsg *error) MUST_CHECK;
int fmp4_audio(struct fmp4_track *, const struct fmp4_source *,
	       struct errmsg *error) MUST_CHECK;

/* Parameter sets, without start codes.  fmp4_avc_config() and
 * fmp4_hevc_config() read width, height and config of the track from them. */
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

/* fmp4_keep() stores the state of the tracks at the end of a part.
 * fmp4_continue() copies the state into a list for the next part, and returns
 * the number of tracks.  rest: as in struct fmp4_source. */
void fmp4_keep(struct fmp4_state *, struct fmp4_track *, size_t n);
size_t fmp4_continue(const struct fmp4_state *, bool rest,
		     struct fmp4_track list[FMP4_TRACKS_MAX]);

/* Gives tracks without a description the one that they had in an earlier
 * segment, then stores the descriptions that are known. */
void fmp4_recall(struct fmp4_past *, struct fmp4_track *, size_t n);

/* Writes the initialization segment.  track_ID is the index in the list plus 1,
 * also if tracks in front of the track are not written. */
void fmp4_write_init(struct buf *, const struct fmp4_track *, size_t n);
void fmp4_write_media(struct buf *, const struct fmp4_track *, size_t n,
		      uint32_t number);
