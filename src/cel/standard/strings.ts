import { affix, search } from "../cost/model.ts";
import { type FunctionDeclaration, member } from "../declarations.ts";
import { bool, string } from "../types.ts";

export const strings: readonly FunctionDeclaration[] = [
  {
    name: "contains",
    blames: "nothing",
    overloads: [
      member("contains_string", [string, string], bool, (text, part) => text.includes(part), search),
    ],
  },
  {
    name: "endsWith",
    blames: "nothing",
    overloads: [member("ends_with_string", [string, string], bool, (text, end) => text.endsWith(end), affix)],
  },
  {
    name: "startsWith",
    blames: "nothing",
    overloads: [
      member("starts_with_string", [string, string], bool, (text, start) => text.startsWith(start), affix),
    ],
  },
];
