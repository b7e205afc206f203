/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the versions of tables, for all commands that store a stream. */
#pragma once

#include <jansson.h>

/*
 * Before a stream is stored: the next version of each table, modulo 32.
 * spts: pmt_version and sdt_version, from 1; mpts: pat_, cat_, sdt_ and
 * nit_version, from 0.
 */
void streams_count_versions(json_t *stream);
