// SPDX-License-Identifier: Apache-2.0

import Cascade

struct PriceChanged: Event {
    var price = 3
}
