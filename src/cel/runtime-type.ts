import type { Type } from "./type.ts";
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
  optionalOf,
  string,
  timestamp,
  typeType,
  uint,
} from "./types.ts";
import {
  CelList,
  CelMap,
  CelObject,
  Double,
  Duration,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from "./values.ts";

/** The run-time type of a value. Lists and maps do not know the types of their elements. */
export function runtimeType(value: Value): Type {
  switch (typeof value) {
    case "boolean":
      return bool;
    case "number":
    case "bigint":
      return int;
    case "string":
      return string;
  }
  if (value === null) return nullType;
  if (value instanceof CelList) return listType;
  if (value instanceof CelMap) return mapType;
  if (value instanceof CelObject) return value.type;
  if (value instanceof Double) return double;
  if (value instanceof Uint) return uint;
  if (value instanceof Timestamp) return timestamp;
  if (value instanceof Duration) return duration;
  if (value instanceof Optional) return optionalType;
  return value instanceof Uint8Array ? bytes : typeType;
}

const listType = listOf(dyn);

const mapType = mapOf(dyn, dyn);

const optionalType = optionalOf(dyn);
