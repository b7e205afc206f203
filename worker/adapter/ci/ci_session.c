/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_session.h"

#include <errno.h>

enum spdu_tag {
	S_DATA = 0x90,
	S_OPEN = 0x91,
	S_OPEN_REPLY = 0x92,
	S_CLOSE = 0x95,
	S_CLOSE_REPLY = 0x96,
};

enum {
	STATUS_OK = 0x00,
	STATUS_NO_RESOURCE = 0xf0,
	STATUS_VERSION = 0xf2,
	STATUS_BUSY = 0xf3,
	STATUS_NO_SESSION = 0xf0, /* status of a close reply */
	VERSION_BITS = 6,
	VERSION_MASK = (1 << VERSION_BITS) - 1,
};

const uint32_t ci_resource_ids[CI_RESOURCES] = {
	[CI_MANAGER] = 0x00010041,
	[CI_APPLICATION] = 0x00020041,
	[CI_CA_SUPPORT] = 0x00030041,
	[CI_DATE_TIME] = 0x00240041,
	[CI_MMI] = 0x00400041,
};

static enum ci_resource find_resource(uint32_t id, uint8_t *ret_status)
{
	for (int r = CI_MANAGER; r < CI_RESOURCES; r++) {
		uint32_t ours = ci_resource_ids[r];

		if (id >> VERSION_BITS != ours >> VERSION_BITS)
			continue;
		if ((id & VERSION_MASK) <= (ours & VERSION_MASK))
			return (enum ci_resource)r;
		*ret_status = STATUS_VERSION;
		return CI_NO_RESOURCE;
	}
	*ret_status = STATUS_NO_RESOURCE;
	return CI_NO_RESOURCE;
}

unsigned ci_session_find(const struct ci_sessions *s, enum ci_resource resource)
{
	for (unsigned i = 0; i < CI_SESSIONS_MAX; i++)
		if (s->of[i] == resource)
			return i + 1;
	return 0;
}

/* Adds a session and returns its number; 0: none is free.  Apart from manager
 * and date, a module has one session with each resource: another one replaces
 * the first, because the module has forgotten the first one. */
static unsigned add(struct ci_sessions *s, enum ci_resource resource)
{
	unsigned before = ci_session_find(s, resource);
	unsigned number = ci_session_find(s, CI_NO_RESOURCE);

	if (before > 0 && resource != CI_MANAGER && resource != CI_DATE_TIME)
		s->of[before - 1] = CI_NO_RESOURCE;
	/* the number that was freed may be the only free one */
	if (number == 0)
		number = ci_session_find(s, CI_NO_RESOURCE);
	if (number > 0)
		s->of[number - 1] = resource;
	return number;
}

static int take_open(struct ci_sessions *s, struct ci_bytes value,
		     struct ci_session_object *ret)
{
	uint8_t status = STATUS_OK;
	const uint8_t *p = value.data;

	if (value.n != 4)
		return -EBADMSG;
	ret->id = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
		  (uint32_t)p[2] << 8 | p[3];
	ret->resource = find_resource(ret->id, &status);
	if (ret->resource != CI_NO_RESOURCE) {
		ret->number = add(s, ret->resource);
		if (ret->number == 0)
			status = STATUS_BUSY;
	}
	ret->reply[0] = S_OPEN_REPLY;
	ret->reply[1] = 7;
	ret->reply[2] = status;
	memcpy(ret->reply + 3, p, 4);
	ret->reply[7] = 0;
	ret->reply[8] = (uint8_t)ret->number;
	ret->n_reply = 9;
	return status == STATUS_OK ? CI_SESSION_OPENED : CI_SESSION_REFUSED;
}

/* The resource of a session; CI_NO_RESOURCE: there is no such session. */
static enum ci_resource resource_of(const struct ci_sessions *s,
				    const uint8_t *number, unsigned *ret)
{
	*ret = (unsigned)number[0] << 8 | number[1];
	return *ret >= 1 && *ret <= CI_SESSIONS_MAX ? s->of[*ret - 1]
						    : CI_NO_RESOURCE;
}

static int take_close(struct ci_sessions *s, struct ci_bytes value,
		      struct ci_session_object *ret)
{
	if (value.n != 2)
		return -EBADMSG;
	ret->resource = resource_of(s, value.data, &ret->number);
	ret->reply[0] = S_CLOSE_REPLY;
	ret->reply[1] = 3;
	ret->reply[2] = STATUS_NO_SESSION;
	memcpy(ret->reply + 3, value.data, 2);
	ret->n_reply = 5;
	if (ret->resource == CI_NO_RESOURCE)
		return CI_SESSION_NOTHING;
	s->of[ret->number - 1] = CI_NO_RESOURCE;
	ret->reply[2] = STATUS_OK;
	return CI_SESSION_CLOSED;
}

int ci_session_take(struct ci_sessions *s, const uint8_t *data, size_t n,
		    struct ci_session_object *ret)
{
	struct ci_bytes rest = { data, n }, value;
	uint32_t tag;

	*ret = (struct ci_session_object){ 0 };
	if (!ci_take_object(&rest, 1, &tag, &value))
		return -EBADMSG;
	/* only behind the data object, application objects follow */
	if (tag != S_DATA && rest.n > 0)
		return -EBADMSG;
	switch (tag) {
	case S_OPEN:
		return take_open(s, value, ret);
	case S_CLOSE:
		return take_close(s, value, ret);
	case S_CLOSE_REPLY:
		return value.n == 3 ? CI_SESSION_NOTHING : -EBADMSG;
	case S_DATA:
		break;
	default:
		return -EBADMSG;
	}
	if (value.n != 2)
		return -EBADMSG;
	ret->resource = resource_of(s, value.data, &ret->number);
	ret->data = rest;
	return ret->resource != CI_NO_RESOURCE ? CI_SESSION_DATA
					       : CI_SESSION_NOTHING;
}

void ci_session_put_head(unsigned number, uint8_t *to)
{
	to[0] = S_DATA;
	to[1] = 2;
	to[2] = (uint8_t)(number >> 8);
	to[3] = (uint8_t)number;
}

size_t ci_session_close(struct ci_sessions *s, unsigned number, uint8_t *to)
{
	s->of[number - 1] = CI_NO_RESOURCE;
	ci_session_put_head(number, to);
	to[0] = S_CLOSE;
	return CI_SESSION_HEAD;
}
