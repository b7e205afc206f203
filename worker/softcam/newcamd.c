/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/softcam/newcamd.h"

#include "common/base/alloc.h"
#include "common/base/hex.h"

#include <crypt.h>
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEAD = 10,   /* bytes of id, sid, caid, provider and a reserved byte */
	PREFIX = 13, /* bytes of head, type and length */
	BLOCK = 8,
	LENGTH = 2,
	FRAME_MIN = 16, /* shortest frame after its length field: a block, and
			 * the initialisation vector */
	SECTION_FLAGS = 0x70,
	KEY_BITS = 7, /* key bits in a byte of a DES key; the last bit is the
		       * parity */
};

_Static_assert(LENGTH + PREFIX + NEWCAMD_BODY_MAX + 2 * BLOCK <=
		       NEWCAMD_FRAME_MAX,
	       "a frame has room for the longest body");

void newcamd_key_read(const char *text, uint8_t ret[NEWCAMD_KEY])
{
	static const char usual[] = "0102030405060708091011121314";

	if (text == NULL || strlen(text) != sizeof usual - 1 ||
	    !hex_read(text, ret, NEWCAMD_KEY))
		(void)hex_read(usual, ret, NEWCAMD_KEY);
}

int newcamd_hash(const char *password, char ret[NEWCAMD_HASH + 1])
{
	struct crypt_data *data = xcalloc(1, sizeof *data);
	const char *hash = crypt_rn(password, "$1$abcdefgh$", data,
				    (int)sizeof *data);
	int r = 0;

	if (hash == NULL || strlen(hash) != NEWCAMD_HASH)
		r = -EINVAL;
	else
		memcpy(ret, hash, NEWCAMD_HASH + 1);
	explicit_bzero(data, sizeof *data);
	free(data);
	return r;
}

/* Makes two DES keys of a key of 14 bytes: each half of 56 bits becomes eight
 * groups of 7 bits, each with a parity bit. */
static void spread(const uint8_t key[NEWCAMD_KEY], uint8_t ret[NEWCAMD_DES_KEY])
{
	for (size_t half = 0; half < 2; half++) {
		uint64_t bits = 0;

		for (size_t i = 0; i < NEWCAMD_KEY / 2; i++)
			bits = bits << 8 | key[half * NEWCAMD_KEY / 2 + i];
		for (size_t i = 0; i < BLOCK; i++) {
			unsigned shift = KEY_BITS * (BLOCK - 1 - (unsigned)i);
			unsigned group = bits >> shift & 0x7f;
			bool even = __builtin_popcount(group) % 2 == 0;

			ret[half * BLOCK + i] = (uint8_t)(group << 1 | even);
		}
	}
}

void newcamd_login_key(const uint8_t key[NEWCAMD_KEY],
		       const uint8_t greeting[NEWCAMD_GREETING],
		       uint8_t ret[NEWCAMD_DES_KEY])
{
	uint8_t mixed[NEWCAMD_KEY];

	for (size_t i = 0; i < NEWCAMD_KEY; i++)
		mixed[i] = key[i] ^ greeting[i];
	spread(mixed, ret);
}

void newcamd_session_key(const uint8_t key[NEWCAMD_KEY],
			 const char hash[NEWCAMD_HASH + 1],
			 uint8_t ret[NEWCAMD_DES_KEY])
{
	uint8_t mixed[NEWCAMD_KEY];

	memcpy(mixed, key, sizeof mixed);
	for (size_t i = 0; i < NEWCAMD_HASH; i++)
		mixed[i % NEWCAMD_KEY] ^= (uint8_t)hash[i];
	spread(mixed, ret);
}

/* Encrypts or decrypts whole blocks in place. */
static void run_cipher(const uint8_t key[NEWCAMD_DES_KEY], const uint8_t *iv,
		       uint8_t *data, size_t len, bool encrypt)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n;

	if (c == NULL ||
	    !EVP_CipherInit_ex(c, EVP_des_ede_cbc(), NULL, key, iv, encrypt) ||
	    !EVP_CIPHER_CTX_set_padding(c, 0) ||
	    !EVP_CipherUpdate(c, data, &n, data, (int)len))
		alloc_fail(); /* memory is the only possible reason */
	EVP_CIPHER_CTX_free(c);
}

static uint8_t checksum(const uint8_t *data, size_t len)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum ^= data[i];
	return sum;
}

static void put16(uint8_t *p, size_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

ssize_t newcamd_write(const uint8_t key[NEWCAMD_DES_KEY],
		      const struct newcamd_msg *m,
		      uint8_t ret[NEWCAMD_FRAME_MAX])
{
	size_t used = PREFIX + m->len;
	size_t len = (used + 1 + BLOCK - 1) / BLOCK * BLOCK;
	uint8_t *p = ret + LENGTH, *iv = p + len;

	if (m->len > NEWCAMD_BODY_MAX)
		return -EMSGSIZE;
	put16(ret, len + BLOCK);
	put16(p, m->id);
	put16(p + 2, m->sid);
	put16(p + 4, m->caid);
	p[6] = (uint8_t)(m->provider >> 16);
	put16(p + 7, m->provider & 0xffff);
	p[9] = 0;
	p[HEAD] = m->type;
	put16(p + HEAD + 1, m->len);
	/* a section has these flags in front of its length */
	if (m->type < NEWCAMD_LOGIN)
		p[HEAD + 1] |= SECTION_FLAGS;
	if (m->len > 0)
		memcpy(p + PREFIX, m->body, m->len);
	/* random bytes for the padding, and for the initialisation vector after
	 * it */
	if (RAND_bytes(p + used, (int)(len - used + BLOCK)) != 1)
		return -EIO;
	p[len - 1] = checksum(p, len - 1);
	run_cipher(key, iv, p, len, true);
	return (ssize_t)(LENGTH + len + BLOCK);
}

ssize_t newcamd_frame_len(const uint8_t head[2])
{
	size_t len = get16(head);

	if (len < FRAME_MIN || len % BLOCK != 0 ||
	    len > NEWCAMD_FRAME_MAX - LENGTH)
		return -EBADMSG;
	return (ssize_t)(LENGTH + len);
}

int newcamd_read(const uint8_t key[NEWCAMD_DES_KEY], uint8_t *frame, size_t len,
		 struct newcamd_msg *ret)
{
	uint8_t *p = frame + LENGTH;
	size_t body;

	if (len < LENGTH + FRAME_MIN || newcamd_frame_len(frame) < 0 ||
	    (size_t)newcamd_frame_len(frame) != len)
		return -EBADMSG;
	len -= LENGTH + BLOCK;
	run_cipher(key, p + len, p, len, false);
	if (len < PREFIX + 1 || checksum(p, len) != 0)
		return -EBADMSG;
	body = get16(p + HEAD + 1) & 0xfff;
	if (PREFIX + body + 1 > len)
		return -EBADMSG;
	*ret = (struct newcamd_msg){
		.id = get16(p),
		.sid = get16(p + 2),
		.caid = get16(p + 4),
		.provider = (uint32_t)p[6] << 16 | get16(p + 7),
		.type = p[HEAD],
		.len = body,
		.body = p + PREFIX,
	};
	return 0;
}
