/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a setting names, as an open file for the tls worker: PEM text in the
 * setting itself, or a file.  Of a file not a byte passes through here.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>

struct pem_pair {
	int chain;
	int key;
};

/* Text itself, and no file name? */
bool pem_source_is_text(const char *value);

/* The descriptor, close-on-exec; -errno with why: "/etc/x.pem: No such file or
 * directory". */
int pem_source_open(const char *value, struct errmsg *why) MUST_CHECK;

/* Both settings; 0, or -errno with why, which begins with the setting:
 * "crt_key: …".  On failure nothing is open. */
int pem_pair_open(const char *chain, const char *key, struct pem_pair *ret,
		  struct errmsg *why) MUST_CHECK;
void pem_pair_close(struct pem_pair *);
