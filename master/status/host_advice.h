/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Advice about kernel settings of the host that harm inputs, for the log and
 * the alarms of the system status.
 *
 * Reads a few files below /proc, at most once in HOST_ADVICE_MS.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { HOST_ADVICE_MS = 10000 };

struct host_advice;

/* Folder of the kernel settings, which the argument `root' of the functions
 * names; tests use another folder. */
#define HOST_SETTINGS "/proc/sys/net"

/* True: the kernel drops packets of IPv4 groups on this interface if it would
 * reach their sender by another interface (rp_filter).  root: HOST_SETTINGS. */
bool host_filters_groups(const char *root, const char *iface);

/* root (copied): HOST_SETTINGS. */
struct host_advice *host_advice_new(const char *root);
void host_advice_free(struct host_advice **);

/* Checks the settings, at most once in HOST_ADVICE_MS, and logs new advice.
 * streams: those of the configuration, borrowed.  Returns the present advice
 * as {name of a setting: sentence}, borrowed until the next call. */
const json_t *host_advice_look(struct host_advice *, const json_t *streams,
			       uint64_t now_ms);
