/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the queueing discipline of a network interface. */
#pragma once

#include "common/base/util.h"

/* The number of datagrams of a flow that can wait in the kernel for their send
 * time (SO_TXTIME): the smallest flow_limit of the interface's queues if all
 * are fq.  0: a queue is of another kind, none was found, or the kernel does
 * not answer. */
unsigned qdisc_fq_limit(unsigned ifindex);
