/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a fragment of fMP4 (ISO/IEC 14496-12, CMAF) from a segment of a
 * transport stream, and its initialization segment.
 *
 * It carries H.264, HEVC, AAC (ADTS), MPEG audio, AC-3 and E-AC-3 of the main
 * program.  Video of another coding is an error; other PIDs are left out.
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
	FMP4_SAMPLES_MAX = 16384, /* of a track, in a segment */
	FMP4_CODECS_MAX = 128,
};

/* The tracks of earlier segments: one without a sample stays in the
 * initialization. */
struct fmp4_past;
struct fmp4_past *fmp4_past_new(void);
/* NULL-safe; sets *p to NULL. */
void fmp4_past_free(struct fmp4_past **);

/* The state of the tracks behind a part of a segment, from which the next part
 * continues.  Without it, the bytes of a part must be all of its segment up to
 * its end. */
struct fmp4_state;
struct fmp4_state *fmp4_state_new(void);
/* NULL-safe; sets *s to NULL. */
void fmp4_state_free(struct fmp4_state **);
/* The number of bytes of the state that each part copies; 0 for NULL. */
size_t fmp4_state_len(const struct fmp4_state *);

struct fmp4_source {
	const uint8_t *data; /* whole packets, with the tables in front */
	size_t len;
	/* The units that begin in so many bytes are those of the segment; the
	 * others have their ends.  Of a part it has those from `from' on. */
	size_t from, own;
	/* Borrowed; or NULL.  The bytes follow the `own' ones of its last
	 * fragment. */
	struct fmp4_state *state;
	bool rest; /* it has the frames that end in its bytes, too */
	bool last;        /* no further bytes will come */
	uint64_t near;    /* in 90 kHz: the time of the segment, roughly */
	uint32_t number;  /* of the fragment */
	struct fmp4_past *past; /* borrowed; or NULL */
};

/* The bytes that must follow until the last units of a segment are complete. */
struct fmp4_lack {
	size_t n;
	struct {
		uint16_t pid;
		bool pes;     /* the begin of one ... */
		size_t bytes; /* ... and so many, roughly */
	} list[FMP4_TRACKS_MAX];
};

/* Appends the initialization segment to init and the fragment to media.  0: the
 * state of the source, if it has one, is now that behind its `own' bytes.
 * -EAGAIN with lack: the last units end behind the bytes of the source.
 * -ENOTSUP with error: fMP4 cannot carry the segment. */
int fmp4_make(const struct fmp4_source *, struct buf *init, struct buf *media,
	      struct fmp4_lack *lack, struct errmsg *error) MUST_CHECK;

/* Moves the state over the bytes of a source without `own' ones, whose whole
 * units are in no fragment.  Returns as fmp4_make(). */
int fmp4_skip(const struct fmp4_source *) MUST_CHECK;

/* What a player must decode: the video and the first sound of the program. */
struct fmp4_codecs {
	char text[FMP4_CODECS_MAX]; /* RFC 6381, "avc1.64001f,mp4a.40.2" */
	unsigned width, height;     /* of the picture; 0: there is none */
	bool silent; /* no frame of a sound that the tables have was found */
};

/* Describes the main program in whole packets that have its tables, the
 * parameter sets of its video, and a frame of a sound.  -EAGAIN: the sets, or
 * the frame of a program without video, are lacking; -ENOTSUP: a track cannot
 * be carried in fMP4, so it has no name here. */
int fmp4_describe(const uint8_t *data, size_t len,
		  struct fmp4_codecs *ret) MUST_CHECK;

/* Takes whole packets behind the last bytes.  True: nothing is lacking any
 * more. */
bool fmp4_lack_feed(struct fmp4_lack *, const uint8_t *data, size_t len);
