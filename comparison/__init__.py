"""The same small programs, asked by each way that people use to learn what torch.compile did."""
