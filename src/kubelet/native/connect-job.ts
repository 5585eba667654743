import type { SessionConnection, SessionServer } from "./session-server.ts";
import type { Outcome, Spawner } from "./spawner.ts";

export interface JobContext {
  readonly spawner: Spawner;
  readonly sessions: SessionServer;
}

/**
 * Carries out a plan whose process connects to Knarr under `name`. Resolves to the connection, or to none when the process
 * has failed before.
 */
export async function connectJob(
  name: string,
  plan: Buffer,
  { spawner, sessions }: JobContext,
): Promise<{ readonly connection: SessionConnection | undefined; readonly outcome: Promise<Outcome> }> {
  const connected = sessions.expect(name);
  const outcome = spawner.run(plan);
  // Its report may come before its connection.
  const failed = outcome.then(({ what }) => (what === "started" ? connected : undefined));
  const connection = await Promise.race([connected, failed]);
  sessions.forget(name);
  return { connection, outcome };
}
