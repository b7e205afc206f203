/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a fragment of fMP4 (ISO/IEC 14496-12, CMAF) from a segment of a
 * transport stream, and its initialization segment.
 *
 * The fragment carries H.264, HEVC, AAC (ADTS), MPEG audio, AC-3 and E-AC-3 of
 * the main program.  Video of another coding is an error; other PIDs are left
 * out.
 *
 * Time stamps of 33 bits continue as 64 bits near a given time.
 *
 * Pure: reads bytes that are hostile.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FMP4_TRACKS_MAX = 8,
	FMP4_SAMPLES_MAX = 16384, /* samples of a track in a segment */
	FMP4_CODECS_MAX = 128,    /* bytes of fmp4_codecs.text */
};

/* The descriptions of the tracks of earlier segments.  A track that has no
 * sample in the present segment stays in the initialization with its earlier
 * description. */
struct fmp4_past;
struct fmp4_past *fmp4_past_new(void);
/* NULL-safe; sets *p to NULL. */
void fmp4_past_free(struct fmp4_past **);

/* The state of the tracks at the end of a part of a segment, from which the
 * next part continues.  Without a state, fmp4_make() needs for a part all bytes
 * from the start of its segment on. */
struct fmp4_state;
struct fmp4_state *fmp4_state_new(void);
/* NULL-safe; sets *s to NULL. */
void fmp4_state_free(struct fmp4_state **);
/* The number of bytes of the state that each part copies; 0 for NULL. */
size_t fmp4_state_len(const struct fmp4_state *);

struct fmp4_source {
	const uint8_t *data; /* whole packets, with the tables in front */
	size_t len;
	/* The fragment has the PES that begin in data from offset `from' to
	 * offset `own'.  Bytes behind `own' only complete its last PES; bytes
	 * in front of `from' are those of earlier parts of the segment. */
	size_t from, own;
	/* Borrowed; or NULL.  If it is set, data begin where the part before
	 * ended. */
	struct fmp4_state *state;
	/* The fragment also has the audio frames that began in an earlier part
	 * and are in no fragment yet. */
	bool rest;
	bool last;        /* no further bytes will come */
	uint64_t near;    /* 90 kHz: the approximate time of the segment */
	uint32_t number;  /* sequence_number of the fragment */
	/* Descriptions of earlier segments; borrowed.  NULL: a track without
	 * samples is not in the initialization. */
	struct fmp4_past *past;
};

/* What must follow until the last units of a segment are complete. */
struct fmp4_lack {
	size_t n; /* entries of list */
	struct {
		uint16_t pid;
		bool pes;     /* another PES must begin on the PID */
		size_t bytes; /* about this many payload bytes must follow */
	} list[FMP4_TRACKS_MAX];
};

/* Appends the initialization segment to init and the fragment to media.  0: the
 * state of the source, if it has one, is now that at offset `own'.
 * -EAGAIN with lack: the last units end behind the bytes of the source.
 * -ENOTSUP with error: fMP4 cannot carry the segment. */
int fmp4_make(const struct fmp4_source *, struct buf *init, struct buf *media,
	      struct fmp4_lack *lack, struct errmsg *error) MUST_CHECK;

/* Moves the state of a source, which must have one, over all its bytes without
 * making a fragment: units that end in these bytes are in no fragment.  Returns
 * as fmp4_make(). */
int fmp4_skip(const struct fmp4_source *) MUST_CHECK;

/* What a player must decode: the video and the first sound of the program. */
struct fmp4_codecs {
	char text[FMP4_CODECS_MAX]; /* RFC 6381, "avc1.64001f,mp4a.40.2" */
	unsigned width, height;     /* luma samples; 0: there is no video */
	/* the PMT lists audio that fMP4 can carry, but no frame was found */
	bool silent;
};

/* Describes the main program.  data: whole packets with its tables, the
 * parameter sets of its video, and a frame of its audio.  -EAGAIN: the
 * parameter sets are missing, or the audio frame of a program without video;
 * -ENOTSUP: a track cannot be carried in fMP4. */
int fmp4_describe(const uint8_t *data, size_t len,
		  struct fmp4_codecs *ret) MUST_CHECK;

/* Takes the whole packets that follow the bytes of the source.  True: nothing
 * is missing any more, so fmp4_make() can be called again. */
bool fmp4_lack_feed(struct fmp4_lack *, const uint8_t *data, size_t len);
