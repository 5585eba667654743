import type { Readable } from "node:stream";
import type { ApiRequest } from "../../meta/exchange.ts";
import { errorText } from "../../util/error-text.ts";
import { type Answer, text } from "./answer.ts";
import type { KubeletHost } from "./host.ts";
import { addressOf, runs } from "./sessions.ts";

/** The greatest output that is kept. The rest is dropped. */
const maxOutputBytes = 16 << 20;

/** Runs a command and answers with its output (kubelet `getRun`). The command ends with the caller's connection. */
export async function runCommand(
  host: KubeletHost,
  { query, signal }: ApiRequest,
  [namespace = "", name = "", third = "", fourth]: readonly string[],
): Promise<Answer> {
  const pod = host.pod(namespace, name);
  if (pod === undefined) return text(404, "pod does not exist");
  const address = addressOf(pod, fourth ?? third);
  if ((fourth !== undefined && third !== address.uid) || !runs(host, address))
    return text(500, `container not found (${JSON.stringify(address.container)})`);
  const words = (query.get("cmd") ?? "").split(" ");
  const options = { stdin: false, stdout: true, stderr: true, tty: false, command: words };
  try {
    const session = await host.endpoint.exec(address, options);
    signal.addEventListener("abort", () => session.close(), { once: true });
    if (signal.aborted) session.close();
    const output = new Output();
    const streams = [session.stdout, session.stderr].flatMap((stream) => (stream ? [stream] : []));
    const ended = streams.map((stream) => output.take(stream));
    const code = await session.exited;
    await Promise.all(ended);
    const bytes = output.bytes();
    if (code !== 0) return text(500, `command '${words.join(" ")}' exited with ${code}: ${bytes.toString()}`);
    return { status: 200, headers: {}, body: { type: "bytes", contentType: "application/json", bytes } };
  } catch (error) {
    return text(500, errorText(error));
  }
}

/** The output of both streams in the order of its arrival. */
class Output {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  async take(stream: Readable): Promise<void> {
    try {
      const chunks: AsyncIterable<Buffer> = stream;
      for await (const chunk of chunks) {
        if (this.#size < maxOutputBytes) this.#chunks.push(chunk);
        this.#size += chunk.length;
      }
    } catch {
      // Output that breaks off counts as ended.
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks).subarray(0, maxOutputBytes);
  }
}
