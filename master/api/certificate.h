/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings crt_chain and crt_key. */
#pragma once

#include "master/api/command.h"

/* Applies the pair of the configuration; reads its files again. */
void certificate_apply(struct api *);

/* A copy of the settings without a private key that is text and not the name
 * of a file.  A new reference. */
json_t *certificate_hide(const json_t *settings);

/*
 * The tls worker judges the pair of these settings (or NULL), unless the
 * configuration has it already, before anything is changed.  True: continue.
 * False: `again` is called if the pair is valid; otherwise the request is
 * answered.
 */
bool certificate_judge(struct api *, const json_t *settings, struct reply *,
		       command_fn *again);
