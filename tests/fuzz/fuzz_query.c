/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets from the network to a listener for queries, as IGMP and as MLD. */
#include "tests/fuzz/fuzz.h"
#include "worker/querier/query.h"

#include <stdlib.h>

static void check(int r, const struct group_query *q)
{
	if (r != 0)
		return;
	if (q->version < 1 || q->version > 3 || q->interval_s > 31744)
		abort();
}

/* Chance finds no checksum. */
static void look_mended(const uint8_t *data, size_t size)
{
	uint8_t copy[256];
	struct group_query q;
	uint32_t sum = 0;
	size_t head;

	if (size < 32 || size > sizeof copy)
		return;
	for (size_t i = 0; i < size; i++)
		copy[i] = data[i];
	head = (size_t)(copy[0] & 0xf) * 4;
	if (head < 20 || head + 8 > size)
		return;
	copy[0] = (uint8_t)(0x40 | (copy[0] & 0xf));
	copy[2] = 0;
	copy[3] = (uint8_t)size;
	copy[9] = 2;
	copy[16] = 224;
	copy[17] = copy[18] = 0;
	copy[19] = 1;
	copy[head] = 0x11;
	copy[head + 2] = copy[head + 3] = 0;
	for (size_t i = head; i < size; i++)
		sum += (uint32_t)copy[i] << ((i - head) % 2 == 0 ? 8 : 0);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = ~((sum >> 16) + (sum & 0xffff));
	copy[head + 2] = (uint8_t)(sum >> 8);
	copy[head + 3] = (uint8_t)sum;
	check(igmp_query_parse(copy, size, &q), &q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct group_query q;

	check(igmp_query_parse(data, size, &q), &q);
	check(mld_query_parse(data, size, &q), &q);
	look_mended(data, size);
	return 0;
}
