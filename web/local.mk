# SPDX-License-Identifier: GPL-3.0-or-later
# The web interface: what npm installs for it, and for its tests.
EXTRA_DIST += web/package.json web/package-lock.json
