/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a newcamd server sends: a frame as it arrives, the same bytes as the
 * plain content of a frame, and as the body of a card.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pieces.h"
#include "worker/softcam/card.h"
#include "worker/softcam/newcamd.h"

static const uint8_t key[NEWCAMD_DES_KEY] = { 2, 7, 1, 8, 2, 8 };

static void read_frame(const uint8_t *data, size_t size)
{
	uint8_t *frame = malloc(size + 1);
	struct newcamd_msg m;

	memcpy(frame, data, size);
	if (newcamd_read(key, frame, size, &m) == 0) {
		must(m.body >= frame && m.body + m.len <= frame + size);
		must(m.len <= 0xfff);
	}
	free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t frame[NEWCAMD_FRAME_MAX];
	struct newcamd_msg m = { .type = 0xe4, .body = data, .len = size };
	struct card card;
	ssize_t n;

	if (size > NEWCAMD_FRAME_MAX)
		return 0;
	read_frame(data, size);
	if (card_read(data, size, &card) == 0)
		must(card.n <= CARD_PROVIDERS_MAX);
	n = newcamd_write(key, &m, frame);
	must((n < 0) == (size > NEWCAMD_BODY_MAX));
	if (n > 0) {
		must(newcamd_read(key, frame, (size_t)n, &m) == 0);
		must(m.len == size && memcmp(m.body, data, size) == 0);
	}
	return 0;
}
