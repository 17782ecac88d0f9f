console.log("x", 1);
