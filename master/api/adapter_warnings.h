/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Warnings in replies to adapter commands: which streams lose an input, while
 * their processes continue.  A reply gets them only if its request asks for
 * warnings or is a dry run.
 */
#pragma once

#include "master/api/command.h"

#include <jansson.h>

/* Warns that the process of the adapter ends, if streams read the adapter.
 * adapter: its new entry; id: the id by which streams name it. */
void adapter_warn_ended(const struct api *, const json_t *request,
			const json_t *adapter, const char *id, struct reply *);

/* Warns that the process of the adapter is replaced by a new one, if streams
 * read the adapter. */
void adapter_warn_replaced(const struct api *, const json_t *request,
			   const char *id, struct reply *);

/* Warns that the adapters in `stopped' (lnb_sharers_stopped()) must stop,
 * because they share an LNB with the changed adapter. */
void adapter_warn_stopped(const struct api *, const json_t *request,
			  const json_t *stopped, struct reply *);
