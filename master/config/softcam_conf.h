/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a softcam of the configuration.  Pure. */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/field.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	SOFTCAM_TIMEOUT_S = 8,
	SOFTCAM_TIMEOUT_MAX_S = 60,
	SOFTCAM_SKIP_MAX = 1000,
};

/* A softcam; the texts are borrowed from the entry. */
struct softcam_conf {
	const char *type, *host, *user, *password, *key;
	unsigned port;
	const char *caid_text;
	unsigned caid; /* used instead of the CAID of the server; 0: not set */
	unsigned timeout_s;
	unsigned shift_ms;
	unsigned skip_ecm;
	bool disable_emm;
	bool split_cam;     /* a connection of its own for each stream */
	bool force;         /* stays connected without a stream that uses it */
	/* control words with a wrong checksum are accepted */
	bool ignore_cw;
};

/* Reports why the entry cannot work, or if it can, wrong values of optional
 * fields. */
void softcam_conf_warn(const json_t *entry, field_found_fn *found, void *arg);

/* Reads an entry.  A wrong value of an optional field counts as absent.
 * ret_error: why the softcam cannot be used; "": it can. */
void softcam_conf_read(const json_t *entry, struct softcam_conf *ret,
		       struct errmsg *ret_error);
