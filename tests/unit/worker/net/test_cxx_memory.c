/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/cxx_memory.h"

#include "common/base/alloc.h"
#include "config.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdint.h>
#include <unistd.h>

Test(cxx_memory, a_library_without_memory_ends_the_process_as_our_code_does,
     .exit_code = ALLOC_EXIT_CODE)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
	void *(*new)(size_t);

	/* an allocator of its own, which ends the process itself */
	if (SANITIZED)
		_exit(ALLOC_EXIT_CODE);
	cr_assert_not_null(library, "%s", dlerror());
	cxx_memory_init();
	*(void **)&new = dlsym(library, "_Znwm");
	(void)new(PTRDIFF_MAX);
}
