/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that run the subcommands.  args: the n words behind the name of
 * the subcommand. */
#pragma once

#include "ctl/ctl.h"

typedef enum ctl_exit command_fn(struct ctl *, char **args, size_t n);

command_fn run_login;
command_fn run_logout;
command_fn run_whoami;
command_fn run_status;
command_fn run_top;
command_fn run_stream_ls;
command_fn run_stream_show;
command_fn run_stream_toggle;
command_fn run_stream_restart;
command_fn run_stream_switch;
command_fn run_stream_analysis;
command_fn run_announcements;
command_fn run_satip;
command_fn run_network;
command_fn run_session_ls;
command_fn run_session_kick;
command_fn run_config_get;
command_fn run_config_set;
command_fn run_config_unset;
command_fn run_config_diff;
command_fn run_events;
command_fn run_reload;
command_fn run_restart;
