#: about genetic algorithm in plain Python: a class for each individual, tournaments, elitism
#: quick 80
#: full 1200
import math
import random
import sys


class Individual:
    def __init__(self, genes):
        self.genes = genes
        self.fitness = None

    def evaluate(self):
        x = self.genes
        self.fitness = -sum(g * g - 10 * math.cos(2 * math.pi * g) + 10 for g in x)
        return self.fitness

    def mutate(self, rate, sigma):
        for i in range(len(self.genes)):
            if random.random() < rate:
                self.genes[i] += random.gauss(0, sigma)


def crossover(a, b):
    cut = random.randrange(1, len(a.genes))
    return Individual(a.genes[:cut] + b.genes[cut:])


def tournament(population, k=3):
    return max(random.sample(population, k), key=lambda one: one.fitness)


random.seed(5)
size, dimensions = 600, 60
population = [Individual([random.uniform(-5, 5) for _ in range(dimensions)]) for _ in range(size)]
for one in population:
    one.evaluate()
history = []
for gen in range(int(sys.argv[1])):
    population.sort(key=lambda one: one.fitness, reverse=True)
    brood = population[:4]
    while len(brood) < size:
        child = crossover(tournament(population), tournament(population))
        child.mutate(0.1, 0.5 * 0.99**gen)
        child.evaluate()
        #: ask step x = child.genes[0] where gen = 3 and while = 10 when gen = 3 and len(brood) = 14
        brood.append(child)
    population = brood
    best = max(one.fitness for one in population)
    history.append(best)
    #: ask outer gene = population[-1].genes[5]
    print("gen", gen, "best", best)
#: ask suffix average = sum(one.fitness for one in population) / size
print("improved", history[-1] - history[0])
