/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/cxx_memory.h"

#include "common/base/alloc.h"

#include <dlfcn.h>

void cxx_memory_init(void)
{
	/* std::set_new_handler(), looked up by name: libstdc++ is loaded with
	 * libsrt, but its headers are in no package that the build needs */
	void (*(*set)(void (*)(void)))(void);

	*(void **)&set = dlsym(RTLD_DEFAULT, "_ZSt15set_new_handlerPFvvE");
	if (set != NULL)
		(void)set(alloc_fail);
}
