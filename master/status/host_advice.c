/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/host_advice.h"

#include "common/base/alloc.h"
#include "common/base/iface.h"
#include "common/base/log.h"
#include "common/base/util.h"
#include "proto/spec/io_spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Value of rp_filter with which the kernel drops packets of a sender that it
 * would reach by another interface (RFC 3704). */
enum { RP_FILTER_STRICT = 1 };

struct host_advice {
	char *root;
	json_t *sentences; /* {name of a setting: sentence} */
	uint64_t looked_ms; /* time of the last check; 0: never */
};

struct host_advice *host_advice_new(const char *root)
{
	struct host_advice *a = xcalloc(1, sizeof *a);

	a->root = xstrdup(root);
	a->sentences = json_object();
	return a;
}

void host_advice_free(struct host_advice **a)
{
	if (*a == NULL)
		return;
	json_decref((*a)->sentences);
	free((*a)->root);
	free(*a);
	*a = NULL;
}

/* Returns a setting of the kernel; -1: there is none. */
static long read_setting(const char *root, const char *name)
{
	char *path = xasprintf("%s/%s", root, name);
	FILE *file = fopen(path, "re");
	long value = -1;

	free(path);
	if (file == NULL)
		return -1;
	if (fscanf(file, "%ld", &value) != 1)
		value = -1;
	(void)fclose(file);
	return value;
}

bool host_filters_groups(const char *root, const char *iface)
{
	char *setting = xasprintf("ipv4/conf/%s/rp_filter", iface);
	long own = read_setting(root, setting);
	long all = read_setting(root, "ipv4/conf/all/rp_filter");

	free(setting);
	/* the higher of the two values applies */
	return MAX(own, all) == RP_FILTER_STRICT;
}

static void add(json_t *list, const char *setting, char *take_sentence)
{
	(void)json_object_set_new(list, setting, json_string(take_sentence));
	free(take_sentence);
}

static void look_at_input(const struct host_advice *a, const char *address,
			  unsigned *wanted, json_t *list)
{
	char iface[IFACE_NAME_MAX], setting[IFACE_NAME_MAX + 32];
	struct input_spec spec;
	bool described;

	if (address == NULL ||
	    input_spec_parse(address, &spec, NULL, NULL, NULL) < 0)
		return;
	/* the recursion ends, because an address is longer than the address in
	 * its merge= or mux= */
	if (spec.merge[0] != '\0')
		look_at_input(a, spec.merge, wanted, list);
	if (spec.mux[0] != '\0')
		look_at_input(a, spec.mux, wanted, list);
	described = spec.kind == INPUT_SDP;
	if (spec.kind != INPUT_UDP && spec.kind != INPUT_RTP && !described)
		return;
	*wanted = MAX(*wanted, spec.socket_size > 0
				       ? spec.socket_size
				       : (unsigned)UDP_RECEIVE_BUFFER);
	if (spec.iface[0] == '\0' || iface_name(spec.iface, iface) < 0 ||
	    !(described || (sockaddr_is_multicast(&spec.local) &&
			    spec.local.sa.sa_family == AF_INET)))
		return;
	if (!host_filters_groups(a->root, iface))
		return;
	(void)snprintf(setting, sizeof setting, "net.ipv4.conf.%s.rp_filter",
		       iface);
	add(list, setting, xasprintf(
		"multicast groups on %s: the kernel drops packets from senders "
		"that this host reaches by another interface: sysctl -w %s=2",
		iface, setting));
}

const json_t *host_advice_look(struct host_advice *a, const json_t *streams,
			       uint64_t now_ms)
{
	json_t *list, *stream, *item;
	const char *setting;
	unsigned wanted = 0;
	size_t i, k;
	long most;

	if (a->looked_ms != 0 && now_ms - a->looked_ms < HOST_ADVICE_MS)
		return a->sentences;
	a->looked_ms = now_ms;
	list = json_object();
	json_array_foreach((json_t *)(uintptr_t)streams, i, stream)
		if (json_is_true(json_object_get(stream, "enable")))
			json_array_foreach(json_object_get(stream, "input"), k,
					   item)
				look_at_input(a, json_string_value(item),
					      &wanted, list);
	most = read_setting(a->root, "core/rmem_max");
	if (most >= 0 && (unsigned long)most < wanted)
		add(list, "net.core.rmem_max",
		    xasprintf("udp inputs get a receive buffer of %ld bytes "
			      "instead of %u, and lose packets when the "
			      "machine is busy: sysctl -w "
			      "net.core.rmem_max=%u", most, wanted, wanted));
	json_object_foreach(list, setting, item)
		if (!json_equal(json_object_get(a->sentences, setting), item))
			log_warning("host", "%s", json_string_value(item));
	json_decref(a->sentences);
	a->sentences = list;
	return a->sentences;
}
