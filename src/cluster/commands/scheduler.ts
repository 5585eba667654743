import { describeFlags, parseFlags, UsageError } from "../../cli/flags.ts";
import { Scheduler } from "../../scheduler/scheduler.ts";
import { componentFlags, runComponent } from "../component.ts";

const help = `Schedule the Pods of a cluster: of Knarr's (start it with --disable-scheduler), or of any other Kubernetes.

Usage:
  knarr scheduler [flags]

Examples:
  knarr scheduler --kubeconfig .knarr/kubeconfig

Flags:
${describeFlags(componentFlags)}
`;

export async function scheduler(line: readonly string[]): Promise<number> {
  const { flags, args } = parseFlags(componentFlags, line);
  if (flags.help) {
    process.stdout.write(help);
    return 0;
  }
  if (args[0] !== undefined) throw new UsageError(`unknown argument: ${args[0]}`);
  return runComponent({ ...flags, lease: "kube-scheduler" }, ({ env, transport }, signal) =>
    new Scheduler({ env, transport }).run(signal),
  );
}
