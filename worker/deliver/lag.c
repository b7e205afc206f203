/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/lag.h"

#include "common/base/util.h"

void lag_init(struct lag *lag, uint64_t size, uint64_t rate,
	      const struct lag_kernel *kernel)
{
	/* a second of the stream: between two looks at the viewers the writer
	 * must not get past it even when this process was held up */
	uint64_t margin = MIN(MAX(rate, size / 16), size / 4);
	uint64_t hold = MIN(kernel->rcvbuf_max, (size - margin) / 2);
	/* the smallest limit that any rate leaves */
	uint64_t floor = (size - size / 4) / 2;

	lag->limit = size - margin - hold;
	lag->start_max = lag->limit / 4 * 3;
	lag->ask_above = lag->limit / 4;
	/* the queue must fit between ask_above and limit; the kernel doubles
	 * what is asked of it (socket(7)) */
	lag->sndbuf = 0;
	if (kernel->sndbuf_max > floor / 4 * 3)
		lag->sndbuf = floor / 8 * 3;
}

enum lag_verdict lag_judge(const struct lag *lag, uint64_t behind,
			   uint64_t queued)
{
	if (behind <= lag->ask_above || behind + queued <= lag->limit)
		return LAG_FINE;
	return queued == 0 ? LAG_LATE : LAG_SLOW;
}
