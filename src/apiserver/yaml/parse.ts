import { parseExactly, parseJson } from "../../meta/json.ts";
import { runJob } from "./thread.ts";

/** In characters: the library reads as much in some milliseconds. */
const mostHere = 8 * 1024;

interface ParsedYaml {
  readonly value: unknown;
  /** Keys that stand twice in their map, in the words of Go's parser. */
  readonly duplicates: readonly string[];
}

/**
 * Reads a YAML document; a long one in a thread of its own. `exact`: large integers are kept as they are.
 * @throws YamlError, YamlThreadError, TooManyValuesError
 */
export async function parseYaml(text: string, exact: boolean): Promise<ParsedYaml> {
  // YAML is rare and its library large: it is loaded when the first such body comes.
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
