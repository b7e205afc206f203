/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers requests for the playlist of a mount and for its segments, whose
 * paths are beside it: /news.m3u8 has /news/1798765432.ts.
 *
 * The answers depend on the ring alone, so every process that serves the ring
 * gives the same ones.
 */
#pragma once

#include "proto/spec/io_spec.h"
#include "proto/wire/http_request.h"

#include <stdbool.h>
#include <stdint.h>

struct mount;
struct viewer_conn;

/* Is it the path of a segment?  Returns the path of its playlist and its
 * number, which is above 0. */
bool hls_segment_path(const char *path, char ret_playlist[IO_PATH_MAX],
		      uint64_t *ret_number);

/* Answers a request for the segment with the number, or for the playlist (0).
 */
void hls_answer(struct viewer_conn *, const struct http_request *,
		struct mount *, uint64_t number);
