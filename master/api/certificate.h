/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings crt_chain and crt_key. */
#pragma once

#include "master/api/command.h"

struct call;

/* What an operator wants to know about the certificate in use, a new object;
 * NULL: there is none. */
json_t *certificate_facts(const struct api *);

/* Applies the pair of the configuration; reads its files again. */
void certificate_apply(struct api *);

/*
 * Answers a later call with body (stolen) as soon as the tls worker has checked
 * the pair of the configuration.  If it is not valid, or cannot be checked,
 * `warnings' of the body gets the reason.  A restart that is due waits for the
 * reply.
 */
void certificate_answer(struct call *, json_t *body);

/* A copy of the settings without a private key that is text and not the name
 * of a file.  A new reference. */
json_t *certificate_hide(const json_t *settings);

/*
 * Lets the tls worker check the certificate and key of these settings (may be
 * NULL) before the settings change.  True: continue, because the pair
 * is absent, unchanged or checked already.  False: the check runs;
 * `again` is called if the pair is valid, otherwise the request gets an error.
 */
bool certificate_judge(struct api *, const json_t *settings, struct reply *,
		       command_fn *again);
