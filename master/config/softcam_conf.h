/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A softcam of the configuration, read.  Pure. */
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

/* The texts are borrowed from the entry. */
struct softcam_conf {
	const char *type, *host, *user, *password, *key;
	unsigned port;
	const char *caid_text;
	unsigned caid;      /* replaces that of the server; 0: does not */
	unsigned timeout_s;
	unsigned shift_ms;
	unsigned skip_ecm;
	bool disable_emm;
	bool split_cam;     /* a connection for each stream */
	bool force;         /* connected without a stream, too */
	bool ignore_cw;     /* the checksums of control words are not judged */
};

/* Reports what keeps the entry from work, and wrong values of optional
 * fields. */
void softcam_conf_warn(const json_t *entry, field_found_fn *found, void *arg);

/* Reads an entry.  A wrong value of an optional field is as if it were absent.
 * ret_error: why it cannot be used; "": it can. */
void softcam_conf_read(const json_t *entry, struct softcam_conf *ret,
		       struct errmsg *ret_error);
