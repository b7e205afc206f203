// SPDX-License-Identifier: GPL-3.0-or-later
import mpegts from 'mpegts.js';
export default mpegts;
