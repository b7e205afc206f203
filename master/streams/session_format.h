/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A viewer as the control API reports it. */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>

/* Returns {client_id, channel_id, addr, uptime, login, agent, protocol, bytes},
 * a new reference.  The last four are missing if they are not known. */
json_t *session_format(const struct msg_session *);
/* Replaces the stream id (channel_id) of a session. */
void session_set_stream(json_t *session, const char *stream);
