# Prints in every iteration.
import sys

x = 0.0
for step in range(int(sys.argv[1])):
    x = x * 0.999 + 1
    print("step", step, "x", x)
