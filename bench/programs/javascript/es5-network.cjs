//: about multi-layer perceptron in ES5: constructors whose prototype is an object
//: quick --epochs 30
//: full --epochs 500
"use strict";
var epochs = Number(process.argv[3] || 3);

var seed = 4711;
function random() {
  seed = (seed * 16807) % 2147483647;
  return seed / 2147483647;
}

function Layer(inputs, size) {
  this.inputs = inputs;
  this.size = size;
  this.weights = [];
  this.biases = [];
  this.output = [];
  this.delta = [];
  for (var n = 0; n < size; n++) {
    var row = [];
    for (var i = 0; i < inputs; i++) row.push((random() - 0.5) * 0.8);
    this.weights.push(row);
    this.biases.push(0);
  }
}
Layer.prototype = {
  forward: function (input) {
    this.output = this.weights.map(function (row, n) {
      var sum = this.biases[n];
      for (var i = 0; i < row.length; i++) sum += row[i] * input[i];
      return 1 / (1 + Math.exp(-sum));
    }, this);
    return this.output;
  },
  adjust: function (input, rate) {
    for (var n = 0; n < this.size; n++) {
      for (var i = 0; i < this.inputs; i++) this.weights[n][i] += rate * this.delta[n] * input[i];
      this.biases[n] += rate * this.delta[n];
    }
  },
};

function Network(sizes) {
  this.layers = [];
  for (var i = 1; i < sizes.length; i++) this.layers.push(new Layer(sizes[i - 1], sizes[i]));
  this.iterations = 0;
}
Network.prototype = {
  run: function (input) {
    return this.layers.reduce(function (value, layer) {
      return layer.forward(value);
    }, input);
  },
  learn: function (input, target, rate) {
    var output = this.run(input);
    var error = 0;
    for (var l = this.layers.length - 1; l >= 0; l--) {
      var layer = this.layers[l];
      var next = this.layers[l + 1];
      layer.delta = layer.output.map(function (o, n) {
        var e = 0;
        if (!next) e = target[n] - o;
        else for (var k = 0; k < next.size; k++) e += next.delta[k] * next.weights[k][n];
        if (!next) error += e * e;
        return e * o * (1 - o);
      });
    }
    for (var m = 0; m < this.layers.length; m++) {
      this.layers[m].adjust(m === 0 ? input : this.layers[m - 1].output, rate);
    }
    this.iterations++;
    return error / output.length;
  },
};

var samples = [];
for (var s = 0; s < 1500; s++) {
  var bits = [];
  for (var b = 0; b < 16; b++) bits.push(random() < 0.5 ? 0 : 1);
  var ones = bits.reduce(function (x, y) {
    return x + y;
  });
  samples.push({ input: bits, target: [ones > 8 ? 1 : 0, bits[0] ^ bits[1]] });
}

var network = new Network([16, 40, 20, 2]);
var errors = [];
for (var epoch = 0; epoch < epochs; epoch++) {
  var sum = 0;
  for (var sample = 0; sample < samples.length; sample++) {
    sum += network.learn(samples[sample].input, samples[sample].target, 0.3);
    //: ask step delta = network.layers[0].delta[2] where epoch = 1 and sample = 200
  }
  errors.push(sum / samples.length);
  //: ask outer weight = network.layers[1].weights[3][5]
  console.log("epoch", epoch, "error", errors[epoch]);
}
//: ask suffix learned = network.iterations
console.log("out", network.run(samples[0].input)[0]);
