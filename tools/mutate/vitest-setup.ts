import fc from "fast-check";

// The first counterexample kills a mutant: a smaller one would only take time. So would many more cases than these.
fc.configureGlobal({ endOnFailure: true, interruptAfterTimeLimit: 500 });
