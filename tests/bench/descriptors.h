/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The descriptors of a bench program with thousands of connections. */
#pragma once

/* Raises the limit of this process to the highest that it may have. */
void descriptors_allow(void);
