//: about genetic algorithm (CommonJS): travelling salesman, crossover, mutation, elitism
//: quick --generations 60
//: full --generations 1150
"use strict";

const generations = Number(process.argv[3] ?? 12);

var seed = 99;
function random() {
  seed = (seed * 16807) % 2147483647;
  return seed / 2147483647;
}
function pick(list) {
  return list[Math.floor(random() * list.length)];
}

const cities = Array.from({ length: 60 }, () => ({ x: random(), y: random() }));

function lengthOf(route) {
  let sum = 0;
  for (let i = 0; i < route.length; i++) {
    const a = cities[route[i]];
    const b = cities[route[(i + 1) % route.length]];
    sum += Math.hypot(a.x - b.x, a.y - b.y);
  }
  return sum;
}

function Individual(genes) {
  this.genes = genes;
  this.fitness = 1 / lengthOf(genes);
}
Individual.prototype.crossover = function (other) {
  const from = Math.floor(random() * this.genes.length);
  const to = from + Math.floor(random() * (this.genes.length - from));
  const part = this.genes.slice(from, to);
  const rest = other.genes.filter((gene) => !part.includes(gene));
  return new Individual(rest.slice(0, from).concat(part, rest.slice(from)));
};
Individual.prototype.mutate = function (rate) {
  const genes = this.genes.slice();
  for (let i = 0; i < genes.length; i++) {
    if (random() >= rate) continue;
    const j = Math.floor(random() * genes.length);
    [genes[i], genes[j]] = [genes[j], genes[i]];
  }
  return new Individual(genes);
};

function shuffled(n) {
  const list = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

let population = Array.from({ length: 1200 }, () => new Individual(shuffled(cities.length)));
const bests = [];
for (let generation = 0; generation < generations; generation++) {
  population.sort((a, b) => b.fitness - a.fitness);
  const elite = population.slice(0, 80);
  const next = elite.slice();
  while (next.length < population.length) {
    const child = pick(elite).crossover(pick(population.slice(0, 400)));
    next.push(child.mutate(0.01));
    //: ask step young = child.fitness where generation = 3 and while = 4 when generation === 3 && next.length === 85
  }
  population = next;
  bests.push(1 / population[0].fitness);
  //: ask outer spread = population[79].fitness / population[0].fitness
  console.log("generation", generation, "length", bests[bests.length - 1]);
}
//: ask suffix improved = bests[0] - bests[bests.length - 1]
console.log("best", bests.at(-1));
