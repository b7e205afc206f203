/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/querier/querier_table.h"

void querier_table_add(struct querier_table *t, unsigned ifindex,
		       const struct sockaddr_any *from,
		       const struct group_query *query, uint64_t now_ms)
{
	struct querier *place = &t->list[0];

	for (size_t i = 0; i < ARRAY_LEN(t->list); i++) {
		struct querier *q = &t->list[i];

		if (q->ifindex == ifindex &&
		    q->from.sa.sa_family == from->sa.sa_family) {
			place = q;
			break;
		}
		if (q->at_ms < place->at_ms)
			place = q;
	}
	*place = (struct querier){
		.ifindex = ifindex,
		.from = *from,
		.query = *query,
		.at_ms = now_ms,
	};
}

void querier_table_expire(struct querier_table *t, uint64_t older_than_ms,
			  uint64_t now_ms)
{
	for (size_t i = 0; i < ARRAY_LEN(t->list); i++)
		if (t->list[i].ifindex != 0 &&
		    now_ms - t->list[i].at_ms > older_than_ms)
			t->list[i] = (struct querier){ 0 };
}
