/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/text_dictionary.h"

#include "common/base/alloc.h"
#include "common/base/sorted.h"
#include "common/base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	COMPRESSED = 0x1f,
	BITS_MAX = 32,
	ESCAPED_MAX = 255,
	LINE_LEN_MAX = 256,
	/* values of `from' and `to' that are no characters: they are behind the
	 * last character of Unicode */
	START = 0x110000,
	ANY,
	STOP,
	ESCAPE,
	NONE,
	NO_NODE = 0, /* index of a child: there is none; node 0 is not used */
};

/* A node in the tree of the codes behind one character. */
struct node {
	uint32_t child[2]; /* NO_NODE: none */
	uint32_t to;       /* TO of the code that ends here; NONE: no code
			    * does */
};

/* The codes that may follow a character, in one encoding. */
struct state {
	uint32_t from;
	uint8_t encoding;
	uint32_t root; /* index of the root of the tree of these codes */
};

struct text_dictionary {
	struct node *nodes; /* index 0 is not used: see NO_NODE */
	size_t n, room;
	struct state *states; /* sorted by encoding and from */
	size_t n_states, states_room;
	size_t codes; /* number of codes */
};

bool text_is_compressed(const uint8_t *data, size_t len)
{
	return len > 0 && data[0] == COMPRESSED;
}

/* --- the trees --- */

static uint32_t add_node(struct text_dictionary *d)
{
	if (d->n == d->room) {
		d->room = MAX((size_t)256, 2 * d->room);
		d->nodes = xrealloc(d->nodes, d->room * sizeof *d->nodes);
	}
	d->nodes[d->n] = (struct node){ .to = NONE };
	return (uint32_t)d->n++;
}

struct wanted {
	const struct text_dictionary *d;
	uint8_t encoding;
	uint32_t from;
};

static int order(size_t i, const void *arg)
{
	const struct wanted *w = arg;
	const struct state *s = &w->d->states[i];

	if (s->encoding != w->encoding)
		return s->encoding < w->encoding ? -1 : 1;
	return (s->from > w->from) - (s->from < w->from);
}

static struct state *find_state(const struct text_dictionary *d,
				uint8_t encoding, uint32_t from)
{
	const struct wanted w = { d, encoding, from };
	bool found;
	size_t at = sorted_place(d->n_states, order, &w, &found);

	return found ? &d->states[at] : NULL;
}

/* Returns the state for a character in an encoding, and adds it if it is
 * absent; NULL: there are too many states. */
static struct state *add_state(struct text_dictionary *d, uint8_t encoding,
			       uint32_t from)
{
	const struct wanted w = { d, encoding, from };
	bool found;
	size_t at = sorted_place(d->n_states, order, &w, &found);

	if (found)
		return &d->states[at];
	if (d->n_states == TEXT_DICTIONARY_FROMS)
		return NULL;
	if (d->n_states == d->states_room) {
		d->states_room = MAX((size_t)32, 2 * d->states_room);
		d->states = xrealloc(d->states,
				     d->states_room * sizeof *d->states);
	}
	memmove(d->states + at + 1, d->states + at,
		(d->n_states - at) * sizeof *d->states);
	d->states[at] = (struct state){ from, encoding, add_node(d) };
	d->n_states++;
	return &d->states[at];
}

static int add_code(struct text_dictionary *d, uint32_t root, const char *bits,
		    uint32_t to, struct errmsg *error)
{
	uint32_t at = root;

	if (++d->codes > TEXT_DICTIONARY_CODES)
		return errmsg_fail(error, -E2BIG, "more than %d codes",
				   TEXT_DICTIONARY_CODES);
	for (const char *b = bits; *b != '\0'; b++) {
		uint32_t next;

		if (d->nodes[at].to != NONE)
			return errmsg_fail(error, -EINVAL, "another code "
					   "begins %s", bits);
		next = d->nodes[at].child[*b - '0'];
		if (next == NO_NODE) {
			if (d->n >= TEXT_DICTIONARY_NODES)
				return errmsg_fail(error, -E2BIG,
						   "the codes are too long");
			next = add_node(d);
			d->nodes[at].child[*b - '0'] = next;
		}
		at = next;
	}
	if (d->nodes[at].to != NONE || d->nodes[at].child[0] != NO_NODE ||
	    d->nodes[at].child[1] != NO_NODE)
		return errmsg_fail(error, -EINVAL, "%s begins another code, or "
				   "is one already", bits);
	d->nodes[at].to = to;
	return 0;
}

/* --- the file --- */

/* Takes the next word of the line and ends it with a NUL; "": the line has no
 * more words. */
static char *take_word(char **at)
{
	char *word = *at + strspn(*at, " \t\r");
	char *end = word + strcspn(word, " \t\r");

	*at = *end != '\0' ? end + 1 : end;
	*end = '\0';
	return word;
}

/* Returns the character of a word such as U+0041; NONE: the word is no
 * character. */
static uint32_t character(const char *word)
{
	unsigned long c;
	char *end;

	if (strncmp(word, "U+", 2) != 0 || strlen(word) > 8 ||
	    word[2 + strspn(word + 2, "0123456789abcdefABCDEF")] != '\0')
		return NONE;
	c = strtoul(word + 2, &end, 16);
	return end == word + 2 || c == 0 || c > 0x10ffff ||
			       (c >= 0xd800 && c < 0xe000)
		       ? NONE : (uint32_t)c;
}

static int read_code(struct text_dictionary *d, int encoding, char *const w[3],
		     struct errmsg *error)
{
	uint32_t from = strcmp(w[0], "start") == 0 ? START
			: strcmp(w[0], "any") == 0 ? ANY : character(w[0]);
	uint32_t to = strcmp(w[2], "stop") == 0 ? STOP
		      : strcmp(w[2], "escape") == 0 ? ESCAPE : character(w[2]);
	size_t bits = strspn(w[1], "01");
	const struct state *s;

	if (encoding < 0)
		return errmsg_fail(error, -EINVAL,
				   "no line `encoding' precedes it");
	if (from == NONE)
		return errmsg_fail(error, -EINVAL, "FROM: \"%.16s\" is none "
				   "of start, any and a character as U+0041",
				   w[0]);
	if (w[1][bits] != '\0' || bits < 1 || bits > BITS_MAX)
		return errmsg_fail(error, -EINVAL, "BITS: \"%.40s\" is not 1 "
				   "to %d digits 0 and 1", w[1], BITS_MAX);
	if (to == NONE)
		return errmsg_fail(error, -EINVAL, "TO: \"%.16s\" is none of "
				   "stop, escape and a character as U+0041",
				   w[2]);
	s = add_state(d, (uint8_t)encoding, from);
	if (s == NULL)
		return errmsg_fail(error, -E2BIG, "more than %d pairs of "
				   "encoding and FROM",
				   TEXT_DICTIONARY_FROMS);
	return add_code(d, s->root, w[1], to, error);
}

static int read_line(struct text_dictionary *d, char *line, int *encoding,
		     struct errmsg *error)
{
	unsigned long n;
	char *w[4], *end;

	line[strcspn(line, "#")] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(w); i++)
		w[i] = take_word(&line);
	if (w[0][0] == '\0')
		return 0;
	if (strcmp(w[0], "encoding") == 0 && w[2][0] == '\0') {
		n = strtoul(w[1], &end, 10);
		if (w[1][0] < '0' || w[1][0] > '9' || *end != '\0' ||
		    n > UINT8_MAX)
			return errmsg_fail(error, -EINVAL, "encoding: "
					   "\"%.16s\" is not between 0 and "
					   "255", w[1]);
		*encoding = (int)n;
		return 0;
	}
	if (w[2][0] == '\0' || w[3][0] != '\0')
		return errmsg_fail(error, -EINVAL,
				   "is neither FROM BITS TO nor encoding N");
	return read_code(d, *encoding, w, error);
}

static int read_all(struct text_dictionary *d, const char *text, size_t len,
		    struct errmsg *error)
{
	const char *end = text + len;
	char line[LINE_LEN_MAX + 1];
	int encoding = -1, r = 0;

	if (len > TEXT_DICTIONARY_MAX)
		return errmsg_fail(error, -EFBIG, "is longer than %d bytes",
				   TEXT_DICTIONARY_MAX);
	for (unsigned n = 1; text < end && r == 0; n++) {
		const char *next = memchr(text, '\n', (size_t)(end - text));
		size_t has = (size_t)((next != NULL ? next : end) - text);

		if (has > LINE_LEN_MAX || memchr(text, '\0', has) != NULL)
			return errmsg_fail(error, -EINVAL, "line %u: is too "
					   "long, or has a byte 0", n);
		memcpy(line, text, has);
		line[has] = '\0';
		r = read_line(d, line, &encoding, error);
		if (r < 0)
			errmsg_prefix(error, "line %u: ", n);
		text += has + (next != NULL);
	}
	if (r == 0 && d->codes == 0)
		r = errmsg_fail(error, -EINVAL, "has no code");
	return r;
}

struct text_dictionary *text_dictionary_parse(const char *text, size_t len,
					      struct errmsg *error)
{
	struct text_dictionary *d = xcalloc(1, sizeof *d);

	(void)add_node(d);
	if (read_all(d, text, len, error) < 0)
		text_dictionary_free(&d);
	return d;
}

void text_dictionary_free(struct text_dictionary **dp)
{
	struct text_dictionary *d = *dp;

	*dp = NULL;
	if (d == NULL)
		return;
	free(d->nodes);
	free(d->states);
	free(d);
}

/* --- texts --- */

struct reader {
	const uint8_t *data;
	size_t bits, at; /* number of bits in data; bits already read */
	char *text;
	size_t len, size;
};

static bool put(struct reader *r, uint32_t c)
{
	char bytes[UTF8_MAX];
	size_t n = utf8_put(c, bytes);

	/* control characters are dropped, as by text_decode() */
	if ((c < 0x20 && c != '\n') || (c >= 0x7f && c < 0xa0) || c == 0xfeff)
		return true;
	if (r->size - r->len <= n)
		return false;
	memcpy(r->text + r->len, bytes, n);
	r->len += n;
	return true;
}

static unsigned take_bit(struct reader *r)
{
	unsigned bit = r->data[r->at / 8] >> (7 - r->at % 8) & 1;

	r->at++;
	return bit;
}

/* Reads a code and returns its character, STOP or ESCAPE.  STOP also if the
 * bits end; NONE: the bits are no code. */
static uint32_t take_code(struct reader *r, const struct text_dictionary *d,
			  const struct state *s)
{
	uint32_t at = s->root;

	while (d->nodes[at].to == NONE) {
		if (r->at == r->bits)
			return STOP;
		at = d->nodes[at].child[take_bit(r)];
		if (at == NO_NODE)
			return NONE;
	}
	return d->nodes[at].to;
}

/* Reads and writes the bytes behind an escape.  Returns their last character;
 * STOP: the text has ended. */
static uint32_t take_escaped(struct reader *r)
{
	uint8_t bytes[ESCAPED_MAX];
	size_t n = 0;
	uint32_t c = STOP;

	while (n < sizeof bytes && r->bits - r->at >= 8) {
		unsigned byte = 0;

		for (unsigned i = 0; i < 8; i++)
			byte = byte << 1 | take_bit(r);
		if (byte < 0x20)
			break;
		bytes[n++] = (uint8_t)byte;
		if (byte < 0x80) {
			c = byte;
			break;
		}
	}
	for (size_t i = 0; i < n;) {
		uint32_t one;

		i += utf8_get(bytes + i, n - i, &one);
		if (!put(r, one))
			return STOP;
	}
	return c;
}

/* Returns the codes that may follow a character: its own ones, or those of
 * `any'; NULL: there are none. */
static const struct state *state_of(const struct text_dictionary *d,
				    uint8_t encoding, uint32_t from)
{
	const struct state *s = find_state(d, encoding, from);

	return s != NULL ? s : find_state(d, encoding, ANY);
}

bool text_dictionary_has(const struct text_dictionary *d, const uint8_t *data,
			 size_t len)
{
	return d != NULL && len >= 2 && state_of(d, data[1], START) != NULL;
}

size_t text_dictionary_decode(const struct text_dictionary *d,
			      const uint8_t *data, size_t len, char *ret,
			      size_t size)
{
	struct reader r = { .data = data, .bits = 8 * len, .at = 16,
			    .text = ret, .size = size };
	const struct state *s;
	uint32_t c = START;

	if (!text_dictionary_has(d, data, len)) {
		(void)put(&r, UTF8_REPLACEMENT);
		c = STOP;
	}
	while (c != STOP) {
		s = state_of(d, data[1], c);
		c = s != NULL ? take_code(&r, d, s) : NONE;
		if (c == ESCAPE)
			c = take_escaped(&r);
		else if (c == NONE || (c != STOP && !put(&r, c))) {
			if (c == NONE)
				(void)put(&r, UTF8_REPLACEMENT);
			c = STOP;
		}
	}
	ret[r.len] = '\0';
	return r.len;
}
