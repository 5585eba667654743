import { join } from "node:path";

/** The paths below the state directory. */
export class StatePaths {
  readonly root: string;

  constructor(root: string) {
    // Commas and colons would end a mount option, blanks a word of a script.
    if (!/^\/[\w./-]+$/.test(root)) {
      throw new Error(`Cannot keep state in ${root}: not an absolute path of letters, digits and . _ / -`);
    }
    this.root = root;
  }

  /** The ID of the boot in which the state was last used. */
  get boot(): string {
    return join(this.root, "boot");
  }

  /**
   * A private mount: mounts below it are visible nowhere else. Holds `net`, `ipc`, `uts` for each sandbox.
   */
  get pins(): string {
    return join(this.root, "pins");
  }

  /** The mount point of every container's root; each container has its own mount namespace. */
  get mountPoint(): string {
    return join(this.pins, "root");
  }

  /** The leases of Pod addresses. */
  get addresses(): string {
    return join(this.root, "addresses");
  }

  /** `<container>` holds `<exit code> <OOM kills>`; the container's supervisor writes it once. */
  get exits(): string {
    return join(this.root, "exits");
  }

  /** The socket at which the supervisors of sessions appear. */
  get sessions(): string {
    return join(this.root, "sessions.sock");
  }

  /** The spawner's and the supervisors' own errors. */
  get spawnerLog(): string {
    return join(this.root, "spawner.log");
  }

  get sandboxes(): string {
    return join(this.root, "sandboxes");
  }

  get containers(): string {
    return join(this.root, "containers");
  }

  pin(sandbox: string, namespace: string): string {
    return join(this.pins, `${sandbox}-${namespace}`);
  }

  sandbox(id: string, ...file: readonly string[]): string {
    return join(this.sandboxes, id, ...file);
  }

  container(id: string, ...file: readonly string[]): string {
    return join(this.containers, id, ...file);
  }

  exit(container: string): string {
    return join(this.exits, container);
  }
}
