/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programme guide as XMLTV, for a client of the play port. */
#pragma once

#include <stdbool.h>

struct api;
struct list_question;
struct viewer_guest;

/* True: the path is "/epg.xml" or "/epg.xml.gz". */
bool viewer_guide_is_path(const char *path);

/* Answers the question, at once or later, with the guide of the streams that
 * the guest, who is identified, may watch; or with 404 or 503. */
void viewer_guide_answer(struct api *, struct list_question *,
			 struct viewer_guest *);
