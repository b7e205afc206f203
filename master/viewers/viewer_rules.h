/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides whether a viewer may watch a stream, by the section `auth' and the
 * users of the configuration.
 *
 * The rules apply in this order, and the first match decides: http_ip_deny,
 * http_ip_allow, http_token_deny, securetoken, the user of the token or of
 * login and password, the backend.  A viewer that no rule matches is denied.
 *
 * Pure: no clock, no I/O.  All sets are indexed, so a decision takes some
 * microseconds, whatever the number of users and networks.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/base/util.h"
#include "master/config/viewer_settings.h"
#include "master/viewers/viewer_credential.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct viewer_rules;

struct viewer_rules *viewer_rules_new(void);
/* NULL-safe; sets *r to NULL. */
void viewer_rules_free(struct viewer_rules **);

/* Reads `auth` and the tokens of all users. */
void viewer_rules_read(struct viewer_rules *, const json_t *document);
/* Reads the token of one user again; entry NULL: the user was removed. */
void viewer_rules_read_user(struct viewer_rules *, const char *login,
			    const json_t *entry);

/* False: every viewer is allowed (auth.enable is false, null or absent). */
bool viewer_rules_enabled(const struct viewer_rules *);

/* True: the rules are enabled, and the address is in http_ip_deny. */
bool viewer_rules_deny_address(const struct viewer_rules *,
			       const struct ip_address *);

enum viewer_answer {
	VIEWER_ALLOWED,
	VIEWER_DENIED,
	VIEWER_NEEDS_PASSWORD, /* check the password, then judge again */
	VIEWER_NEEDS_BACKEND,
};

/* All members are borrowed for the call. */
struct viewer_question {
	const json_t *document;
	const char *stream_id;
	const json_t *stream; /* object of the stream; NULL: no such stream */
	struct ip_address address;
	/* NULL: the query of the viewer is malformed. */
	const struct viewer_credential *credential;
	/* The password of the credential was checked and is right. */
	bool password_right;
	int64_t now_s; /* Unix time */
};

struct viewer_verdict {
	enum viewer_answer answer;
	const char *reason; /* reason of a denial, constant text */
	/* "": none; borrowed from the rules or the credential */
	const char *login;
	unsigned limit; /* limit of sessions of the login; 0: any number */
	/* Unix time at which the permission ends; 0: never */
	int64_t until_s;
};

void viewer_rules_judge(const struct viewer_rules *,
			const struct viewer_question *,
			struct viewer_verdict *ret);
