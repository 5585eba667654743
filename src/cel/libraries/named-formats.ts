import { ArrayList } from "../collections.ts";
import { actualSizeAt, type CostModel, perCharacter, sizeAt } from "../cost/model.ts";
import { scaled } from "../cost/range.ts";
import { type FunctionDeclaration, global, type Library, member } from "../declarations.ts";
import { spendOnText } from "../effort.ts";
import { listOf, objectType, optionalOf, string } from "../types.ts";
import type { Type } from "../type.ts";
import { type CelError, CelObject, noSuchOverload, Optional, type Value } from "../values.ts";

/** Named formats of strings (`k8s.io/apiserver/pkg/cel/library/format.go`). */

export interface NamedFormat {
  /** The format's unique name. */
  readonly name: string;
  /** The length of an equivalent pattern, which determines the cost. */
  readonly patternSize: number;
  /** Returns the problems of a text. Empty when it has the format. */
  problemsOf(text: string): readonly string[];
}

const formatType = objectType<Format>("kubernetes.NamedFormat");
const mostNameCharacters = 64;
const longestPattern = 128;
const perPatternCharacter = 0.25;

class Format extends CelObject {
  readonly form: NamedFormat;

  constructor(form: NamedFormat) {
    super();
    this.form = form;
  }

  override get type(): Type {
    return formatType;
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof Format ? this.form.name === other.form.name : noSuchOverload;
  }
}

/** The cost of matching a pattern of the same length. */
const validation: CostModel = {
  estimate: (args) => ({
    cost: scaled(scaled(sizeAt(args, 1), perCharacter), longestPattern * perPatternCharacter),
  }),
  actual: (args) => {
    const [format] = args;
    if (!(format instanceof Format)) return 1;
    const text = Math.ceil((1 + actualSizeAt(args, 1)) * perCharacter);
    return text * Math.ceil(format.form.patternSize * perPatternCharacter);
  },
};

function validate({ form }: Format, text: string): Optional {
  spendOnText(text.length);
  const problems = form.problemsOf(text);
  return problems.length === 0 ? Optional.none : Optional.of(new ArrayList(problems));
}

/** A library of formats by name: `format.uri()`, `format.named("uri")`. */
export function namedFormats(forms: Readonly<Record<string, NamedFormat>>): Library {
  const formats = new Map(Object.entries(forms).map(([name, form]) => [name, new Format(form)]));
  const find = (name: string) => {
    const format = formats.get(name);
    return format === undefined ? Optional.none : Optional.of(format);
  };
  const constants = [...formats].map(([name, format]): FunctionDeclaration => {
    const id = `format.${name}`;
    return { name: id, overloads: [global(id, [], formatType, () => format)] };
  });
  const functions: readonly FunctionDeclaration[] = [
    {
      name: "validate",
      overloads: [member("format-validate", [formatType, string], optionalOf(listOf(string)), validate)],
      cost: validation,
    },
    { name: "format.named", overloads: [global("format-named", [string], optionalOf(formatType), find)] },
    ...constants,
  ];
  const comparing = scaled({ min: 1, max: mostNameCharacters }, perCharacter);
  return { functions, equality: { [formatType.name]: () => ({ cost: comparing }) } };
}
