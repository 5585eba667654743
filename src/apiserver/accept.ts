import { LruMap } from "../util/lru.ts";

/** A media type that a client accepts, with its parameters. */
export interface AcceptClause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Clients send the same few headers repeatedly. */
const parsed = new LruMap<string, readonly AcceptClause[]>(256);

/**
 * Returns the clauses of an Accept header, best first: by quality, then exact types before wildcards, then in
 * their order.
 */
export function acceptClauses(header: string): readonly AcceptClause[] {
  const known = parsed.get(header);
  if (known !== undefined) return known;
  const clauses = parseClauses(header);
  parsed.set(header, clauses);
  return clauses;
}

function parseClauses(header: string): readonly AcceptClause[] {
  const clauses = header.split(",").map(parseClause);
  const rank = ({ type, parameters }: AcceptClause) => {
    const quality = Number(parameters.get("q") ?? 1);
    const stars = type.split("/").filter((part) => part === "*").length;
    return (Number.isNaN(quality) ? 1 : quality) * 10 - stars;
  };
  return clauses.toSorted((a, b) => rank(b) - rank(a));
}

function parseClause(clause: string): AcceptClause {
  const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
  const pairs = parameters.map((one): [string, string] => {
    const cut = one.indexOf("=");
    return cut < 0 ? [one, ""] : [one.slice(0, cut).trim(), one.slice(cut + 1).trim()];
  });
  return { type: type.toLowerCase(), parameters: new Map(pairs) };
}

export const jsonType = "application/json";
export const yamlType = "application/yaml";
export const protobufType = "application/vnd.kubernetes.protobuf";
