/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Playlists, one behind the other, with a byte of ones between them: every
 * listed segment is inside of them, and no segment is played without end. */
#include "tests/fuzz/fuzz.h"
#include "worker/net/hls/segment_window.h"

#include <stdlib.h>
#include <string.h>

static void judge_text(struct m3u8_text t, const char *text, size_t len)
{
	if (t.len > 0 && (t.data < text || t.data + t.len > text + len))
		abort();
}

static void judge(const struct m3u8 *l, const char *text, size_t len)
{
	for (size_t i = 0; i < l->n_variants; i++) {
		const struct m3u8_audio *sound =
			m3u8_audio_of(l, &l->variants[i], "de");

		judge_text(l->variants[i].uri, text, len);
		if (sound == NULL)
			continue;
		judge_text(sound->uri, text, len);
		judge_text(sound->language, text, len);
		judge_text(sound->name, text, len);
	}
	for (size_t i = 0; i < l->n_keys; i++)
		judge_text(l->keys[i].uri, text, len);
	for (size_t i = 0; i < l->n_segments; i++) {
		judge_text(l->segments[i].uri, text, len);
		if (l->segments[i].key > l->n_keys ||
		    l->segments[i].duration_ms > M3U8_DURATION_MAX_MS + 1000)
			abort();
	}
}

static void play(struct segment_window *w, const struct m3u8 *l)
{
	struct segment_step step;
	size_t n = 0;

	segment_window_update(w, l, 7000);
	(void)segment_window_ahead_ms(w, l);
	while (segment_window_next(w, l, &step)) {
		if (step.sequence < l->sequence ||
		    step.sequence - l->sequence >= l->n_segments ||
		    n++ == l->n_segments)
			abort();
		segment_window_done(w, &step, n % 8 != 0);
	}
	if (n % 5 == 4)
		segment_window_change(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct segment_window w = { 0 };
	struct m3u8 l;

	while (size > 0) {
		const uint8_t *end = memchr(data, 0xff, size);
		size_t len = end != NULL ? (size_t)(end - data) : size;

		(void)m3u8_begins(data, len);
		if (m3u8_parse((const char *)data, len, &l, NULL) == 0) {
			judge(&l, (const char *)data, len);
			play(&w, &l);
			m3u8_done(&l);
		}
		data += len;
		size -= len;
		if (size > 0) {
			data++;
			size--;
		}
	}
	return 0;
}
