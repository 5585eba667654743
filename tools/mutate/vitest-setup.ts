import fc from "fast-check";

// The first counterexample kills a mutant: a smaller one would only take time.
fc.configureGlobal({ endOnFailure: true });
