import { parse } from "yaml";
export function parseYamlDocument(text: string): unknown {
  return parse(text);
}
