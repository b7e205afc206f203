/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/querier/querier_table.h"

/* The place of this interface and family, or the one that it may have. */
static struct heard_querier *find(struct heard *h, unsigned ifindex,
				  sa_family_t family)
{
	struct heard_querier *oldest = &h->list[0];

	for (size_t i = 0; i < ARRAY_LEN(h->list); i++) {
		struct heard_querier *q = &h->list[i];

		if (q->ifindex == ifindex && q->from.sa.sa_family == family)
			return q;
		if (q->at_ms < oldest->at_ms)
			oldest = q;
	}
	return oldest;
}

void heard_note(struct heard *h, unsigned ifindex,
		const struct sockaddr_any *from,
		const struct group_query *query, uint64_t now_ms)
{
	*find(h, ifindex, from->sa.sa_family) = (struct heard_querier){
		.ifindex = ifindex,
		.from = *from,
		.query = *query,
		.at_ms = now_ms,
	};
}

void heard_forget(struct heard *h, uint64_t older_than_ms, uint64_t now_ms)
{
	for (size_t i = 0; i < ARRAY_LEN(h->list); i++)
		if (h->list[i].ifindex != 0 &&
		    now_ms - h->list[i].at_ms > older_than_ms)
			h->list[i] = (struct heard_querier){ 0 };
}
