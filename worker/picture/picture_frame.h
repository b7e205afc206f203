/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes a key frame and encodes it as a small JPEG, with libavcodec.
 *
 * The library runs no thread and opens no file.  Its bounds are those of the
 * process: memory, and a time for each picture.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "worker/picture/picture_units.h"

#include <sys/types.h>

struct AVFrame;

/* Frames above this are not decoded: 4096x2304. */
enum { PICTURE_PIXELS_MAX = 4096 * 2304 };

/* Prepares the library; to be called before its first use. */
void picture_library_open(void);

/* The key frame that the units begin with; the caller frees it.  NULL with
 * *ret_err = -ENOENT: pictures with this coding cannot be decoded; -EAGAIN:
 * this picture cannot, but another may be; both with error. */
struct AVFrame *picture_decode(const struct picture_units *, int *ret_err,
			       struct errmsg *error);
void picture_frame_free(struct AVFrame **);

/* Writes a JPEG of at most this width and size bytes; its pixels are square,
 * unless it would be higher than 1080 lines.  Returns its length, or -errno
 * with error. */
ssize_t picture_encode(const struct AVFrame *, unsigned width, uint8_t *ret,
		       size_t size, struct errmsg *error) MUST_CHECK;
