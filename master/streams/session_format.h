/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A viewer as the control API reports it. */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>

/* {client_id, channel_id, addr, uptime, login, agent, protocol, bytes}, a new
 * reference; the last four if they are known. */
json_t *session_format(const struct msg_session *);
/* Another stream id for it. */
void session_set_stream(json_t *session, const char *stream);
