/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/own_host.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HOST_MAX = 256 };

/* Reads the host of "host", "host:port" or "[address]:port", without a last
 * dot.  False: the header is malformed, or the host too long. */
static bool read_host(const char *header, char host[HOST_MAX])
{
	size_t len;

	if (header[0] == '[') {
		header++;
		len = strcspn(header, "]");
		if (header[len] != ']' ||
		    (header[len + 1] != '\0' && header[len + 1] != ':'))
			return false;
	} else {
		len = strcspn(header, ":");
	}
	if (len > 0 && header[len - 1] == '.')
		len--;
	if (len == 0 || len >= HOST_MAX)
		return false;
	memcpy(host, header, len);
	host[len] = '\0';
	return true;
}

/* Is the host the name of the machine, with or without its domain: "headend"
 * for headend.example.org? */
static bool is_machine(const char *host, const char *machine)
{
	size_t first = strcspn(machine, "."), len = strlen(host);

	if (machine[0] == '\0')
		return false;
	return strcasecmp(host, machine) == 0 ||
	       (len == first && strncasecmp(host, machine, len) == 0);
}

bool own_host_is(const char *header, const struct own_host *own)
{
	struct ip_address address;
	char host[HOST_MAX];
	const json_t *item;
	size_t i;

	/* every browser sends the header, so a program sent this request */
	if (header == NULL)
		return true;
	if (!read_host(header, host))
		return false;
	json_array_foreach(json_object_get(own->settings, "control_hosts"), i,
			   item)
		if (json_is_string(item) &&
		    strcasecmp(json_string_value(item), host) == 0)
			return true;
	if (ip_parse(host, &address) == 0)
		return ip_is_loopback(&address) ||
		       memcmp(address.bytes, own->local.bytes, IP_BYTES) == 0;
	return strcasecmp(host, "localhost") == 0 ||
	       is_machine(host, own->machine);
}
