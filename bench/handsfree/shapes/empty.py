print("x", 1)
