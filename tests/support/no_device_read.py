"""A dispatch mode under which any read of the device by the host fails, whatever the device is."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

aten = torch.ops.aten
READS = {
    aten._local_scalar_dense,
    aten.equal,
    aten.is_nonzero,
    aten.item,
    # The shapes of these depend on values, so the host waits for them.
    aten.nonzero,
    aten.masked_select,
    aten._unique2,
    aten.unique_dim,
    aten.unique_consecutive,
}


class DeviceRead(AssertionError):
    """The host has asked the device for a value."""


class NoDeviceRead(TorchDispatchMode):
    """Fails on scalar reads, on shapes that depend on values, and on copies from a device to the host.

    `device`: what counts as the device. A mode holds for one thread, so device work on another is not watched.
    """

    def __init__(self, device="cpu"):
        super().__init__()
        self.device = torch.device(device).type
        self.calls = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        self.calls += 1
        if function.overloadpacket in READS:
            raise DeviceRead(f"{function} reads a value from the device")
        if function.overloadpacket is aten.index and any(
            index is not None and index.dtype in (torch.bool, torch.uint8) for index in args[1]
        ):
            raise DeviceRead(f"{function} by a mask: its shape depends on values")
        result = function(*args, **kwargs)
        if self.device != "cpu":
            came = {item.device.type for item in tree_leaves((args, kwargs)) if isinstance(item, torch.Tensor)}
            left = {item.device.type for item in tree_leaves(result) if isinstance(item, torch.Tensor)}
            target = args[0].device.type if function.overloadpacket is aten.copy_ else None
            if self.device in came and "cpu" in left and (target is None or target == "cpu"):
                raise DeviceRead(f"{function} copies from the device to the host")
        return result
