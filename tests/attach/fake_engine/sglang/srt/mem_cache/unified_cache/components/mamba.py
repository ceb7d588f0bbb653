class MambaComponent:
    def __init__(self, cache):
        self.cache = cache

    def _free_mamba_value(self, value):
        self.cache.req_to_token_pool.mamba_allocator.free(value)
