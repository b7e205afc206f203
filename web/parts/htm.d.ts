// SPDX-License-Identifier: GPL-3.0-or-later
import htm from 'htm';
export default htm;
