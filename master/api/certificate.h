/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings crt_chain and crt_key. */
#pragma once

#include "master/api/command.h"

struct call;

/* Returns the facts about the certificate in use for the status, a new object;
 * NULL: none is in use. */
json_t *certificate_facts(const struct api *);

/* Has the tls worker load the configured certificate and key again; if they are
 * names of files, the files are read again.  If one of the two is not
 * configured, the tls worker gets neither. */
void certificate_apply(struct api *);

/*
 * Answers a postponed call with body (taken), when the tls worker has checked
 * the configured certificate and key; at once if one of them is missing.  If
 * the pair is not valid or cannot be checked, `warnings' of the body gets the
 * reason.  A restart that is due waits for the reply.
 */
void certificate_answer(struct call *, json_t *body);

/* Returns a copy of the settings without crt_key if the key is a text and not
 * the name of a file; a new reference. */
json_t *certificate_hide(const json_t *settings);

/*
 * Has the tls worker check the certificate and key of these settings (may be
 * NULL) before the settings change.  True: the caller continues, because the
 * pair is absent, unchanged or already checked.  False: the check has begun; if
 * the pair is valid, `again' is called, otherwise the request gets an error.
 * False as well if too many checks run; then the reply has the error 503.
 */
bool certificate_judge(struct api *, const json_t *settings, struct reply *,
		       command_fn *again);
