/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys that session tickets are sealed with.
 *
 * A new one every hour; the one before it still opens tickets for as long.  So
 * who gets hold of this process learns nothing about sessions older than that.
 * Nothing of it leaves the process: its successor knows no ticket.  Pure but
 * for the random numbers.
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

/* The key for a new ticket, made when it is time; NULL when the system has no
 * random numbers. */
const struct ticket_key *ticket_keys_seal(struct ticket_keys *,
					  uint64_t now_ms);
/* The key of this name, or NULL when it is none of ours or too old. */
const struct ticket_key *
ticket_keys_open(const struct ticket_keys *,
		 const uint8_t name[TICKET_NAME_LEN], uint64_t now_ms);
/* Tickets given out so far open no more. */
void ticket_keys_forget(struct ticket_keys *);
