// SPDX-License-Identifier: Apache-2.0

import Cascade

struct ItemSelected: Event {
    var item = 7
}
