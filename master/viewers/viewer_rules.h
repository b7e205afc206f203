/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides whether a viewer may watch a stream, by the section `auth` and the
 * users of the configuration.
 *
 * The rules apply in this order, and the first match decides:
 * http_ip_deny, http_ip_allow, http_token_deny, securetoken, the user of the
 * token or of login and password, the backend.  A viewer that no rule matches
 * is denied.
 *
 * Pure: no clock, no I/O.  The sets are indexed once, so that a decision takes
 * some microseconds whatever the number of users and networks.
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
/* Reads the token of one user; entry NULL: the user was removed. */
void viewer_rules_read_user(struct viewer_rules *, const char *login,
			    const json_t *entry);

/* False: every viewer is allowed. */
bool viewer_rules_enabled(const struct viewer_rules *);

/* The address is in http_ip_deny, and the rules are enabled. */
bool viewer_rules_deny_address(const struct viewer_rules *,
			       const struct ip_address *);

enum viewer_answer {
	VIEWER_ALLOWED,
	VIEWER_DENIED,
	VIEWER_NEEDS_PASSWORD, /* judge again with the result */
	VIEWER_NEEDS_BACKEND,
};

/* Borrowed for the call. */
struct viewer_question {
	const json_t *document;
	const char *stream_id;
	const json_t *stream; /* the object; NULL: there is no such stream */
	struct ip_address address;
	/* NULL: the query is malformed */
	const struct viewer_credential *credential;
	/* login and password of the credential were checked, and are right */
	bool password_right;
	int64_t now_s; /* Unix time */
};

struct viewer_verdict {
	enum viewer_answer answer;
	const char *reason; /* of a denial; constant text */
	const char *login;  /* "": none; borrowed from rules or credential */
	unsigned limit;     /* sessions of the login; 0: any number */
	int64_t until_s;    /* end of the permission; 0: none */
};

void viewer_rules_judge(const struct viewer_rules *,
			const struct viewer_question *,
			struct viewer_verdict *ret);
