/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/softcam/card.h"

#include <errno.h>
#include <string.h>

enum {
	FIXED = 12,   /* bytes of user, caid, ua and number of providers */
	PROVIDER = 11,
	USER_WITH_AU = 1,
};

int card_read(const uint8_t *body, size_t len, struct card *ret)
{
	size_t n;

	if (len < FIXED)
		return -EBADMSG;
	n = body[FIXED - 1];
	if (n > CARD_PROVIDERS_MAX || len < FIXED + n * PROVIDER)
		return -EBADMSG;
	*ret = (struct card){
		.au = body[0] == USER_WITH_AU,
		.caid = (uint16_t)(body[1] << 8 | body[2]),
		.n = n,
	};
	memcpy(ret->ua, body + 3, sizeof ret->ua);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = body + FIXED + i * PROVIDER;

		memcpy(ret->providers[i].id, p, 3);
		memcpy(ret->providers[i].sa, p + 3, 8);
	}
	return 0;
}
