/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings crt_chain and crt_key. */
#pragma once

#include "master/api/command.h"

/* Puts into use what the configuration says; files are read anew. */
void certificate_apply(struct api *);

/* Settings as observers may see them: without a private key that stands in
 * them as text.  A new reference. */
json_t *certificate_hide(const json_t *settings);

/*
 * The pair in these settings (or NULL), unless it is the one that the
 * configuration has already, is judged by the tls worker before anything is
 * changed.  True: go on.  False: it is on its way, and again is called once it
 * was found good; or the answer is given.
 */
bool certificate_judge(struct api *, const json_t *settings, struct reply *,
		       command_fn *again);
