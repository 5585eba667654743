import { fromBinary, type MessageInitShape, type MessageShape, toBinary, create } from "@bufbuild/protobuf";
import type { DescMessage, DescMethod, DescMethodServerStreaming, DescMethodUnary } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import type { Clock } from "../../util/clock.ts";
import { RpcError, rpcErrorOf } from "./errors.ts";

export interface RpcConnectionOptions {
  readonly clock: Clock;
  /** The absolute path of the server's Unix socket. */
  readonly socket: string;
  /** The largest message in either direction. Default: 16 MiB, as upstream's CRI client. */
  readonly maxMessageBytes?: number;
}

export interface CallOptions {
  /** Ends the call with DeadlineExceeded after this time, in milliseconds. */
  readonly deadlineMs: number;
  /** Ends the call with Canceled. */
  readonly signal?: AbortSignal | undefined;
}

export interface StreamOptions {
  /** Ends the stream without an error. */
  readonly signal: AbortSignal;
}

/** The part that calls and streams of grpc-js have in common. */
interface Cancelable {
  cancel(): void;
}

const defaultMaxMessageBytes = 16 * 1024 * 1024;

/**
 * A connection to the gRPC services of one Unix socket: a container runtime, a CSI driver or a device plugin. It
 * connects at the first call, and again after the server has restarted. A call fails at once with Unavailable while
 * nobody listens.
 */
export class RpcConnection {
  readonly #clock: Clock;
  readonly #client: Client;

  /** @throws RpcError InvalidArgument for a relative path */
  constructor({ clock, socket, maxMessageBytes = defaultMaxMessageBytes }: RpcConnectionOptions) {
    if (!socket.startsWith("/"))
      throw new RpcError("InvalidArgument", `the socket's path is not absolute: ${JSON.stringify(socket)}`);
    this.#clock = clock;
    this.#client = new Client(`unix:${socket}`, credentials.createInsecure(), {
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.max_send_message_length": maxMessageBytes,
      "grpc.enable_http_proxy": 0,
      "grpc.enable_retries": 0,
      "grpc.service_config_disable_resolution": 1,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 3000,
      // Two connections to one socket share nothing, so that closing one does not end the other's calls.
      "grpc.use_local_subchannel_pool": 1,
    });
  }

  /** Calls a method with one request and one answer. @throws RpcError */
  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    { deadlineMs, signal }: CallOptions,
  ): Promise<MessageShape<O>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new RpcError("Canceled", "the call was canceled"));
        return;
      }
      let early: RpcError | undefined;
      const end = (error: RpcError, call: Cancelable) => {
        early = error;
        call.cancel();
      };
      const call = this.#client.makeUnaryRequest(
        pathOf(method),
        encoder(method.input),
        decoder(method.output),
        create(method.input, request),
        (error, answer) => {
          timer.cancel();
          signal?.removeEventListener("abort", cancel);
          if (error !== null) reject(early ?? rpcErrorOf(error));
          else if (answer === undefined) reject(new RpcError("Internal", "the answer is missing"));
          else resolve(answer);
        },
      );
      const timer = this.#clock.after(deadlineMs, () =>
        end(new RpcError("DeadlineExceeded", "context deadline exceeded"), call),
      );
      const cancel = () => end(new RpcError("Canceled", "the call was canceled"), call);
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  /** Yields the answers of a method until the server or the signal ends the stream. @throws RpcError */
  async *stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    { signal }: StreamOptions,
  ): AsyncGenerator<MessageShape<O>> {
    if (signal.aborted) return;
    const call = this.#client.makeServerStreamRequest(
      pathOf(method),
      encoder(method.input),
      decoder(method.output),
      create(method.input, request),
    );
    const cancel = () => call.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const answers: AsyncIterable<MessageShape<O>> = call;
      for await (const answer of answers) yield answer;
    } catch (error) {
      if (signal.aborted) return;
      // Safe: a stream of grpc-js only fails with a ServiceError.
      throw rpcErrorOf(error as Parameters<typeof rpcErrorOf>[0]);
    } finally {
      signal.removeEventListener("abort", cancel);
      call.cancel();
    }
  }

  /** Fails all calls. */
  close(): void {
    this.#client.close();
  }
}

/** Returns the path of a method's requests. */
export function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

export function encoder<D extends DescMessage>(schema: D): (message: MessageShape<D>) => Buffer {
  return (message) => {
    const bytes = toBinary(schema, message);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

export function decoder<D extends DescMessage>(schema: D): (bytes: Buffer) => MessageShape<D> {
  return (bytes) => fromBinary(schema, bytes);
}
