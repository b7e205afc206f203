// SPDX-License-Identifier: GPL-3.0-or-later
import Hls from 'hls.js/light';
export default Hls;
