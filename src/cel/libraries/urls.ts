import { ArrayList, HashMap } from "../collections.ts";
import { traversal } from "../cost/model.ts";
import { scaled } from "../cost/range.ts";
import { type FunctionDeclaration, global, type Library, member } from "../declarations.ts";
import { spend, spendOnText } from "../effort.ts";
import { bool, listOf, mapOf, objectType, string } from "../types.ts";
import type { Type } from "../type.ts";
import { CelError, type CelMap, CelObject, noSuchOverload, type Value } from "../values.ts";

/** URLs (`k8s.io/apiserver/pkg/cel/library/urls.go`). */

/** The parts of a URL that the library needs. */
export interface UrlText {
  /** The scheme in lower case. */
  readonly scheme: string;
  /** The host with its port. */
  readonly host: string;
  readonly escapedPath: string;
  /** The query, not decoded. */
  readonly query: string;
  /** The whole URL in normalized form. Equal URLs have equal texts. */
  readonly text: string;
}

export interface UrlReader {
  /** Parses an absolute URL or an absolute path, or returns the error. */
  parse(text: string): UrlText | CelError;
}

const url = objectType<Url>("kubernetes.URL");

class Url extends CelObject {
  readonly parts: UrlText;

  constructor(parts: UrlText) {
    super();
    this.parts = parts;
  }

  override get type(): Type {
    return url;
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof Url ? this.parts.text === other.parts.text : noSuchOverload;
  }
}

interface HostAndPort {
  /** The host name without the brackets of an IPv6 address. */
  readonly name: string;
  readonly port: string;
}

function splitHost({ parts: { host } }: Url): HostAndPort {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && /^[0-9]*$/.test(host.slice(colon + 1));
  const name = hasPort ? host.slice(0, colon) : host;
  const isBracketed = name.startsWith("[") && name.endsWith("]");
  return {
    name: isBracketed ? name.slice(1, -1) : name,
    port: hasPort ? host.slice(colon + 1) : "",
  };
}

/** The maximum number of query parameters, as in Go. */
const mostParameters = 10_000;

/** The values of each parameter. Values that cannot be decoded are omitted. */
function parametersOf({ parts: { query } }: Url): CelMap {
  spend(query.length);
  const values = new Map<string, string[]>();
  const pairs = query.split("&");
  for (const pair of pairs.length > mostParameters ? [] : pairs) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  const map = new HashMap();
  for (const [key, all] of values) map.set(key, new ArrayList(all));
  return map;
}

/** Decodes percent escapes, and plus signs as spaces. */
function decode(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  const spaced = text.replaceAll("+", " ");
  return spaced.replace(/(?:%[0-9A-Fa-f]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

const accessors: readonly FunctionDeclaration[] = [
  { name: "getScheme", overloads: [member("url_get_scheme", [url], string, ({ parts }) => parts.scheme)] },
  { name: "getHost", overloads: [member("url_get_host", [url], string, ({ parts }) => parts.host)] },
  {
    name: "getHostname",
    overloads: [member("url_get_hostname", [url], string, (one) => splitHost(one).name)],
  },
  { name: "getPort", overloads: [member("url_get_port", [url], string, (one) => splitHost(one).port)] },
  {
    name: "getEscapedPath",
    overloads: [member("url_get_escaped_path", [url], string, ({ parts }) => parts.escapedPath)],
  },
  {
    name: "getQuery",
    overloads: [member("url_get_query", [url], mapOf(string, listOf(string)), parametersOf)],
  },
];

export function urls(reader: UrlReader): Library {
  const parse = (text: string): Url | CelError => {
    spendOnText(text.length);
    const parts = reader.parse(text);
    if (!(parts instanceof CelError)) return new Url(parts);
    return new CelError(`URL parse error during conversion from string: ${parts.message}`);
  };
  const functions: readonly FunctionDeclaration[] = [
    { name: "url", overloads: [global("string_to_url", [string], url, parse)], cost: traversal(0) },
    {
      name: "isURL",
      overloads: [global("is_url_string", [string], bool, (text) => parse(text) instanceof Url)],
    },
    ...accessors,
  ];
  return {
    functions,
    equality: {
      // Upstream only uses the size of the second one.
      [url.name]: ([, second]) => ({ cost: scaled({ min: 1, max: second?.size.max ?? 1 }, 0.1) }),
    },
  };
}
