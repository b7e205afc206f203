/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Warnings of the commands of adapters about streams that lose an input: they
 * keep their processes.  Only for a client that wants warnings, and in a dry
 * run.
 */
#pragma once

#include "master/api/command.h"

#include <jansson.h>

/* The adapter becomes this one, whose process ends.  id: by which the streams
 * name it. */
void adapter_warn_ended(const struct api *, const json_t *request,
			const json_t *adapter, const char *id, struct reply *);

/* The process of the adapter is replaced by another one. */
void adapter_warn_replaced(const struct api *, const json_t *request,
			   const char *id, struct reply *);

/* These sharers of an LNB stop: lnb_sharers_stopped(). */
void adapter_warn_stopped(const struct api *, const json_t *request,
			  const json_t *stopped, struct reply *);
