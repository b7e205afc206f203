/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts that every HTTP/1.1 answer has.  Pure. */
#pragma once

#include <time.h>

enum { HTTP_DATE_MAX = 40 };

/* The reason phrase, such as "Not Found"; never NULL. */
const char *http_status_text(int status);

/* Writes the value of a Date header into text of HTTP_DATE_MAX. */
void http_date_format(char *text, time_t now);
