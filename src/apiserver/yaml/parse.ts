import { parseExactly, parseJson } from "../../meta/json.ts";
import { runJob } from "./thread.ts";

/** Characters: the library reads this much in some milliseconds. */
const mostHere = 8 * 1024;

interface ParsedYaml {
  readonly value: unknown;
  /** Duplicate keys of a map, in the words of Go's parser. */
  readonly duplicates: readonly string[];
}

/**
 * Parses a YAML document; a long one in a separate thread. `exact` preserves large integers.
 * @throws YamlError, YamlThreadError, TooManyValuesError
 */
export async function parseYaml(text: string, exact: boolean): Promise<ParsedYaml> {
  // YAML is rare and its library large: it is loaded at the first such body.
  const { parseAsJson, parseYamlDocument, YamlError } = await import("../../meta/yaml.ts");
  const duplicates: string[] = [];
  if (text.length <= mostHere) return { value: parseYamlDocument(text, { duplicates, exact }), duplicates };
  const value = parseAsJson(text, { duplicates, exact });
  if (value !== undefined) return { value, duplicates };
  const answer = await runJob({ type: "parse", text, exact });
  switch (answer.type) {
    case "parsed": {
      const parsed = parseJson(Buffer.from(answer.json), exact ? parseExactly : undefined);
      return { value: parsed.value, duplicates: answer.duplicates };
    }
    case "failed":
      throw new YamlError(answer.message);
    case "formatted":
      throw new TypeError("the YAML thread answered another question");
  }
}
