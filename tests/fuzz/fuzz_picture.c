/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The packets of a stream whose picture is wanted: its tables, its key frame in
 * libavcodec, and the JPEG. */
#include "tests/fuzz/fuzz.h"
#include "worker/picture/picture_frame.h"
#include "worker/ts/packet.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t jpeg[32 * 1024];
	struct picture_units units;
	struct errmsg error = { "" };
	struct AVFrame *frame;
	ssize_t len;
	int err;

	picture_library_open();
	if (picture_units_read(&units, data, size / TS_PACKET, &error) < 0) {
		if (error.text[0] == '\0')
			abort();
		return 0;
	}
	if (units.n == 0 || units.n > PICTURE_UNITS)
		abort();
	frame = picture_decode(&units, &err, &error);
	if (frame != NULL) {
		len = picture_encode(frame, 320, jpeg, sizeof jpeg, &error);
		if (len == 0 || len > (ssize_t)sizeof jpeg)
			abort();
	}
	picture_frame_free(&frame);
	picture_units_done(&units);
	return 0;
}
