"""What may happen: the protocol of track slots as plain Python that runs, and that the checker can read."""
