/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reduces a configuration to the part that sluicectl compares and prints.
 *
 * The service sends observers a reduced configuration.  A file must be reduced
 * by the same rules before it is compared with the reply of the service.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Printed in place of a secret. */
#define CONFIG_VIEW_SECRET "***"

/*
 * Returns the document as an observer receives it, a new reference.
 * forms: the reply of api/forms.  reduced: settings.observer_redact is true.
 * Omits settings.crt_key, the private key of the certificate, even if it is the
 * path of a file.
 */
json_t *config_view_of_observer(const json_t *document, const json_t *forms,
				bool reduced);

/* Replaces password hashes and the private key in the changes of json_diff() by
 * CONFIG_VIEW_SECRET. */
void config_view_mask(json_t *changes);
