/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Warnings in replies to adapter commands: which streams lose an input.  (Their
 * processes continue.)  Only for a client that wants warnings, or in a dry run.
 */
#pragma once

#include "master/api/command.h"

#include <jansson.h>

/* Warns that the process of the adapter ends, if streams read it.  adapter:
 * its new entry; id: the id by which streams name it. */
void adapter_warn_ended(const struct api *, const json_t *request,
			const json_t *adapter, const char *id, struct reply *);

/* Warns that the process of the adapter is replaced by a new one, if streams
 * read it. */
void adapter_warn_replaced(const struct api *, const json_t *request,
			   const char *id, struct reply *);

/* Warns of the adapters in stopped (lnb_sharers_stopped()), which share an LNB
 * with the changed one and must stop. */
void adapter_warn_stopped(const struct api *, const json_t *request,
			  const json_t *stopped, struct reply *);
