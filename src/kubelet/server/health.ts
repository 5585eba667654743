import { type Answer, notFound, text } from "./answer.ts";
import type { KubeletHost } from "./host.ts";

/** Answers `/healthz` and its checks by name (apiserver `server/healthz`). */
export function health(host: KubeletHost, query: URLSearchParams, names: readonly string[]): Answer {
  const checks: ReadonlyMap<string, () => boolean> = new Map([
    ["ping", () => true],
    ["syncloop", () => host.isSyncing()],
  ]);
  const [name] = names;
  if (name !== undefined) {
    const check = names.length === 1 ? checks.get(name) : undefined;
    if (check === undefined) return notFound;
    return check()
      ? text(200, "ok")
      : text(500, "internal server error: sync Loop took longer than expected\n");
  }
  const excluded = new Set(query.getAll("exclude"));
  const failed = [...checks].filter(([one, check]) => !excluded.has(one) && !check()).map(([one]) => one);
  const lines = [...checks.keys()].map((one) =>
    excluded.has(one)
      ? `[+]${one} excluded: ok\n`
      : failed.includes(one)
        ? `[-]${one} failed: reason withheld\n`
        : `[+]${one} ok\n`,
  );
  if (failed.length > 0) return text(500, `${lines.join("")}healthz check failed\n`);
  return text(200, query.has("verbose") ? `${lines.join("")}healthz check passed\n` : "ok");
}
