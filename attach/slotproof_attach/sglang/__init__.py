"""The adapter for sglang: table.py says where it is touched, pools.py and batches.py what is noted there."""
