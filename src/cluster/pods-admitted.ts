import { serviceAccounts } from "../api/core/service-account/schema.ts";
import type { Client } from "../client/client.ts";

/** Waits for the ServiceAccount of the namespace `default`, which Pods need and a controller creates. */
export async function untilPodsAreAdmitted(client: Client, signal: AbortSignal): Promise<void> {
  const accounts = client.of(serviceAccounts, "default");
  for await (const batch of accounts.watch({
    fieldSelector: "metadata.name=default",
    resourceVersion: "0",
    signal,
  })) {
    if (batch.some(({ type }) => type === "ADDED")) return;
  }
  signal.throwIfAborted();
}
