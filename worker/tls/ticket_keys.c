/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tls/ticket_keys.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

const struct ticket_key *ticket_keys_seal(struct ticket_keys *keys,
					  uint64_t now_ms)
{
	struct ticket_key *k = &keys->current;

	if (k->valid && now_ms - k->made_ms < TICKET_ROTATE_MS)
		return k;
	keys->previous = *k;
	k->made_ms = now_ms;
	k->valid = RAND_bytes(k->name, sizeof k->name) == 1 &&
		   RAND_priv_bytes(k->aes, sizeof k->aes) == 1 &&
		   RAND_priv_bytes(k->hmac, sizeof k->hmac) == 1;
	return k->valid ? k : NULL;
}

static bool opens(const struct ticket_key *k, const uint8_t *name,
		  uint64_t now_ms)
{
	return k->valid && now_ms - k->made_ms < 2 * TICKET_ROTATE_MS &&
	       memcmp(k->name, name, sizeof k->name) == 0;
}

const struct ticket_key *
ticket_keys_open(const struct ticket_keys *keys,
		 const uint8_t name[TICKET_NAME_LEN], uint64_t now_ms)
{
	if (opens(&keys->current, name, now_ms))
		return &keys->current;
	if (opens(&keys->previous, name, now_ms))
		return &keys->previous;
	return NULL;
}

void ticket_keys_forget(struct ticket_keys *keys)
{
	OPENSSL_cleanse(keys, sizeof *keys);
	*keys = (struct ticket_keys){ 0 };
}
