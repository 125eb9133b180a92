"""Not supported: importing it says what to do instead."""

from warp._base.absent import import_of

import_of(__name__)
