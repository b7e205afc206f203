/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of a configuration that sluicectl compares and prints.
 *
 * The service sends observers a reduced configuration.  A file must be reduced
 * by the same rules before it is compared with that.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* The value of a secret that is compared and not printed. */
#define CONFIG_VIEW_SECRET "***"

/*
 * The document as an observer receives it, a new reference.
 * forms: the reply of api/forms.  reduced: settings.observer_redact is true.
 * A private key of the certificate is not in it, even if it is a file.
 */
json_t *config_view_of_observer(const json_t *document, const json_t *forms,
				bool reduced);

/* Puts CONFIG_VIEW_SECRET in the place of password hashes and of the private
 * key in the changes of json_diff(). */
void config_view_mask(json_t *changes);
