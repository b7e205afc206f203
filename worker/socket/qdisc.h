/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What waits in front of a network interface, asked from the kernel. */
#pragma once

#include "common/base/util.h"

/* How many datagrams of one flow it holds until their time has come: the
 * flow_limit, when every queue of the interface is of the kind fq.  0: one is
 * not, or the kernel does not say. */
unsigned qdisc_fq_limit(unsigned ifindex);
