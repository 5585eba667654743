import type { Tree } from "./tree/tree.ts";

const maxFileBytes = 1 << 20;
/** The largest ID that Linux gives to files. */
const maxId = 0xffff_fffe;

/**
 * Resolves `--chown=user:group` with the names of the stage's own files. A user without a group has the group of
 * the same number. @throws Error for an unknown name
 */
export function resolveOwner(
  text: string | undefined,
  tree: Tree,
): { readonly uid: number; readonly gid: number } {
  if (text === undefined) return { uid: 0, gid: 0 };
  const [user = "", group, ...excess] = text.split(":");
  if (excess.length > 0) throw new Error(`invalid chown string format: ${text}`);
  const uid = user === "" ? 0 : idOf(tree, "etc/passwd", user, "user");
  return { uid, gid: group === undefined || group === "" ? uid : idOf(tree, "etc/group", group, "group") };
}

function idOf(tree: Tree, file: string, name: string, what: string): number {
  if (/^\d{1,10}$/.test(name) && Number(name) <= maxId) return Number(name);
  for (const line of (tree.readText(file, maxFileBytes) ?? "").split("\n")) {
    const [own, , id = ""] = line.split(":");
    if (own === name && /^\d{1,10}$/.test(id)) return Number(id);
  }
  throw new Error(`unable to find ${what} ${name}: no matching entries in /${file}`);
}
