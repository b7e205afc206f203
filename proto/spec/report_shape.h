/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shape of an analysis: what a worker may say of a place of its stream
 * (doc/api.md), so that what the master shows of it is what it promises.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>

/* 0, or -EBADMSG with why: a key that is not known or is missing, a value of
 * another type, a number that is negative, a text or a list that is too
 * long. */
int report_shape_judge(const json_t *report, struct errmsg *why) MUST_CHECK;
