import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResolvedImage } from "../images/image.ts";
import { RuntimeError, type ContainerSecurity } from "../runtime.ts";
import { hasId, lastId, ownIds } from "../../util/own-ids.ts";
import { boundingSet } from "./capabilities.ts";

/** The identity of a process. */
export interface Credentials {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  /** The home directory, if the image's `/etc/passwd` lists the user. */
  readonly home?: string;
  /** The bounding set; absent for all capabilities that Knarr has. */
  readonly bounding?: readonly string[];
  readonly noNewPrivileges: boolean;
}

interface PasswdEntry {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/**
 * Resolves user, groups and capabilities. The Pod overrides the image; names are looked up in the image.
 * @throws RuntimeError `CreateContainerConfigError` when root is forbidden, `CreateContainerError` when a
 * name is unknown.
 */
export async function resolveCredentials(
  image: ResolvedImage,
  security: ContainerSecurity,
): Promise<Credentials> {
  const [user = "", group = ""] = image.config.user.split(":");
  if (security.runAsNonRoot && security.runAsUser === undefined) refuseRoot(user);
  const passwd = parsePasswd(await readFromImage(image, "etc/passwd"));
  const groups = parseGroups(await readFromImage(image, "etc/group"));
  const wanted = security.runAsUser ?? (user === "" ? 0 : user);
  const entry = passwd.find((entry) => entry.name === wanted || entry.uid === Number(wanted));
  const uid = entry?.uid ?? Number(wanted);
  if (!Number.isInteger(uid)) {
    throw new RuntimeError(
      "CreateContainerError",
      `unable to find user ${user}: no matching entries in passwd file`,
    );
  }
  if (security.runAsNonRoot && uid === 0) {
    throw new RuntimeError(
      "CreateContainerConfigError",
      security.runAsUser === 0
        ? "container's runAsUser breaks non-root policy"
        : "container has runAsNonRoot and image will run as root",
    );
  }
  // When the Pod chooses the user, the image's group does not apply.
  const imageGroup = security.runAsUser === undefined && group !== "" ? groupId(groups, group) : undefined;
  const gid = security.runAsGroup ?? imageGroup ?? entry?.gid ?? 0;
  // The image lists groups for any machine: what a rootless node does not have is no reason to fail.
  const memberships = groups.filter(
    ({ gid, members }) =>
      hasId(ownIds.groups, gid) &&
      security.supplementalGroupsPolicy === "Merge" &&
      entry !== undefined &&
      members.includes(entry.name),
  );
  requireIds(uid, [gid, ...security.supplementalGroups]);
  const bounding = boundingSet(security);
  return {
    uid,
    gid,
    groups: [...new Set([gid, ...memberships.map(({ gid }) => gid), ...security.supplementalGroups])],
    ...(entry !== undefined && { home: entry.home }),
    ...(bounding !== undefined && { bounding }),
    noNewPrivileges: !security.allowPrivilegeEscalation && !security.privileged,
  };
}

/** A rootless node has few IDs, or root alone. @throws RuntimeError `CreateContainerError` for another one */
function requireIds(uid: number, gids: readonly number[]): void {
  const missing = hasId(ownIds.users, uid) ? undefined : `user ${uid}`;
  const group = gids.find((gid) => !hasId(ownIds.groups, gid));
  const what = missing ?? (group === undefined ? undefined : `group ${group}`);
  if (what === undefined) return;
  throw new RuntimeError(
    "CreateContainerError",
    `${what} does not exist on this rootless node: it has ${lastId(ownIds.users) === 0 ? "only root, which is the user that started it" : `the IDs up to ${lastId(ownIds.users)}`}; give that user ranges in /etc/subuid and /etc/subgid, and install newuidmap and newgidmap, or run Knarr with sudo`,
  );
}

/** Upstream `verifyRunAsNonRoot`. A name is refused, because the image chooses its UID. */
function refuseRoot(user: string): void {
  const why =
    user === "" || user === "0" || user === "root"
      ? "image will run as root"
      : /^\d+$/.test(user)
        ? undefined
        : `image has non-numeric user (${user}), cannot verify user is non-root`;
  if (why !== undefined) {
    throw new RuntimeError("CreateContainerConfigError", `container has runAsNonRoot and ${why}`);
  }
}

function groupId(groups: readonly { name: string; gid: number }[], wanted: string): number {
  const gid = groups.find(({ name }) => name === wanted)?.gid ?? Number(wanted);
  if (Number.isInteger(gid)) return gid;
  throw new RuntimeError(
    "CreateContainerError",
    `unable to find group ${wanted}: no matching entries in group file`,
  );
}

function parsePasswd(text: string): readonly PasswdEntry[] {
  return lines(text).map(([name = "", , uid, gid, , home = "/"]) => ({
    name,
    uid: Number(uid),
    gid: Number(gid),
    home,
  }));
}

function parseGroups(text: string): readonly { name: string; gid: number; members: readonly string[] }[] {
  return lines(text).map(([name = "", , gid, members = ""]) => ({
    name,
    gid: Number(gid),
    members: members.split(","),
  }));
}

function lines(text: string): readonly (readonly string[])[] {
  return text
    .split("\n")
    .filter((line) => line.includes(":"))
    .map((line) => line.split(":"));
}

const maxFileBytes = 1 << 20;

/**
 * Returns a plain file of the topmost layer that has it; empty when none has. Links are not followed, because
 * they could lead out.
 */
async function readFromImage(image: ResolvedImage, path: string): Promise<string> {
  for (const layer of image.layers) {
    let at = join(image.layersDirectory, layer);
    let stat = await lstat(at);
    for (const part of path.split("/")) {
      if (!stat.isDirectory()) break;
      at = join(at, part);
      const next = await lstat(at).catch(() => undefined);
      if (next === undefined) break;
      stat = next;
    }
    if (stat.isFile() && stat.size <= maxFileBytes) return readFile(at, "utf8");
    if (!stat.isDirectory()) return ""; // A whiteout or a link hides the layers below.
  }
  return "";
}
