import { errors } from "../../meta/status.ts";

/** A proxied path, divided after the word `proxy`. Both parts are percent-encoded. */
export interface ProxyPath {
  readonly prefix: string;
  /** Begins with a slash, or is empty for a request without one after `proxy`. */
  readonly rest: string;
}

/**
 * Divides a request's path. Dot segments and repeated slashes are resolved, as upstream does, so that a backend sees
 * no path that leads out of its own. @throws StatusError 400
 */
export function divide(path: string, namespaced: boolean): ProxyPath {
  const segments = namespaced ? 7 : 5;
  const found = new RegExp(String.raw`^(?:/+[^/]+){${segments}}`).exec(path);
  if (found === null) throw errors.noSuchPath();
  const [prefix] = found;
  const rest = path.slice(prefix.length);
  if (rest === "") return { prefix, rest };
  // oxlint-disable-next-line no-control-regex -- HTTP/2 passes bytes that HTTP/1.1 cannot have in a path.
  if (/[\u0000-\u0020\u007f-\uffff]/.test(rest)) throw errors.badRequest("invalid path");
  return { prefix, rest: clean(rest) };
}

/** Resolves `.`, `..` and repeated slashes; a slash at the end remains. */
function clean(path: string): string {
  const parts: string[] = [];
  const segments = path.split("/");
  for (const segment of segments) {
    const plain = segment.replaceAll(/%2e/gi, ".");
    if (plain === "..") parts.pop();
    else if (plain !== "" && plain !== ".") parts.push(segment);
  }
  const isOpen = parts.length > 0 && (segments.at(-1) === "" || path.endsWith("/."));
  return `/${parts.join("/")}${isOpen ? "/" : ""}`;
}
