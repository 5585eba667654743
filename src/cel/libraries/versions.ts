import { reading } from "../cost/model.ts";
import { one } from "../cost/range.ts";
import { type FunctionDeclaration, global, type Library, member } from "../declarations.ts";
import { spendOnText } from "../effort.ts";
import { integer } from "../integers.ts";
import { bool, int, objectType, string } from "../types.ts";
import type { Type } from "../type.ts";
import { CelError, CelObject, type Int, noSuchOverload, type Value } from "../values.ts";
import { compareVersions, parseVersion, type Version } from "./semver-text.ts";

/** Semantic versions (`k8s.io/apiserver/pkg/cel/library/semverlib.go`, version 1). */

const semver = objectType<Semver>("kubernetes.Semver");

class Semver extends CelObject {
  readonly version: Version;

  constructor(version: Version) {
    super();
    this.version = version;
  }

  override get type(): Type {
    return semver;
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof Semver ? compare(this, other) === 0 : noSuchOverload;
  }
}

const compare = (a: Semver, b: Semver) => compareVersions(a.version, b.version);

/** Reads a semantic version, or returns the error. */
export function parseSemver(text: string, isTolerant = false): Semver | CelError {
  spendOnText(text.length);
  const version = parseVersion(text, isTolerant);
  return typeof version === "string" ? new CelError(version) : new Semver(version);
}

/** Interprets the 64 bits of an unsigned integer as a signed one. */
const signed = (number: Int) => integer(BigInt.asIntN(64, BigInt(number)));

const part = (name: "major" | "minor" | "patch"): FunctionDeclaration => ({
  name,
  overloads: [member(`semver_${name}`, [semver], int, ({ version }) => signed(version[name]))],
});

export const versions: Library = {
  functions: [
    {
      name: "semver",
      overloads: [
        global("string_to_semver", [string], semver, (text) => parseSemver(text)),
        global("string_bool_to_semver", [string, bool], semver, parseSemver),
      ],
      cost: reading(0),
    },
    {
      name: "isSemver",
      overloads: [
        global("is_semver_string", [string], bool, (text) => parseSemver(text) instanceof Semver),
        global(
          "is_semver_string_bool",
          [string, bool],
          bool,
          (text, isTolerant) => parseSemver(text, isTolerant) instanceof Semver,
        ),
      ],
      cost: reading(0),
    },
    {
      name: "isGreaterThan",
      overloads: [member("semver_is_greater_than", [semver, semver], bool, (a, b) => compare(a, b) > 0)],
    },
    {
      name: "isLessThan",
      overloads: [member("semver_is_less_than", [semver, semver], bool, (a, b) => compare(a, b) < 0)],
    },
    { name: "compareTo", overloads: [member("semver_compare_to", [semver, semver], int, compare)] },
    part("major"),
    part("minor"),
    part("patch"),
  ],
  equality: { [semver.name]: () => ({ cost: one }) },
};
