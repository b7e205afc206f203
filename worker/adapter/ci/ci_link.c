/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_link.h"

#include <errno.h>

enum tpdu_tag {
	T_SB = 0x80,
	T_RCV = 0x81,
	T_CREATE = 0x82,
	T_CREATE_REPLY = 0x83,
	T_DELETE = 0x84,
	T_DELETE_REPLY = 0x85,
	T_REQUEST = 0x86,
	T_ERROR = 0x88,
	T_DATA_LAST = 0xa0,
	T_DATA_MORE = 0xa1,
};

enum { NO_CONNECTION_FREE = 1, DATA_WAITS = 0x80 };

void ci_link_init(struct ci_link *l)
{
	l->open = l->waits = l->has_data = l->complete = false;
	l->n = 0;
}

static size_t put(struct ci_link *l, enum tpdu_tag tag, uint8_t *to)
{
	to[0] = (uint8_t)tag;
	to[1] = 1;
	to[2] = CI_CONNECTION;
	l->waits = true;
	return 3;
}

size_t ci_link_create(struct ci_link *l, uint8_t *to)
{
	ci_link_init(l);
	return put(l, T_CREATE, to);
}

size_t ci_link_poll(struct ci_link *l, uint8_t *to)
{
	return put(l, T_DATA_LAST, to);
}

size_t ci_link_receive(struct ci_link *l, uint8_t *to)
{
	l->has_data = false;
	return put(l, T_RCV, to);
}

size_t ci_link_refuse(struct ci_link *l, uint8_t *to)
{
	(void)put(l, T_ERROR, to);
	to[1] = 2;
	to[3] = NO_CONNECTION_FREE;
	return 4;
}

size_t ci_link_send(struct ci_link *l, const uint8_t *object, size_t n,
		    uint8_t *to)
{
	size_t head = 1;

	to[0] = T_DATA_LAST;
	head += ci_put_length(to + 1, n + 1);
	to[head++] = CI_CONNECTION;
	memcpy(to + head, object, n);
	l->waits = true;
	return head + n;
}

/* --- from the module --- */

static int take_data(struct ci_link *l, struct ci_bytes data, bool last)
{
	if (l->complete) {
		l->complete = false;
		l->n = 0;
	}
	if (data.n > CI_SPDU_MAX - l->n)
		return -EMSGSIZE;
	memcpy(l->object + l->n, data.data, data.n);
	l->n += data.n;
	l->complete = last;
	/* an empty object is not reported */
	return last && l->n > 0 ? CI_LINK_OBJECT : 0;
}

/* Takes the value of a transport object, without the number of the connection.
 * Returns the bits or the error of ci_link_take(). */
static int take_value(struct ci_link *l, uint32_t tag, struct ci_bytes value)
{
	switch (tag) {
	case T_SB:
		if (value.n != 1)
			return -EBADMSG;
		l->has_data = value.data[0] & DATA_WAITS;
		l->waits = false;
		return CI_LINK_ANSWER;
	case T_CREATE_REPLY:
		l->open = true;
		/* some modules send no status after this reply */
		l->waits = false;
		return CI_LINK_OPENED;
	case T_DELETE:
	case T_DELETE_REPLY:
		l->open = false;
		return CI_LINK_CLOSED;
	case T_REQUEST:
		return CI_LINK_ASKED;
	case T_DATA_LAST:
	case T_DATA_MORE:
		return l->open ? take_data(l, value, tag == T_DATA_LAST)
			       : -EBADMSG;
	default:
		return -EBADMSG;
	}
}

int ci_link_take(struct ci_link *l, const uint8_t *data, size_t n)
{
	struct ci_bytes rest = { data, n }, value;
	int bits = 0;
	uint32_t tag;

	if (n == 0)
		return -EBADMSG;
	while (rest.n > 0) {
		int r;

		/* ci_link.object has room for one object, and the caller has
		 * to read it before the next one */
		if (bits & CI_LINK_OBJECT && rest.data[0] != T_SB)
			return -EBADMSG;
		if (!ci_take_object(&rest, 1, &tag, &value) || value.n < 1)
			return -EBADMSG;
		if (value.data[0] != CI_CONNECTION)
			return -EBADMSG;
		value.data++;
		value.n--;
		r = take_value(l, tag, value);
		if (r < 0)
			return r;
		bits |= r;
	}
	return bits;
}
