INTERVAL = 8


def mamba_track_grid(_page):
    return INTERVAL


def mamba_checkpoint_grid(_page):
    return INTERVAL


class _Parallel:
    tp_rank = 3


def get_parallel():
    return _Parallel
