# Prints in every iteration.
x = 0.0
for step in range(100_000):
    x = x * 0.999 + 1
    print("step", step, "x", x)
