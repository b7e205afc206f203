/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The application information table (AIT) that points receivers to an HbbTV
 * page (TS 102 809 5.3.4): it has one application, which receivers start
 * automatically.
 */
#pragma once

#include "worker/ts/section.h"

#include <stddef.h>
#include <stdint.h>

/* Writes the section with version 0 and returns its length, at most
 * SECTION_PSI_MAX.  url has at most HBBTV_URL_MAX bytes. */
size_t ait_build(const char *url, uint8_t ret[SECTION_PSI_MAX]);
