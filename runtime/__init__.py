"""What the spec says may happen, done on torch: pool, ring, batch rows, boundary, prefix cache and scheduler.

This room is empty until the version that brings the runtime; it will import neither `spec` nor `checker`.
"""
