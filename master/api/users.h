/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands of a user share. */
#pragma once

#include "master/api/command.h"
#include "master/auth/caller.h"

/* The `id` of the request; NULL after a reply of 400. */
const char *users_login(const json_t *request, struct reply *);

/* The entry that `id` names, borrowed; NULL after a reply of 400 or 404. */
const json_t *users_find(struct api *, const json_t *request, struct reply *);

/* Stores the entry (reference taken), ends what it forbids, tells everybody. */
void users_put(struct api *, const char *login, json_t *entry);

/* The message set-user. */
void users_announce(struct api *, const char *login, const json_t *entry);
