import type { Library } from "../declarations.ts";
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  nullType,
  string,
  timestamp,
  typeType,
  uint,
} from "../types.ts";
import { arithmetic } from "./arithmetic.ts";
import { collections } from "./collections.ts";
import { comparison } from "./comparison.ts";
import { conversions } from "./conversions.ts";
import { logic } from "./logic.ts";
import { macros } from "./macros.ts";
import { strings } from "./strings.ts";
import { time } from "./time.ts";

/** The library of every environment: the operators, functions and macros of the language definition. */
export const standardLibrary: Library = {
  functions: [...logic, ...arithmetic, ...comparison, ...collections, ...conversions, ...strings, ...time],
  macros,
  types: [
    bool,
    bytes,
    double,
    duration,
    int,
    listOf(dyn),
    mapOf(dyn, dyn),
    nullType,
    string,
    timestamp,
    typeType,
    uint,
  ],
};
