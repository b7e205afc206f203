/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/zone.h"

#include "proto/si/bits.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum {
	MAGIC_LEN = 4,
	RESERVED_LEN = 15,
	HEADER_LEN = 44,
	TYPE_LEN = 6,
	RULE_MAX = 128,
	ITEMS_MAX = 65536, /* entries of each kind in a file; real files have
			    * hundreds */
};

struct header {
	size_t isut, isstd, leap, times, types, chars;
};

/* The changes of the offset in a file. */
struct changes {
	size_t n, n_types;
	const uint8_t *at;    /* times of 8 bytes */
	const uint8_t *index; /* for each change: the index of its type */
	const uint8_t *types;
};

static bool take_header(struct bits *b, struct header *ret)
{
	struct bytes magic = bits_bytes(b, MAGIC_LEN);
	uint8_t version = (uint8_t)bits_take(b, 8);
	size_t n[6];

	(void)bits_bytes(b, RESERVED_LEN);
	for (size_t i = 0; i < ARRAY_LEN(n); i++) {
		n[i] = (size_t)bits_take(b, 32);
		if (n[i] > ITEMS_MAX)
			return false;
	}
	*ret = (struct header){ n[0], n[1], n[2], n[3], n[4], n[5] };
	return !b->cut && memcmp(magic.data, "TZif", MAGIC_LEN) == 0 &&
	       version >= '2' && ret->types > 0;
}

/* The length of the data behind a header, if a time has `size` bytes. */
static size_t block_len(const struct header *h, size_t size)
{
	return h->times * (size + 1) + h->types * TYPE_LEN + h->chars +
	       h->leap * (size + 4) + h->isstd + h->isut;
}

static uint64_t number(const uint8_t *p, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++)
		n = n << 8 | p[i];
	return n;
}

static int64_t time_of(const struct changes *c, size_t i)
{
	return (int64_t)number(c->at + 8 * i, 8);
}

static int offset_of_type(const struct changes *c, size_t type)
{
	return (int32_t)number(c->types + TYPE_LEN * type, 4);
}

static int offset_of(const struct changes *c, size_t i)
{
	return offset_of_type(c, c->index[i]);
}

static bool is_sound(const struct changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->index[i] >= c->n_types ||
		    (i > 0 && time_of(c, i) <= time_of(c, i - 1)))
			return false;
	return true;
}

/* Reads the rule behind the changes, without its line ends; false: the rule is
 * malformed. */
static bool take_rule(struct bits *b, char ret[RULE_MAX])
{
	struct bytes rest = bits_rest(b);
	const uint8_t *end;
	size_t len;

	if (rest.len < 2 || rest.data[0] != '\n')
		return false;
	end = memchr(rest.data + 1, '\n', rest.len - 1);
	if (end == NULL)
		return false;
	len = (size_t)(end - rest.data) - 1;
	if (len >= RULE_MAX || memchr(rest.data, '\0', len + 1) != NULL)
		return false;
	memcpy(ret, rest.data + 1, len);
	ret[len] = '\0';
	return true;
}

static int find(const struct changes *c, const char *rule, int64_t unix_s,
		struct zone_offset *ret)
{
	struct zone_offset z = { 0 }, behind;
	size_t i = 0;

	while (i < c->n && time_of(c, i) <= unix_s)
		i++;
	if (i == c->n && rule[0] != '\0')
		return zone_rule_at(rule, unix_s, ret);
	z.offset_s = i > 0 ? offset_of(c, i - 1) : offset_of_type(c, 0);
	z.next_s = z.offset_s;
	while (i < c->n && offset_of(c, i) == z.offset_s)
		i++;
	if (i < c->n) {
		z.change_at = time_of(c, i);
		z.next_s = offset_of(c, i);
	} else if (c->n > 0 && rule[0] != '\0') {
		/* the rule holds from the last change on */
		int r = zone_rule_at(rule, time_of(c, c->n - 1), &behind);

		if (r < 0)
			return r;
		z.change_at = behind.change_at;
		z.next_s = behind.next_s;
	}
	*ret = z;
	return 0;
}

int zone_at(const uint8_t *file, size_t len, int64_t unix_s,
	    struct zone_offset *ret)
{
	struct bits b = bits_of(file, len);
	struct changes c;
	struct header h;
	char rule[RULE_MAX];

	/* the first block has times of 32 bits; the second one repeats it with
	 * times of 64 bits */
	if (!take_header(&b, &h))
		return -EBADMSG;
	(void)bits_bytes(&b, block_len(&h, 4));
	if (!take_header(&b, &h))
		return -EBADMSG;
	c.n = h.times;
	c.n_types = h.types;
	c.at = bits_bytes(&b, 8 * h.times).data;
	c.index = bits_bytes(&b, h.times).data;
	c.types = bits_bytes(&b, TYPE_LEN * h.types).data;
	(void)bits_bytes(&b, block_len(&h, 8) - 9 * h.times -
				     TYPE_LEN * h.types);
	if (b.cut || !is_sound(&c) || !take_rule(&b, rule))
		return -EBADMSG;
	return find(&c, rule, unix_s, ret);
}
