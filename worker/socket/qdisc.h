/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the queueing discipline of a network interface. */
#pragma once

#include "common/base/util.h"

/* How many datagrams of a flow wait in the kernel for their time (SO_TXTIME):
 * flow_limit when all queues of the interface are fq; 0: a queue is not, or it
 * is unknown. */
unsigned qdisc_fq_limit(unsigned ifindex);
