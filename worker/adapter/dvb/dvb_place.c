/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/dvb_place.h"

#include "worker/adapter/dvb/dvb_device.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

enum {
	LINK_MAX = 512,
	MAC_BYTES = 6,
};

static int find_path(const struct dvb_device *d, const struct tuner_spec *spec,
		     struct errmsg *error)
{
	char name[DVB_PATH_MAX], target[LINK_MAX];
	ssize_t n;

	for (int i = 0; i < TUNER_ADAPTERS_MAX; i++) {
		(void)snprintf(name, sizeof name, TUNER_LINK, i, spec->device);
		n = d->ops->link(d->ctx, name, target, sizeof target - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		if (tuner_link_is_at(target, spec->path))
			return i;
	}
	return errmsg_fail(error, -ENODEV, "no device frontend%d at path %s",
			   spec->device, spec->path);
}

/* Writes the hardware address of an adapter, which is that of its network
 * interface dvbN_0.  0; -ENODEV: it has no interface; another -errno: the
 * address cannot be read. */
static int read_mac(const struct dvb_device *d, int adapter,
		    char ret[TUNER_MAC_MAX + 1])
{
	struct ifreq request = { 0 };
	const uint8_t *b = (const uint8_t *)request.ifr_hwaddr.sa_data;
	int r;

	(void)snprintf(request.ifr_name, sizeof request.ifr_name, "dvb%d_0",
		       adapter);
	if (d->hotplug < 0)
		return d->hotplug;
	r = d->ops->ioctl(d->ctx, d->hotplug, SIOCGIFHWADDR,
			  (uintptr_t)&request);
	if (r < 0)
		return r;
	(void)snprintf(ret, TUNER_MAC_MAX + 1,
		       "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2],
		       b[3], b[4], b[5]);
	return 0;
}

/* Reports that no hardware address can be read.  The configured number is not
 * used instead, because it may belong to another card now. */
static int fail_mac(const struct tuner_spec *spec, int err,
		    struct errmsg *error)
{
	return errmsg_fail(error, err, "cannot look for mac %s: the hardware "
			   "addresses cannot be read: %s", spec->mac,
			   strerror(-err));
}

static int find_mac(const struct dvb_device *d, const struct tuner_spec *spec,
		    struct errmsg *error)
{
	char mac[TUNER_MAC_MAX + 1];
	int r;

	for (int i = 0; i < TUNER_ADAPTERS_MAX; i++) {
		r = read_mac(d, i, mac);
		if (r == 0 && strcasecmp(mac, spec->mac) == 0)
			return i;
		if (r < 0 && r != -ENODEV)
			return fail_mac(spec, r, error);
	}
	/* an adapter without an interface is found by its configured number */
	r = read_mac(d, spec->adapter, mac);
	if (spec->numbered && r == -ENODEV)
		return spec->adapter;
	if (r < 0 && r != -ENODEV)
		return fail_mac(spec, r, error);
	if (spec->numbered)
		return errmsg_fail(error, -ENODEV, "no device with mac %s: "
				   "adapter %d has %s", spec->mac,
				   spec->adapter, mac);
	return errmsg_fail(error, -ENODEV, "no device with mac %s: the "
			   "mac of an adapter is that of its interface dvbN_0",
			   spec->mac);
}

int dvb_place_find(const struct dvb_device *d, const struct tuner_spec *spec,
		   struct errmsg *error)
{
	return spec->path[0] != '\0'  ? find_path(d, spec, error)
	       : spec->mac[0] != '\0' ? find_mac(d, spec, error)
				      : spec->adapter;
}
