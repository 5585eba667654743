import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { RpcConnection } from "../rpc/connection.ts";
import { hasCode } from "../rpc/errors.ts";
import { RuntimeError, type RuntimeReason } from "../runtime.ts";
import { errorText } from "../../util/error-text.ts";

/** The time for a call that does little (kubelet `runtimeRequestTimeout`). */
const callMs = 2 * 60_000;

export interface CallSettings {
  /** Default: two minutes. */
  readonly deadlineMs?: number;
  /** The RuntimeError's reason when the call fails. Default: Unavailable. */
  readonly reason?: RuntimeReason;
}

/** The calls to one container runtime, with the kubelet's deadlines and with errors of the interface. */
export class CriCalls {
  readonly connection: RpcConnection;

  constructor(connection: RpcConnection) {
    this.connection = connection;
  }

  /** @throws RuntimeError with the settings' reason, or NotFound */
  async call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    { deadlineMs = callMs, reason = "Unavailable" }: CallSettings = {},
  ): Promise<MessageShape<O>> {
    try {
      return await this.connection.call(method, request, { deadlineMs });
    } catch (error) {
      throw new RuntimeError(hasCode(error, "NotFound") ? "NotFound" : reason, errorText(error), error);
    }
  }

  /** Resolves to undefined when the runtime does not know the object. */
  async find<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    settings?: CallSettings,
  ): Promise<MessageShape<O> | undefined> {
    try {
      return await this.call(method, request, settings);
    } catch (error) {
      if (error instanceof RuntimeError && error.reason === "NotFound") return undefined;
      throw error;
    }
  }
}
