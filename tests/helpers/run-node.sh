#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs one system test in a network namespace of its own and prints TAP.
exec "$NODE" --test-reporter=tap "$1"
