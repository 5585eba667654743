import { type Duplex, duplexPair } from "node:stream";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { SpdyConnection } from "./connection.ts";
import { controlFrame, dataFrame, type Frame, FrameParser, frameType } from "./frames.ts";
import { HeaderWriter } from "./headers.ts";
import type { SpdyStream } from "./stream.ts";

/** The client's side of a connection, frame by frame, and the server's side under test. */
export class TestClient {
  readonly clock = new VirtualClock();
  readonly streams: SpdyStream[] = [];
  readonly wire: Duplex;
  readonly connection: SpdyConnection;
  readonly ended: Promise<void>;
  readonly #frames: AsyncGenerator<Frame>;
  readonly #writer = new HeaderWriter();

  constructor() {
    const [wire, transport] = duplexPair();
    this.wire = wire;
    this.wire.on("error", () => {});
    this.connection = new SpdyConnection(transport, this.clock, (stream) => this.streams.push(stream));
    this.ended = this.connection.run();
    this.ended.catch(() => {});
    this.#frames = framesOf(this.wire);
  }

  /** Returns the server's next frame; undefined when it has closed. */
  async next(): Promise<Frame | undefined> {
    const { value, done } = await this.#frames.next();
    return done === true ? undefined : value;
  }

  async open(id: number, headers: Readonly<Record<string, string>> = {}, fin = false): Promise<void> {
    const head = Buffer.alloc(10);
    head.writeUInt32BE(id);
    const block = await this.#writer.write(new Map(Object.entries(headers)));
    this.wire.write(controlFrame(frameType.synStream, fin ? 1 : 0, Buffer.concat([head, block])));
  }

  data(id: number, text: string, fin = false): boolean {
    return this.wire.write(dataFrame(id, Buffer.from(text), fin));
  }

  /** Opens a stream and waits for the answer. */
  async stream(id: number, headers: Readonly<Record<string, string>> = {}): Promise<SpdyStream> {
    await this.open(id, headers);
    await this.next();
    const stream = this.streams.at(-1);
    if (stream?.id !== id) throw new Error(`Cannot open stream ${id}: not accepted`);
    return stream;
  }
}

async function* framesOf(wire: Duplex): AsyncGenerator<Frame> {
  const parser = new FrameParser();
  for await (const chunk of wire) yield* parser.push(chunk as Buffer);
}
