import { closeSync, existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { LocalDirectories } from "../controllers/local-path/directories.ts";
import { openTrusted } from "../kubelet/safe-path/descriptors.ts";
import { removeTree } from "../kubelet/safe-path/remove-tree.ts";

/** Returns the names of this process's nodes; undefined before they are started. */
export type OwnNodes = () => ReadonlySet<string> | undefined;

/** The names that the provisioner gives its volumes. */
const volumePattern = /^pvc-[0-9a-f-]{36}$/;

/**
 * Directories of this machine. Only root can enter their parent, so that a volume's own directory is open to the users
 * of its containers and to nobody else on the machine.
 */
export class HostDirectories implements LocalDirectories {
  readonly #root: string;
  readonly #nodes: OwnNodes;

  constructor(root: string, nodes: OwnNodes) {
    this.#root = root;
    this.#nodes = nodes;
  }

  isReady(): boolean {
    return this.#nodes() !== undefined;
  }

  rootOf(node: string): string | undefined {
    return this.#nodes()?.has(node) === true ? this.#root : undefined;
  }

  async make(_node: string, volume: string): Promise<void> {
    checkName(volume);
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    await chmod(this.#root, 0o700);
    const directory = join(this.#root, volume);
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o777); // Exact, whatever the umask.
  }

  async remove(_node: string, volume: string): Promise<void> {
    checkName(volume);
    if (!existsSync(this.#root)) return; // No volume has been made since the directory was removed.
    const root = openTrusted(this.#root);
    try {
      await removeTree(root, volume);
    } finally {
      closeSync(root);
    }
  }
}

function checkName(volume: string): void {
  if (!volumePattern.test(volume)) throw new Error(`Cannot use the volume name ${JSON.stringify(volume)}`);
}

/** The directories of simulated nodes, which nothing reads or writes. */
export function simulatedDirectories(nodes: OwnNodes): LocalDirectories {
  return {
    isReady: () => nodes() !== undefined,
    rootOf: (node) => (nodes()?.has(node) === true ? "/var/lib/knarr/local-path" : undefined),
    make: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  };
}
