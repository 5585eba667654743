import { serviceAccounts } from "../api/core/service-account/schema.ts";
import type { TokenRequest } from "../api/authentication/v1.ts";
import type { Client } from "../client/client.ts";
import { type Connection, HttpTransport } from "../client/http.ts";
import type { Transport } from "../client/transport.ts";
import { hasReason } from "../meta/status.ts";
import type { Clock } from "../util/clock.ts";

const namespace = "kube-system";
const expirationSeconds = 3600;
/** Milliseconds before its end at which a token is replaced: requests of long duration still have a valid one. */
const renewedBeforeMs = 5 * 60_000;

/**
 * Makes a transport for each controller, under the ServiceAccount of its name in kube-system, so that each has no more
 * rights than it needs (controller-manager `--use-service-account-credentials`).
 */
export class ControllerCredentials {
  readonly #client: Client;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #transports: Transport[] = [];

  /** The client's user may create ServiceAccounts, and tokens for them. */
  constructor(client: Client, connection: Connection, clock: Clock) {
    this.#client = client;
    this.#connection = connection;
    this.#clock = clock;
  }

  transportFor(controller: string): Transport {
    const { certificate: _, ...connection } = this.#connection;
    const token = new RenewedToken(() => this.#request(controller), this.#clock);
    const options = { clock: this.#clock, userAgent: `kube-controller-manager/${controller}` };
    const transport = new HttpTransport({ ...connection, token: () => token.get() }, options);
    this.#transports.push(transport);
    return transport;
  }

  /** Closes all transports. */
  async close(): Promise<void> {
    await Promise.all(this.#transports.map((one) => one.close()));
  }

  async #request(name: string): Promise<Token> {
    try {
      return await this.#issue(name);
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
      await this.#createAccount(name);
      return this.#issue(name);
    }
  }

  async #issue(name: string): Promise<Token> {
    const tokens = this.#client.of(serviceAccounts, namespace).subresource<TokenRequest>(name, "token");
    const { status } = await tokens.create({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds },
    });
    if (status === undefined) throw new TypeError(`the token of ${name} was not issued`);
    return { text: status.token, expiresAt: Date.parse(status.expirationTimestamp) };
  }

  async #createAccount(name: string): Promise<void> {
    try {
      await this.#client.of(serviceAccounts, namespace).create({ metadata: { name } });
    } catch (error) {
      if (!hasReason(error, "AlreadyExists")) throw error;
    }
  }
}

interface Token {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A token that is requested at its first use, and again before it expires; once for all that wait for it. */
class RenewedToken {
  readonly #request: () => Promise<Token>;
  readonly #clock: Clock;
  #token: Promise<Token> | undefined;
  #renewAt = 0;

  constructor(request: () => Promise<Token>, clock: Clock) {
    this.#request = request;
    this.#clock = clock;
  }

  async get(): Promise<string> {
    if (this.#clock.now() >= this.#renewAt) {
      this.#renewAt = Infinity;
      this.#token = this.#request();
      this.#token.then(
        ({ expiresAt }) => (this.#renewAt = expiresAt - renewedBeforeMs),
        () => (this.#renewAt = 0),
      );
    }
    return (await this.#token)?.text ?? "";
  }
}
