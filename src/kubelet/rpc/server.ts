import { create, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import type { DescMessage, DescMethod, DescMethodServerStreaming, DescMethodUnary } from "@bufbuild/protobuf";
import { Server, ServerCredentials, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { decoder, encoder, pathOf } from "./connection.ts";
import { codeNumber, RpcError } from "./errors.ts";

/** A method with its implementation: one entry of the list that `serveSocket` takes. */
export interface Served {
  readonly method: DescMethod;
  readonly implementation: UntypedServiceImplementation[string];
}

/** Serves a method with one request and one answer. An RpcError is its caller's error; another is Unknown. */
export function served<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  answer: (request: MessageShape<I>) => MessageInitShape<O> | Promise<MessageInitShape<O>>,
): Served {
  const run = async (request: MessageShape<I>) => create(method.output, await answer(request));
  return {
    method,
    implementation: (
      { request }: { readonly request: MessageShape<I> },
      settle: (error: object | null, value?: MessageShape<O>) => void,
    ) => {
      run(request).then(
        (value) => settle(null, value),
        (error: unknown) => settle(statusOf(error)),
      );
    },
  };
}

/** Serves a method whose answers are a stream. The signal fires when the caller has left. */
export function servedStream<I extends DescMessage, O extends DescMessage>(
  method: DescMethodServerStreaming<I, O>,
  answers: (request: MessageShape<I>, signal: AbortSignal) => AsyncIterable<MessageInitShape<O>>,
): Served {
  return {
    method,
    implementation: (call: StreamCall<MessageShape<I>>) => {
      const left = new AbortController();
      call.on("cancelled", () => left.abort());
      const send = async () => {
        for await (const answer of answers(call.request, left.signal)) {
          if (left.signal.aborted) return;
          if (!call.write(create(method.output, answer)))
            await new Promise<void>((resolve) => {
              call.once("drain", () => resolve());
              left.signal.addEventListener("abort", () => resolve(), { once: true });
            });
        }
        call.end();
      };
      send().catch((error: unknown) => call.emit("error", statusOf(error)));
    },
  };
}

interface StreamCall<Request> {
  readonly request: Request;
  on(event: "cancelled", listener: () => void): unknown;
  once(event: "drain", listener: () => void): unknown;
  write(message: object): boolean;
  end(): void;
  emit(event: "error", error: object): boolean;
}

function statusOf(error: unknown): object {
  return error instanceof RpcError
    ? { code: codeNumber(error.code), details: error.details }
    : { code: codeNumber("Unknown"), details: error instanceof Error ? error.message : String(error) };
}

export interface ServeOptions {
  /** The path of the socket to create. The caller has removed an earlier one. */
  readonly socket: string;
  readonly methods: readonly Served[];
  /** The largest request. Default: 4 MiB, as gRPC's. */
  readonly maxMessageBytes?: number;
}

/** Serves methods on a Unix socket. The returned function ends all calls and stops the server. @throws Error */
export async function serveSocket({
  socket,
  methods,
  maxMessageBytes = 4 * 1024 * 1024,
}: ServeOptions): Promise<() => void> {
  const server = new Server({ "grpc.max_receive_message_length": maxMessageBytes });
  for (const { method, implementation } of methods)
    server.addService({ [method.localName]: definitionOf(method) }, { [method.localName]: implementation });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  return () => server.forceShutdown();
}

function definitionOf(method: DescMethod) {
  return {
    path: pathOf(method),
    requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
    responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
    requestSerialize: encoder(method.input),
    requestDeserialize: decoder(method.input),
    responseSerialize: encoder(method.output),
    responseDeserialize: decoder(method.output),
  };
}
