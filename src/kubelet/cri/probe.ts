import { RpcConnection } from "../rpc/connection.ts";
import { CgroupDriver, RuntimeService } from "../rpc/generated/cri_pb.ts";
import { RpcError } from "../rpc/errors.ts";
import { type BridgeNetwork, bridgeIn, cgroupfsIn } from "./cni-bridge.ts";
import type { Clock } from "../../util/clock.ts";
import { errorText } from "../../util/error-text.ts";

/** The greatest time for an answer: a runtime that takes longer would make each start slow. */
const answerMs = 3000;

/** The state of a container runtime, as it reports it. */
export interface ProbedRuntime {
  /** e.g. `containerd 1.6.20` */
  readonly name: string;
  /** The reason why it cannot run Pods now; undefined when it can. */
  readonly obstacle: string | undefined;
  /** The Pods' network; undefined when it is not a bridge on this machine. */
  readonly network: BridgeNetwork | undefined;
  /** True if it is known to make cgroups by itself (cgroupfs) and not through systemd. */
  readonly usesCgroupfs: boolean;
}

/** Asks the runtime of a socket for its state. @throws Error when it does not answer, or is no runtime of CRI v1 */
export async function probeRuntime(clock: Clock, socket: string): Promise<ProbedRuntime> {
  const connection = new RpcConnection({ clock, socket });
  const { version, status, runtimeConfig } = RuntimeService.method;
  const settings = { deadlineMs: answerMs };
  try {
    const { runtimeName, runtimeVersion } = await connection.call(version, { version: "v1" }, settings);
    const { status: state, info } = await connection.call(status, { verbose: true }, settings);
    const failed = (state?.conditions ?? []).find((condition) => !condition.status);
    // Runtimes of CRI before v1.28 do not report their driver.
    const config = await connection.call(runtimeConfig, {}, settings).catch(() => undefined);
    return {
      name: `${runtimeName} ${runtimeVersion}`,
      obstacle: failed && `${failed.type} is false: ${failed.message || failed.reason}`,
      network: bridgeIn(Object.hasOwn(info, "cniconfig") ? (info["cniconfig"] ?? "") : ""),
      usesCgroupfs:
        config?.linux === undefined
          ? cgroupfsIn(Object.hasOwn(info, "config") ? (info["config"] ?? "") : "")
          : config.linux.cgroupDriver === CgroupDriver.CGROUPFS,
    };
  } catch (error) {
    const why = error instanceof RpcError ? reasonOf(error) : errorText(error);
    throw new Error(`${socket} ${why}`, { cause: error });
  } finally {
    connection.close();
  }
}

function reasonOf({ code, details }: RpcError): string {
  if (code === "Unimplemented") return "does not serve CRI v1";
  if (code === "DeadlineExceeded") return `did not answer within ${answerMs / 1000} s`;
  return `does not answer: ${details}`;
}
