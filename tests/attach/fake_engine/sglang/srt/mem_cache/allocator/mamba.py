from sglang.ids import Ids


class MambaSlotAllocator:
    def __init__(self, size):
        self.size = size
        self._group = None
        self.clear()

    def clear(self):
        self.free_slots = list(range(1, self.size + 1))

    def alloc_group_begin(self, count):
        self._group = list(self._do_alloc(count) or ())

    def alloc_group_end(self):
        if self._group:
            self.free(Ids(self._group))
        self._group = None

    def alloc(self, count):
        if self._group and count == 1:
            return Ids([self._group.pop(0)])
        return self._do_alloc(count)

    def _do_alloc(self, count):
        if count > len(self.free_slots):
            return None
        taken, self.free_slots = self.free_slots[:count], self.free_slots[count:]
        return Ids(taken)

    def free(self, index):
        self.free_slots += index
