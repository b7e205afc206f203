/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/ssdp_message.h"

#include <errno.h>
#include <string.h>

#define SEARCH(host) "M-SEARCH * HTTP/1.1\r\n" \
		     "HOST: " host ":1900\r\n" \
		     "MAN: \"ssdp:discover\"\r\n" \
		     "MX: 2\r\n" \
		     "ST: " SSDP_SATIP_SERVER "1\r\n" \
		     "\r\n"
_Static_assert(SSDP_PORT == 1900 && SSDP_WAIT_S == 2, "as in the text");

const struct ssdp_group ssdp_groups[SSDP_GROUPS] = {
	{ "239.255.255.250", SEARCH("239.255.255.250") },
	{ "ff02::c", SEARCH("[FF02::C]") },
	{ "ff05::c", SEARCH("[FF05::C]") },
};

/* The fields of a message that are read; of a repeated field, the first one.
 * len 0: the field is absent. */
struct fields {
	struct slice type, state, usn, location, cache;
};

static void read_fields(struct slice rest, struct fields *ret)
{
	const struct {
		const char *name;
		struct slice *value;
	} known[] = {
		{ "ST", &ret->type }, { "NT", &ret->type },
		{ "NTS", &ret->state }, { "USN", &ret->usn },
		{ "LOCATION", &ret->location },
		{ "CACHE-CONTROL", &ret->cache },
	};
	struct slice name, value;

	while (head_field(&rest, &name, &value))
		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			if (slice_is(name, known[i].name) &&
			    known[i].value->len == 0)
				*known[i].value = value;
}

/* Reads ID from "uuid:ID::urn:ses-com:device:SatIPServer:1".  0 or -EBADMSG. */
static int read_uuid(struct slice usn, char uuid[SSDP_UUID_MAX],
		     struct errmsg *error)
{
	static const char prefix[] = "uuid:";
	struct slice id = usn;
	const char *end;

	if (slice_begins(usn, prefix)) {
		id.at += sizeof prefix - 1;
		id.len -= sizeof prefix - 1;
		end = memmem(id.at, id.len, "::", 2);
		if (end != NULL)
			id.len = (size_t)(end - id.at);
		if (slice_copy(id, uuid, SSDP_UUID_MAX))
			return 0;
	}
	return errmsg_fail(error, -EBADMSG, "USN: has no uuid of at most %d "
			   "bytes", SSDP_UUID_MAX - 1);
}

static unsigned read_life(struct slice cache)
{
	struct slice part, name, value;
	uint32_t s = SSDP_LIFE_S;

	while (slice_part(&cache, ',', &part))
		if (slice_split(part, '=', &name, &value) &&
		    slice_is(name, "max-age") &&
		    !slice_number(value, UINT32_MAX, &s))
			s = SSDP_LIFE_S;
	return MIN(MAX(s, (uint32_t)SSDP_LIFE_MIN_S),
		   (uint32_t)SSDP_LIFE_MAX_S);
}

int ssdp_decode(const void *data, size_t len, const char *host,
		struct ssdp_message *ret, struct errmsg *error)
{
	struct slice rest = { data, len }, line = { 0 };
	struct ssdp_message m = { 0 };
	struct fields f = { 0 };
	bool notifies;
	int r = 0;

	*ret = m;
	if (!head_line(&rest, &line))
		return 0;
	notifies = slice_begins(line, "NOTIFY ");
	if (!notifies && !slice_begins(line, "HTTP/1.1 200") &&
	    !slice_begins(line, "HTTP/1.0 200"))
		return 0;
	m.kind = SSDP_ALIVE;
	read_fields(rest, &f);
	if (!slice_begins(f.type, SSDP_SATIP_SERVER))
		return 0;
	if (notifies && slice_is(f.state, "ssdp:byebye"))
		m.kind = SSDP_BYEBYE;
	else if (notifies && !slice_is(f.state, "ssdp:alive") &&
		 !slice_is(f.state, "ssdp:update"))
		r = errmsg_fail(error, -EBADMSG, "NTS: is not ssdp:alive, "
				"ssdp:update or ssdp:byebye");
	if (r == 0)
		r = read_uuid(f.usn, m.uuid, error);
	if (r == 0 && m.kind == SSDP_ALIVE &&
	    server_url_parse(f.location, host, &m.location, error) < 0) {
		errmsg_prefix(error, "LOCATION: ");
		r = -EBADMSG;
	}
	if (r < 0)
		return r;
	m.life_s = read_life(f.cache);
	*ret = m;
	return 0;
}
