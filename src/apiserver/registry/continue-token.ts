import { errors } from "../../meta/status.ts";
import type { Revision } from "../../store/store.ts";
import { errorText } from "../../util/error-text.ts";
import { toRevision } from "../../store/revision.ts";

/** Returns a continue token in upstream's form, for tools that inspect it. It is opaque to clients. */
export function continueToken(revision: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

/** @throws StatusError 400 */
export function parseContinue(token: string): { revision: Revision | undefined; start: string } {
  const refuse = (why: string) =>
    errors.badRequest(`invalid continue token: continue key is not valid${why}`);
  const { v, rv, start } = openToken(token, refuse);
  if (v !== "meta.k8s.io/v1") throw refuse(`: server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== "number" || rv === 0)
    throw refuse(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "")
    throw refuse(": encoded start key empty (version meta.k8s.io/v1)");
  // The key must not leave the list's prefix.
  if (start.split("/").some((part) => part === "" || part === "." || part === ".."))
    throw refuse(`: ${start}`);
  return { revision: rv > 0 ? toRevision(rv) : undefined, start };
}

function openToken(token: string, refuse: (why: string) => Error): Readonly<Record<string, unknown>> {
  const wrong = token.search(/[^A-Za-z0-9_-]/);
  const cut = token.length % 4 === 1 ? token.length - 1 : -1;
  const at = wrong < 0 ? cut : wrong;
  if (at >= 0) throw refuse(`: illegal base64 data at input byte ${at}`);
  try {
    return Object(JSON.parse(Buffer.from(token, "base64url").toString()));
  } catch (error) {
    throw refuse(`: ${errorText(error)}`);
  }
}
