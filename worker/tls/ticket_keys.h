/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of TLS session tickets.
 *
 * Every hour a new key replaces the current key, which still opens tickets for
 * another hour.  So an attacker with the memory of this process cannot decrypt
 * older sessions.  No key leaves the process, so the next process opens no
 * ticket of this one.  Pure, except for the random numbers.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	TICKET_NAME_LEN = 16,
	TICKET_SECRET_LEN = 32,
	TICKET_ROTATE_MS = 3600 * 1000,
};

struct ticket_key {
	uint8_t name[TICKET_NAME_LEN];
	uint8_t aes[TICKET_SECRET_LEN];
	uint8_t hmac[TICKET_SECRET_LEN];
	uint64_t made_ms;
	bool valid;
};

/* Embedded; zeroed memory holds no key. */
struct ticket_keys {
	struct ticket_key current;
	struct ticket_key previous;
};

/* The key for a new ticket; NULL if the system has no random numbers. */
const struct ticket_key *ticket_keys_seal(struct ticket_keys *,
					  uint64_t now_ms);
/* The key with this name, to open a ticket; NULL if it is unknown or too
 * old. */
const struct ticket_key *
ticket_keys_open(const struct ticket_keys *,
		 const uint8_t name[TICKET_NAME_LEN], uint64_t now_ms);
/* Invalidates all tickets. */
void ticket_keys_forget(struct ticket_keys *);
