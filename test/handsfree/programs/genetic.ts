/** @file A genetic algorithm: genomes of numbers, tournaments, crossover and mutation. No library. */

interface Individual {
  genes: number[];
  fitness: number;
}

const GENES = 10;
const POPULATION = 12;

/** Rastrigin's function, turned around: the best is 0, at the origin. */
function fitnessOf(genes: number[]): number {
  return -genes.reduce((sum, g) => sum + g * g - 10 * Math.cos(2 * Math.PI * g) + 10, 0);
}

function born(genes: number[]): Individual {
  return { genes, fitness: fitnessOf(genes) };
}

function tournament(population: Individual[]): Individual {
  let winner = population[Math.floor(Math.random() * population.length)];
  for (let round = 0; round < 3; round++) {
    const other = population[Math.floor(Math.random() * population.length)];
    if (other.fitness > winner.fitness) winner = other;
  }
  return winner;
}

const crossover = (a: number[], b: number[]) => a.map((g, i) => (Math.random() < 0.5 ? g : b[i]));
const mutate = (genes: number[], rate: number) =>
  genes.map((g) => (Math.random() < rate ? g + (Math.random() - 0.5) : g));

let population = Array.from({ length: POPULATION }, () =>
  born(Array.from({ length: GENES }, () => 10 * (Math.random() - 0.5))),
);
let champion = population[0];
let rate = 0.3;
let stagnant = 0;
// probe prefix: console.log("first_fitness", champion.fitness)

let generation = 0;
do {
  const children: Individual[] = [];
  while (children.length < POPULATION) {
    const genes = crossover(tournament(population).genes, tournament(population).genes);
    children.push(born(mutate(genes, rate)));
    // probe inner: console.log("child", children[children.length - 1].fitness)
  }
  children.sort((a, b) => b.fitness - a.fitness);
  children[POPULATION - 1] = champion;
  population = children;
  stagnant = population[0].fitness > champion.fitness ? 0 : stagnant + 1;
  if (stagnant === 0) champion = population[0];
  rate *= 0.98;
  generation += 1;
  // probe outer: console.log("median", population[POPULATION / 2].fitness, "rate", rate)
  console.info(`generation ${generation}  best ${champion.fitness}`);
} while (generation < 10 && stagnant < 12);
// probe suffix: console.log("worst", Math.min(...population.map(({ fitness }) => fitness)))
console.log("champion", champion.fitness, "after", generation);
