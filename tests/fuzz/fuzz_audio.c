/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of any kind as those of elementary streams: PES and their times,
 * places to begin at, and frames of sound, which are the same however their
 * bytes are cut.
 */
#include "tests/fuzz/fuzz.h"
#include "worker/splice/stamps.h"
#include "worker/ts/audio.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/rap.h"

#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void try_pes(const uint8_t *packet)
{
	struct pes_times at;
	uint8_t moved[TS_PACKET];
	uint64_t pts;
	size_t len;
	const uint8_t *pes = pes_find(packet, &len);

	check(pes == NULL || (len >= PES_HEADER &&
			      pes + len == packet + TS_PACKET));
	if (!pes_times(packet, &at)) {
		check(!pes_pts(packet, &pts));
		return;
	}
	check(pes != NULL && at.pts + 5 <= TS_PACKET &&
	      at.dts + 5 <= TS_PACKET);
	check(pes_pts(packet, &pts) && pts < PES_TIME_WRAP);
	memcpy(moved, packet, sizeof moved);
	stamps_move(moved, (struct stamps_move){ .clock = 1, .times = 2 });
	check(pes_time(moved + at.pts) == (pts + 2) % PES_TIME_WRAP);
}

static void try_start(const uint8_t *packet)
{
	static const uint8_t types[] = { 0x01, 0x02, 0x03, 0x0f, 0x1b, 0x24,
					 0x33, 0x06, 0x81 };
	uint8_t copy[TS_PACKET];
	uint64_t pcr;

	for (size_t i = 0; i < 2 * sizeof types; i++) {
		struct rap rap = { 0 };

		rap_follow(&rap, ts_pid(packet), types[i / 2],
			   i % 2 ? PID_AUDIO : PID_VIDEO);
		(void)rap_feed(&rap, packet);
	}
	memcpy(copy, packet, sizeof copy);
	if (!ts_pcr(copy, &pcr))
		return;
	stamps_drop_payload(copy);
	check(ts_pcr(copy, &pcr) && !ts_has_payload(copy));
	stamps_drop_pcr(copy);
	check(!ts_pcr(copy, &pcr));
}

struct heard {
	size_t frames, bytes;
	uint64_t samples;
};

static struct heard listen(const uint8_t *data, size_t size, size_t chunk)
{
	struct audio_walk walk = { 0 };
	struct audio_frame frame;
	struct heard h = { 0 };

	while (size > 0) {
		size_t n = chunk < size ? chunk : size, left = n;
		const uint8_t *at = data;

		while (audio_walk(&walk, &at, &left, &frame)) {
			check(frame.len >= AUDIO_HEAD);
			h.frames++;
			h.bytes += frame.len;
			h.samples += frame.samples;
		}
		check(left == 0 && at == data + n);
		data += n;
		size -= n;
	}
	return h;
}

static void try_sound(const uint8_t *data, size_t size, size_t chunk)
{
	struct heard whole = listen(data, size, size);
	struct heard cut = listen(data, size, chunk);

	check(whole.frames == cut.frames && whole.bytes == cut.bytes &&
	      whole.samples == cut.samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *packet;
	size_t chunk;

	if (size < 2)
		return 0;
	chunk = 1 + data[0];
	data++;
	size--;
	try_sound(data, size, chunk);
	/* memory that ends where the packet does */
	packet = malloc(TS_PACKET);
	if (packet == NULL)
		abort();
	for (; size >= TS_PACKET; data += TS_PACKET, size -= TS_PACKET) {
		memcpy(packet, data, TS_PACKET);
		packet[0] = TS_SYNC_BYTE;
		try_pes(packet);
		try_start(packet);
	}
	free(packet);
	return 0;
}
