/** Matches names and paths with Go's `filepath.Match` and `**`, in time proportional to the lengths' product. */

/** Reports whether the text has characters of a pattern. */
export function isPattern(text: string): boolean {
  return /[*?[\\]/.test(text);
}

/** Matches a path's parts; `**` stands for any number of parts. @throws Error for a malformed pattern */
export function matchesPath(pattern: readonly string[], path: readonly string[]): boolean {
  // `reached[n]`: the pattern so far matches the first n parts.
  let reached = [true, ...path.map(() => false)];
  for (const part of pattern) {
    let any = false;
    const next = reached.map((before, index) => {
      if (part === "**") return (any ||= before);
      const name = path[index - 1];
      return name !== undefined && reached[index - 1] === true && matchesName(part, name);
    });
    reached = next;
  }
  return reached.at(-1) === true;
}

/** Matches one name. @throws Error for a malformed pattern */
export function matchesName(pattern: string, name: string): boolean {
  const units = unitsOf(pattern);
  const letters = Array.from(name);
  let [unit, letter, star, resume] = [0, 0, -1, 0];
  while (letter < letters.length) {
    const wanted = units[unit];
    if (wanted === "*") {
      star = unit++;
      resume = letter;
    } else if (wanted !== undefined && wanted(letters[letter] ?? "")) {
      unit++;
      letter++;
    } else if (star >= 0) {
      unit = star + 1;
      letter = ++resume;
    } else return false;
  }
  while (units[unit] === "*") unit++;
  return unit === units.length;
}

type Unit = "*" | ((letter: string) => boolean);

function unitsOf(pattern: string): readonly Unit[] {
  const units: Unit[] = [];
  const letters = Array.from(pattern);
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    if (letter === "*") units.push("*");
    else if (letter === "?") units.push(() => true);
    else if (letter === "[") {
      const end = letters.indexOf("]", index + 2);
      if (end < 0) throw new Error(`syntax error in pattern ${JSON.stringify(pattern)}`);
      units.push(classOf(letters.slice(index + 1, end)));
      index = end;
    } else {
      const literal = letter === "\\" ? (letters[++index] ?? "\\") : letter;
      units.push((other) => other === literal);
    }
  }
  return units;
}

function classOf(letters: readonly string[]): Unit {
  const negated = letters[0] === "^" || letters[0] === "!";
  const rest = negated ? letters.slice(1) : letters;
  const ranges: (readonly [string, string])[] = [];
  for (let index = 0; index < rest.length; index++) {
    const from = rest[index] ?? "";
    const isRange = rest[index + 1] === "-" && rest[index + 2] !== undefined;
    ranges.push([from, isRange ? (rest[index + 2] ?? from) : from]);
    if (isRange) index += 2;
  }
  return (letter) => ranges.some(([from, to]) => from <= letter && letter <= to) !== negated;
}
