/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a card, which a newcamd server sends after the login. */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CARD_PROVIDERS_MAX = 64 };

struct card {
	uint16_t caid;
	bool au;       /* the server accepts EMMs from this user */
	uint8_t ua[8]; /* unique address */
	size_t n;
	struct card_provider {
		uint8_t id[3];
		uint8_t sa[8]; /* shared address */
	} providers[CARD_PROVIDERS_MAX];
};

/* Reads the body of a NEWCAMD_CARD message.  0; -EBADMSG: it is shorter than
 * its list of providers, or has more than CARD_PROVIDERS_MAX. */
int card_read(const uint8_t *body, size_t len, struct card *ret) MUST_CHECK;
