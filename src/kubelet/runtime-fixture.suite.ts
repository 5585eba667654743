import { afterAll, beforeAll } from "vitest";
import { containerConfig, logOf, type RuntimeUnderTest, sandboxConfig } from "./runtime.suite.ts";
import type { ContainerConfig, SandboxConfig, SandboxStatus } from "./runtime.ts";

type More = NonNullable<Parameters<typeof containerConfig>[2]>;

/** The runtime that the tests of one file share, with shortcuts for running containers. */
export interface RuntimeFixture<Under extends RuntimeUnderTest> {
  readonly under: Under;
  runSandbox(more?: Partial<SandboxConfig>): Promise<SandboxStatus>;
  start(sandbox: SandboxStatus, config: ContainerConfig): Promise<string>;
  /** Returns the output of a script, run in a sandbox of its own. */
  output(script: string, more?: More, sandboxMore?: Partial<SandboxConfig>): Promise<string>;
}

/** Opens a runtime before the tests of this block, and removes it after them. */
export function useRuntime<Under extends RuntimeUnderTest & { dispose(): Promise<void> }>(
  open: () => Promise<Under>,
  hookMs?: number,
): RuntimeFixture<Under> {
  let under: Under;
  let pods = 0;
  beforeAll(async () => {
    under = await open();
  }, hookMs);
  afterAll(() => under?.dispose(), hookMs);

  const fixture: RuntimeFixture<Under> = {
    get under() {
      return under;
    },
    runSandbox: (more) => under.runtime.runSandbox(sandboxConfig(`own-${pods++}`, under.logDirectory, more)),
    async start(sandbox, config) {
      const id = await under.runtime.createContainer(sandbox.id, config);
      await under.runtime.startContainer(id);
      return id;
    },
    async output(script, more = {}, sandboxMore = {}) {
      const sandbox = await fixture.runSandbox(sandboxMore);
      const config = containerConfig(more.image ?? under.image, ["sh", "-c", script], more);
      const lines = await logOf(under.runtime, await fixture.start(sandbox, config));
      await under.runtime.removeSandbox(sandbox.id);
      return lines.map((line) => line.replace(/^\w+ [FP] /, "")).join("\n");
    },
  };
  return fixture;
}
