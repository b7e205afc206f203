/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/http/static_files.h"

#include "common/base/util.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *name, const void *file)
{
	return strcmp(name, ((const struct static_file *)file)->name);
}

const struct static_file *static_find(const struct static_tree *tree,
				      const char *name)
{
	return bsearch(name, tree->files, tree->n, sizeof *tree->files,
		       compare);
}

const char *static_type(const char *name)
{
	static const struct {
		const char *ending, *type;
	} types[] = {
		{ ".css", "text/css; charset=utf-8" },
		{ ".html", "text/html; charset=utf-8" },
		{ ".js", "text/javascript; charset=utf-8" },
		{ ".svg", "image/svg+xml" },
		{ ".txt", "text/plain; charset=utf-8" },
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		size_t ending = strlen(types[i].ending);

		if (len > ending &&
		    strcmp(name + len - ending, types[i].ending) == 0)
			return types[i].type;
	}
	return NULL;
}
