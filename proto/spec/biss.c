/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/biss.h"

#include "common/base/hex.h"
#include "proto/spec/field.h"

#include <errno.h>
#include <string.h>

enum { WORD_DIGITS = 12, KEY_DIGITS = 16 };

static int read_key(const struct field *f, const char *key, const char *text,
		    void *s, struct errmsg *error)
{
	struct biss_spec *b = (struct biss_spec *)((char *)s + f->offset);
	size_t len = strlen(text);
	bool ok = false;

	(void)key;
	/* a session word has no checksums: biss_finish() computes them */
	if (len == WORD_DIGITS)
		ok = hex_read(text, b->key, 3) &&
		     hex_read(text + 6, b->key + 4, 3);
	else if (len == KEY_DIGITS)
		ok = hex_read(text, b->key, BISS_KEY);
	if (!ok)
		return errmsg_fail(error, -EINVAL,
				   "is not 12 or 16 hexadecimal digits");
	if (len == WORD_DIGITS)
		b->key[3] = b->key[7] = 0;
	b->given = true;
	return 0;
}

const struct field_hook biss_hook = { .schema = "string", .read = read_key };

int biss_finish(struct biss_spec *b, struct errmsg *error)
{
	if (!b->given || b->no_checksum)
		return 0;
	for (size_t i = 3; i < BISS_KEY; i += 4) {
		uint8_t sum = (uint8_t)(b->key[i - 3] + b->key[i - 2] +
					b->key[i - 1]);

		if (b->key[i] != 0 && b->key[i] != sum)
			return errmsg_fail(error, -EINVAL,
					   "biss: byte %zu is not the checksum "
					   "of the three bytes before it: "
					   "correct the key, or add "
					   "no_checksum", i + 1);
		b->key[i] = sum;
	}
	return 0;
}
