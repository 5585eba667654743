import { operators } from "../ast.ts";
import { listSearch } from "../cost/model.ts";
import { type FunctionDeclaration, global, member, planned } from "../declarations.ts";
import { equal } from "../equality.ts";
import { index, membership } from "../plan/forms.ts";
import { look } from "../plan/lookup.ts";
import { codePoints } from "../text.ts";
import { bool, bytes, int, listOf, mapOf, parameter, string } from "../types.ts";
import { CelError, type CelList, type CelMap, type Value } from "../values.ts";

const a = parameter("A");
const b = parameter("B");
const list = listOf(a);
const map = mapOf(a, b);

function contains(element: Value, elements: CelList): boolean {
  for (const one of elements) {
    if (!(one instanceof CelError) && equal(element, one) === true) return true;
  }
  return false;
}

function hasKey(key: Value, map: CelMap): boolean | CelError {
  if (map.has !== undefined) return map.has(key);
  const found = map.get(key);
  return found instanceof CelError ? found : found !== undefined;
}

export const collections: readonly FunctionDeclaration[] = [
  {
    name: operators.index,
    overloads: [planned("index_list", [list, int], a), planned("index_map", [map, a], b)],
    plan: index(look),
  },
  {
    name: operators.in,
    overloads: [
      global("in_list", [a, list], bool, contains, listSearch),
      global("in_map", [a, map], bool, hasKey),
    ],
    plan: membership,
    blames: "nothing",
  },
  {
    name: "size",
    overloads: [
      global("size_bytes", [bytes], int, ({ length }) => length),
      member("bytes_size", [bytes], int, ({ length }) => length),
      global("size_list", [list], int, ({ size }) => size),
      member("list_size", [list], int, ({ size }) => size),
      global("size_map", [map], int, ({ size }) => size),
      member("map_size", [map], int, ({ size }) => size),
      global("size_string", [string], int, codePoints),
      member("string_size", [string], int, codePoints),
    ],
    blames: "function",
  },
];
