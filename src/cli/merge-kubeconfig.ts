import { type Document, isMap, isSeq, parseDocument, type YAMLSeq } from "yaml";
import type { Kubeconfig } from "../client/kubeconfig.ts";

const sections = ["clusters", "users", "contexts"] as const;

/**
 * Merges a kubeconfig's entries into the text of another. Entries of the same names are replaced; everything
 * else stays unchanged, including comments. @throws Error when the text is no kubeconfig
 */
export function mergeKubeconfig(text: string, added: Kubeconfig, makeCurrent: boolean): string {
  const document = parse(text);
  for (const field of ["apiVersion", "kind"] as const)
    if (!document.has(field)) document.set(field, added[field]);
  for (const section of sections) {
    const entries = entriesOf(document, section) ?? newEntries(document, section);
    for (const entry of added[section]) {
      const node = document.createNode(entry);
      const index = indexOf(entries, entry.name);
      if (index < 0) entries.add(node);
      else entries.items[index] = node;
    }
  }
  if (makeCurrent || !document.has("current-context"))
    document.set("current-context", added["current-context"]);
  return write(document);
}

/**
 * Removes a cluster's entries from a kubeconfig's text. Entries of the same names with another authority
 * belong to another cluster and stay. @throws Error when the text is no kubeconfig
 */
export function removeFromKubeconfig(text: string, removed: Kubeconfig): string {
  const document = parse(text);
  const [cluster] = removed.clusters;
  const clusters = entriesOf(document, "clusters");
  const present = cluster && clusters?.items[indexOf(clusters, cluster.name)];
  const authority = cluster?.cluster["certificate-authority-data"];
  if (!isMap(present) || present.getIn(["cluster", "certificate-authority-data"]) !== authority) return text;
  for (const section of sections) {
    const entries = entriesOf(document, section);
    for (const { name } of removed[section]) {
      const index = entries === undefined ? -1 : indexOf(entries, name);
      if (index >= 0) entries?.items.splice(index, 1);
    }
  }
  if (document.get("current-context") === removed["current-context"]) document.set("current-context", "");
  return write(document);
}

function parse(text: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`it is not YAML: ${error.message.split("\n")[0] ?? ""}`);
  if (document.contents !== null && !isMap(document.contents)) throw new Error("it is not a mapping");
  return document;
}

function entriesOf(document: Document, section: string): YAMLSeq | undefined {
  const entries = document.get(section);
  if (entries === undefined || entries === null) return undefined;
  if (!isSeq(entries)) throw new Error(`${section} is not a list`);
  // The entries of `[]` would be written in flow style.
  if (entries.items.length === 0) entries.flow = false;
  return entries;
}

function newEntries(document: Document, section: string): YAMLSeq {
  const entries = document.createNode([]);
  document.set(section, entries);
  entries.flow = false;
  return entries;
}

function indexOf({ items }: YAMLSeq, name: string): number {
  return items.findIndex((item) => isMap(item) && item.get("name") === name);
}

/** Base64 stays on one line. */
function write(document: Document): string {
  return document.toString({ lineWidth: 0 });
}
