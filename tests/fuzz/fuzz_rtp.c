/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of any kind as one RTP datagram: the payload stays inside it. */
#include "tests/fuzz/fuzz.h"
#include "worker/input/rtp.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rtp_sequence sequence;
	struct rtp_datagram d;
	uint64_t lost = sequence.lost;

	if (rtp_parse(data, size, &d) < 0)
		return 0;
	if (d.payload < data || d.payload + d.len > data + size)
		abort();
	/* keeps what the compiler would drop */
	for (size_t i = 0; i < d.len; i++)
		sequence.started |= d.payload[i] == 0xff;
	(void)rtp_sequence_feed(&sequence, &d);
	if (sequence.lost < lost || sequence.lost - lost > RTP_DROPOUT_MAX)
		abort();
	return 0;
}
